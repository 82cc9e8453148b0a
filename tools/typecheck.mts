// npm run typecheck: checks the types of the package, then those of everything else.
import { runNode } from './build.mts';
import { ensureParts } from './parts.mts';

const TSC = 'node_modules/typescript/bin/tsc';

// Their types are checked too.
await ensureParts(['clickHouse', 'browser'], console.error);
process.exitCode =
	(await runNode([TSC, '--noEmit', '-p', 'tsconfig.json'])) ||
	(await runNode([TSC, '-p', 'tsconfig.tools.json']));
