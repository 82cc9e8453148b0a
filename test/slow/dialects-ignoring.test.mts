// The same against services that ignore unknown names, and against proxies.
import { testFamily } from '../engine/outcomes/family.mts';

testFamily(true, 'Services that ignore unknown names');
