// Installs the pinned n8n, once. The demo, the end-to-end tests and the screenshots all come through here.
import { hash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeEnvironment, startGuarded } from './guarded.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';

export type Log = (line: string) => void;

const PROGRESS_MS = 20_000;

const INSTALL = [
	'install',
	'--no-save', // the committed lock file says what to install and is never written
	// n8n's peers take npm more than ten minutes to resolve otherwise. It leaves out date-fns, a peer without which n8n's Extract from
	// File does not load; so each package.json names it.
	'--legacy-peer-deps',
	'--ignore-scripts', // only sqlite3's is needed
	'--no-audit',
	'--no-fund',
];

/** Installs the pinned n8n and builds its database driver, unless that has been done. Throws if it cannot. */
export async function ensureHost({
	log,
	version = hostVersion(),
}: {
	log: Log;
	version?: HostVersion;
}): Promise<void> {
	const folder = hostFolder(version);
	const modules = join(folder, 'node_modules');
	const marker = join(modules, '.whole');
	const whole = wholeness(folder);
	const isWhole = () => existsSync(marker) && readFileSync(marker, 'utf8') === whole;
	if (isWhole()) return;

	mkdirSync(modules, { recursive: true });
	const unlock = await lock(join(modules, '.installing'), log);
	try {
		if (isWhole()) return; // somebody else installed it meanwhile
		rmSync(marker, { force: true });
		await npm(
			folder,
			INSTALL,
			`installing n8n ${pinnedVersion(folder)}, about two minutes, once`,
			log,
		);
		if (!(await sqliteLoads(folder))) {
			await npm(
				folder,
				['rebuild', '--ignore-scripts=false', 'sqlite3'],
				"building n8n's database driver, about a minute, once",
				log,
			);
			if (!(await sqliteLoads(folder)))
				throw new Error('sqlite3 was built, but does not load with this Node.');
		}
		// Written last: an interrupted installation is done again the next time.
		writeFileSync(marker, whole);
		log(`n8n ${pinnedVersion(folder)} is installed`);
	} finally {
		unlock();
	}
}

function pinnedVersion(folder: string): string {
	return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies.n8n;
}

/** What an installation is for: this lock file, on a Node of this binary interface. */
function wholeness(folder: string): string {
	const { modules } = process.versions;
	const lockFile = hash('sha256', readFileSync(join(folder, 'package-lock.json')));
	return `${process.platform}-${process.arch} abi ${modules} lock ${lockFile}\n`;
}

async function sqliteLoads(folder: string): Promise<boolean> {
	const probe = startGuarded(process.execPath, ['-e', "require('sqlite3')"], { cwd: folder });
	return (await probe.exited) === 0;
}

async function npm(folder: string, args: string[], what: string, log: Log): Promise<void> {
	const startedAt = Date.now();
	log(what);
	const progress = setInterval(() => {
		log(`${what} (${Math.round((Date.now() - startedAt) / 1000)} s so far)`);
	}, PROGRESS_MS);
	const run = startGuarded('npm', args, { cwd: folder, env: nodeEnvironment() });
	try {
		const code = await run.exited;
		if (code !== 0)
			throw new Error(
				`npm ${args.join(' ')} failed in ${folder} (exit code ${code}):\n${run.tail()}`,
			);
	} finally {
		clearInterval(progress);
	}
}

/** One installation at a time: waits for the lock, takes it, and returns a function that releases it. The lock of a process that has ended is void. */
export async function lock(file: string, log: Log): Promise<() => void> {
	const mine = `${file}-${process.pid}`;
	writeFileSync(mine, String(process.pid));
	try {
		for (let announced = false; ; await sleep(1000)) {
			// A link either appears whole, with the holder's number in it, or not at all.
			if (tryLink(mine, file)) return () => rmSync(file, { force: true });
			if (!isAlive(holderOf(file))) rmSync(file, { force: true });
			else if (!announced) {
				log('another process is installing the same: waiting for it');
				announced = true;
			}
		}
	} finally {
		rmSync(mine, { force: true });
	}
}

function tryLink(from: string, to: string): boolean {
	try {
		linkSync(from, to);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

function holderOf(lockFile: string): number | undefined {
	try {
		return Number(readFileSync(lockFile, 'utf8'));
	} catch {
		return undefined; // released just now
	}
}

function isAlive(pid: number | undefined): boolean {
	if (!pid) return false;
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
