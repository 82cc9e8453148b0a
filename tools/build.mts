// Builds the package for the commands that run or pack it, and runs programs of packages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeEnvironment, startGuarded } from '../n8n-host/guarded.mts';

const root = join(import.meta.dirname, '..');
const gulp = join(root, 'node_modules/gulp/bin/gulp.js');

/** Says which sources `dist/` was built from. The build removes it first. */
const marker = join(root, '.cache/built');

/** Returns a digest of everything that the build reads. */
function sourcesDigest(folder: string = root): string {
	const files = globSync('{nodes,credentials}/**/*.*', { cwd: folder }).sort();
	const digest = createHash('sha256');
	for (const file of [
		...files,
		'gulpfile.js',
		'tsconfig.json',
		'package.json',
		'package-lock.json',
	])
		digest.update(file).update(readFileSync(join(folder, file)));
	return digest.digest('hex');
}

const isBuiltFrom = (digest: string) =>
	existsSync(join(root, 'dist')) && existsSync(marker) && readFileSync(marker, 'utf8') === digest;

/**
 * Builds `dist/`, unless it has been built from the same sources. It doesn't check types, which takes longer than the build.
 * @throws Error with the compiler's messages
 */
export async function build(): Promise<void> {
	const digest = sourcesDigest();
	if (isBuiltFrom(digest)) return;
	const child = startGuarded(process.execPath, [gulp, '--silent', 'unchecked'], { cwd: root });
	const code = await child.exited;
	if (code !== 0) throw new Error(`The build failed (exit code ${code}):\n${child.tail()}`);
	mkdirSync(dirname(marker), { recursive: true });
	writeFileSync(marker, digest);
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
