// 3,000 commands that run a denied program in a real bash, and what wildcards approve.
import { testGeneratedCommands } from '../unit/generated.mts';

testGeneratedCommands({ thatRunRm: 3_000, forWildcards: 8_000 });
