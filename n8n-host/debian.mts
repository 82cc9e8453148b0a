// Programs that come as Debian packages: found if they are installed, installed if they are missing.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import which from 'which';
import { startGuarded } from './guarded.mts';
import type { Log } from './pinned.mts';

export interface DebianPackage {
	name: string;
	/** One of the programs in it */
	program: string;
	/** Finds a program of the package; undefined if it is not there. On the PATH by default. */
	find?(program: string): string | undefined;
}

export const redisPackage: DebianPackage = { name: 'redis-server', program: 'redis-server' };
export const postgresPackage: DebianPackage = {
	name: 'postgresql',
	program: 'initdb',
	find: postgresProgram,
};

/** Installs those packages that are missing. Throws, naming them and how to install them, if it cannot. */
export async function ensurePackages(packages: DebianPackage[], log: Log): Promise<void> {
	const isMissing = ({ program, find = onPath }: DebianPackage) => !find(program);
	const missing = packages.filter(isMissing).map(({ name }) => name);
	if (missing.length === 0) return;

	const names = missing.join(' ');
	const help = `Install them by hand: apt-get install ${names}`;
	if (!onPath('apt-get'))
		throw new Error(
			`Missing: ${names}. There is no apt-get here to install them with. On Debian: apt-get install ${names}`,
		);
	if (process.getuid?.() !== 0)
		throw new Error(`Missing: ${names}. Only root may install them. ${help}`);

	log(`installing ${names}`);
	// A list that is too old is seen in the installation.
	await aptGet(['update']);
	const { code, output } = await aptGet([
		'install',
		'--yes',
		'--no-install-recommends',
		...missing,
	]);
	if (code !== 0)
		throw new Error(`apt-get could not install ${names} (exit code ${code}). ${help}\n${output}`);
	const still = packages.filter(isMissing).map(({ name }) => name);
	if (still.length > 0)
		throw new Error(
			`apt-get has installed ${names}, but the programs of ${still.join(' ')} are not where they should be.`,
		);
}

/** The path of a program, looked for on the PATH and where Debian keeps programs */
export function onPath(program: string): string | undefined {
	return findProgram(program, [process.env.PATH ?? '', '/usr/bin', '/usr/sbin']);
}

const findProgram = (program: string, folders: string[]): string | undefined =>
	which.sync(program, { path: folders.join(delimiter), nothrow: true }) ?? undefined;

/** The path of one of PostgreSQL's own programs: Debian keeps those of each version in a folder that is not on the PATH. */
export function postgresProgram(program: string): string | undefined {
	const versions = '/usr/lib/postgresql';
	if (!existsSync(versions)) return onPath(program);
	const newestFirst = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => join(versions, version, 'bin'));
	return findProgram(program, folders) ?? onPath(program);
}

async function aptGet(args: string[]) {
	// Another installation may hold the lock. No service is started: outside the run levels of several users Debian starts none.
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
	const run = startGuarded('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], { env });
	return { code: await run.exited, output: run.tail() };
}
