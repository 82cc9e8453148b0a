// A part of what test/slow runs, because bash takes most of a minute for all of it.
import { testGeneratedCommands } from './generated.mts';

testGeneratedCommands({ thatRunRm: 400, forWildcards: 800 });
