// npm test [-- file ... or other options of jest]: builds the package and runs the tests that need npm only. Tests that need another part
// install it, while others run.
import { build } from '../tools/build.mts';
import { runJest } from './jest/jest.mts';

try {
	await build();
	process.exitCode = await runJest(process.argv.slice(2));
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
