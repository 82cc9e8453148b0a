// Child processes that run worlds. One that's silent is ended by its ID, and its world counts as one that hangs.
import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { once } from 'node:events';
import type { HostVersion } from '../../n8n-host/versions.mts';
import type { Asked, Judged } from './child.mts';
import type { World } from './world.mts';

const SILENCE_MS = 300_000;

export interface Pool {
	/** @param fault its place in the list of faults to plant */
	run(world: World, fault?: number): Promise<Judged>;
	end(): void;
}

interface Worker {
	child: ChildProcess;
	lines: Interface;
}

/** Starts processes with n8n-core of this version. */
export function startPool(version: HostVersion, size: number = availableParallelism()): Pool {
	const env = { ...process.env, ...(version === '2.41' ? {} : { N8N_CORE: version }) };
	const startWorker = (): Worker => {
		const child = spawn(process.execPath, [join(import.meta.dirname, 'child.mts')], {
			env,
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		return { child, lines: createInterface({ input: child.stdout! }) };
	};
	const idle: Worker[] = [];
	const queue: Array<() => void> = [];
	let free = size;

	async function ask({ child, lines }: Worker, asked: Asked): Promise<Judged | undefined> {
		child.stdin!.write(`${JSON.stringify(asked)}\n`);
		const silence = new AbortController();
		const timer = setTimeout(() => silence.abort(), SILENCE_MS);
		try {
			const answered = once(lines, 'line', { signal: silence.signal }).then(([line]) => line);
			const gone = once(child, 'exit', { signal: silence.signal }).then(() => undefined);
			gone.catch(() => {});
			const line = (await Promise.race([answered, gone])) as string | undefined;
			return line === undefined ? undefined : (JSON.parse(line) as Judged);
		} catch {
			child.kill('SIGKILL');
			return undefined;
		} finally {
			clearTimeout(timer);
			silence.abort();
		}
	}

	return {
		async run(world, fault) {
			if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
			else free--;
			const worker = idle.pop() ?? startWorker();
			try {
				const judged = await ask(worker, { world, fault });
				if (judged) {
					idle.push(worker);
					return judged;
				}
				const hangs = { kind: 'the world hangs', circumstance: '', about: '', at: 0 };
				return { violations: [hangs], log: [] };
			} finally {
				const next = queue.shift();
				if (next) next();
				else free++;
			}
		},
		end: () => idle.forEach(({ child }) => child.stdin!.end()),
	};
}
