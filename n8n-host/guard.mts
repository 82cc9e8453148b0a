// Runs one command, and ends it when the process that asked for it ends.
// That process holds this one's standard input open. However it ends (on its own, Ctrl-C, kill -9), the pipe closes,
// the command's whole process group is ended and its temporary folder removed. An exit handler in the parent
// could not promise that.
//
// node guard.mts <folder to remove at the end, or -> <command> <arguments...>
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Time for n8n to finish its executions (N8N_GRACEFUL_SHUTDOWN_TIMEOUT), and a margin */
const GRACE_MS = 35_000;
const [folder, command, ...args] = process.argv.slice(2);

// Its own group: one signal reaches what the command has started, too, and Ctrl-C in the terminal does not.
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });

function signalGroup(signal: NodeJS.Signals): void {
	if (!child.pid) return;
	try {
		process.kill(-child.pid, signal);
	} catch {
		// The group is gone already.
	}
}

function end(): void {
	signalGroup('SIGTERM');
	setTimeout(() => signalGroup('SIGKILL'), GRACE_MS);
}

function finish(code: number): void {
	signalGroup('SIGKILL');
	// Files may still appear for a moment while the last process of the group goes away.
	if (folder !== '-')
		rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
	process.exit(code);
}

child.once('error', (error) => {
	console.error(error.message);
	finish(127);
});
child.once('exit', (code) => finish(code ?? 1));

// As kill -9 or a power cut would end it
process.on('SIGUSR2', () => signalGroup('SIGKILL'));

process.stdin.resume();
process.stdin.once('close', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
