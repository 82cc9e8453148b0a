// Starts a command under the guard (guard.mts) and keeps the end of what it prints, for error messages.
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const guardFile = fileURLToPath(new URL('./guard.mts', import.meta.url));
const TAIL_LINES = 40;

interface GuardedOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** Removed, with all in it, when the command has ended for any reason */
	removeAtEnd?: string;
	onLine?: (line: string) => void;
}

export interface Guarded {
	/** The exit code, once the command and everything it started is gone */
	exited: Promise<number>;
	/** The last lines of its output */
	tail(): string;
	/** Ends it (politely, then not) and waits until it is gone. Calling it again does no harm. */
	stop(): Promise<void>;
	/** Ends it without a chance to tidy up, as kill -9 does, and waits until it is gone. */
	kill(): Promise<void>;
}

const running = new Set<Guarded>();

/** Ends everything that was started here and waits until it is gone: what to do on Ctrl-C. */
async function stopAllGuarded(): Promise<void> {
	await Promise.allSettled([...running].map((guarded) => guarded.stop()));
}

/**
 * From now on Ctrl-C and other polite signals first end every process that was started here.
 * @param exitCode this process's own, then
 * @returns whether that has begun
 */
export function stopWhenInterrupted(exitCode: (signal: NodeJS.Signals) => number): () => boolean {
	let interrupted = false;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(signal, async () => {
			if (interrupted) return;
			interrupted = true;
			console.error('\nstopping');
			await stopAllGuarded();
			process.exit(exitCode(signal));
		});
	return () => interrupted;
}

/** The environment for child processes: this very Node is the `node` they find, not the machine's. */
export function nodeEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
	return { ...env, PATH: `${dirname(process.execPath)}${delimiter}${env.PATH ?? ''}` };
}

/** Starts `command` so that it ends when this process ends, however that happens. */
export function startGuarded(
	command: string,
	args: string[],
	options: GuardedOptions = {},
): Guarded {
	const guard = spawn(process.execPath, [guardFile, options.removeAtEnd ?? '-', command, ...args], {
		cwd: options.cwd,
		env: options.env ?? nodeEnvironment(),
		stdio: ['pipe', 'pipe', 'pipe'],
		detached: true,
	});

	const lines: string[] = [];
	for (const stream of [guard.stdout, guard.stderr]) {
		createInterface({ input: stream }).on('line', (line) => {
			lines.push(line);
			if (lines.length > TAIL_LINES) lines.shift();
			options.onLine?.(line);
		});
	}

	const exited = new Promise<number>((resolve, reject) => {
		guard.once('error', reject);
		guard.once('close', (code) => resolve(code ?? 1));
	});
	// A failed start rejects `exited`; nobody has to wait for that.
	exited.catch(() => {}).finally(() => running.delete(guarded));

	const guarded: Guarded = {
		exited,
		tail: () => lines.join('\n'),
		async stop() {
			guard.stdin.destroy();
			await exited;
		},
		async kill() {
			guard.kill('SIGUSR2');
			await exited;
		},
	};
	running.add(guarded);
	return guarded;
}
