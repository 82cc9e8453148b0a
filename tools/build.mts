// Builds the package for the commands that run or pack it, and runs programs of packages.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeEnvironment, startGuarded } from '../n8n-host/guarded.mts';

const root = join(import.meta.dirname, '..');
const gulp = join(root, 'node_modules/gulp/bin/gulp.js');

/**
 * Builds `dist/`.
 * @param task `default` checks the types first; `unchecked` skips that check, which takes longer than the build
 * @throws Error with the compiler's messages
 */
export async function build(task: 'default' | 'unchecked' = 'default'): Promise<void> {
	const child = startGuarded(process.execPath, [gulp, '--silent', task], { cwd: root });
	const code = await child.exited;
	if (code !== 0) throw new Error(`The build failed (exit code ${code}):\n${child.tail()}`);
}

/** Runs this Node in this terminal, and returns its exit code. */
export async function runNode(
	args: readonly string[],
	env: NodeJS.ProcessEnv = nodeEnvironment(),
): Promise<number> {
	const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve(code ?? 1));
	});
}
