// Measures in a process of its own, which says what it took as a line of JSON.
import { fileURLToPath } from 'node:url';
import { nodeEnvironment, startGuarded } from '../n8n-host/guarded.mts';

/** Runs a program of this folder, and returns what it printed as JSON. */
export async function measureIn<T>(
	program: string,
	args: string[],
	env: NodeJS.ProcessEnv = nodeEnvironment(),
): Promise<T> {
	const file = fileURLToPath(new URL(program, import.meta.url));
	let answer: string | undefined;
	const child = startGuarded(process.execPath, ['--expose-gc', file, ...args], {
		env,
		onLine: (line) => line.startsWith('{') && (answer = line),
	});
	const code = await child.exited;
	if (code !== 0 || answer === undefined) throw new Error(`${program} failed:\n${child.tail()}`);
	return JSON.parse(answer) as T;
}
