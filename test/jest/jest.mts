// Starts jest, for all commands that run tests.
import { nodeEnvironment } from '../../n8n-host/guarded.mts';
import { runNode } from '../../tools/build.mts';

/** Runs jest in this terminal, and returns its exit code. */
export const runJest = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
	await runNode(['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args], {
		...nodeEnvironment(),
		...env,
	});
