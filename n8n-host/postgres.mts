// A PostgreSQL for one run: on a free port, in a throwaway folder, open to everybody on this machine.
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresProgram } from './debian.mts';
import { startGuarded } from './guarded.mts';
import { freePort } from './ports.mts';
import { untilItAccepts } from './ready.mts';

export interface Postgres {
	port: number;
	user: string;
	database: string;
	close(): Promise<void>;
}

const user = 'postgres';
const database = 'postgres';

/** Starts PostgreSQL with an empty database. Needs its package to be installed. */
export async function startPostgres(): Promise<Postgres> {
	const port = await freePort();
	const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
	const data = join(folder, 'data');
	try {
		await own(folder);
		await run(folder, 'initdb', [
			'--pgdata',
			data,
			'--username',
			user,
			'--auth',
			'trust',
			'--encoding',
			'UTF8',
			'--no-locale',
			'--no-sync',
		]);
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
	// Nothing has to outlive this run.
	const settings = [
		`port=${port}`,
		'listen_addresses=127.0.0.1',
		'unix_socket_directories=',
		'fsync=off',
		'synchronous_commit=off',
		'full_page_writes=off',
	];
	const server = start(
		folder,
		'postgres',
		['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
		folder,
	);
	await untilItAccepts('PostgreSQL', port, server);
	return { port, user, database, close: server.stop };
}

/** PostgreSQL refuses to run as root: then it runs as the user that comes with its package. */
const isRoot = process.getuid?.() === 0;

function start(folder: string, program: string, args: string[], removeAtEnd?: string) {
	const command = [postgresProgram(program)!, ...args];
	const [first, ...rest] = isRoot ? ['runuser', '-u', user, '--', ...command] : command;
	return startGuarded(first, rest, { cwd: folder, removeAtEnd });
}

async function run(folder: string, program: string, args: string[]): Promise<void> {
	const child = start(folder, program, args);
	const code = await child.exited;
	if (code !== 0) throw new Error(`${program} failed (exit code ${code}):\n${child.tail()}`);
}

async function own(folder: string): Promise<void> {
	if (!isRoot) return;
	const [uid, gid] = await Promise.all([id('-u'), id('-g')]);
	chownSync(folder, uid, gid);
}

async function id(which: string): Promise<number> {
	const child = startGuarded('id', [which, user]);
	if ((await child.exited) !== 0)
		throw new Error(`There is no user "${user}" for PostgreSQL to run as:\n${child.tail()}`);
	return Number(child.tail());
}
