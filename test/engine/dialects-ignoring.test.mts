// The same against services that ignore what they do not know, and what stands between them and their callers.
import { testFamily } from './outcomes/family.mts';

testFamily(true, 'Services that ignore unknown names');
