// Every node, trigger event, picker and selection, the credential's test and downloads, against services that refuse what they do not know.
import { testFamily } from '../engine/outcomes/family.mts';

testFamily(false, 'Services that refuse unknown names');
