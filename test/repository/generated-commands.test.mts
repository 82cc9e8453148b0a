// 20,000 commands against a real bash: those that a rule approves do what the rule says.
import { testGeneratedCommands } from '../unit/generated.mts';

testGeneratedCommands({ ofAnyForm: 12_000, forWildcards: 8_000 });
