// A Redis for one run: on a free port, in a throwaway folder, kept in memory only.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from './debian.mts';
import { startGuarded } from './guarded.mts';
import { freePort } from './ports.mts';
import { untilItAccepts } from './ready.mts';

export interface Redis {
	port: number;
	close(): Promise<void>;
}

/** Starts Redis. Needs its package to be installed. */
export async function startRedis(): Promise<Redis> {
	const port = await freePort();
	const folder = mkdtempSync(join(tmpdir(), 'redis-'));
	const args = [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--save',
		'',
		'--appendonly',
		'no',
		'--dir',
		folder,
	];
	const server = startGuarded(onPath('redis-server')!, args, { cwd: folder, removeAtEnd: folder });
	await untilItAccepts('Redis', port, server);
	return { port, close: server.stop };
}
