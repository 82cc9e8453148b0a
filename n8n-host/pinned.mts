// Installs what the package.json and the lock file of a folder pin, when it is first needed: n8n itself, and what only some commands use.
import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import {
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeEnvironment, startGuarded } from './guarded.mts';
import { formatDuration, trackProgress } from './progress.mts';

export type Log = (line: string) => void;

const PROGRESS_MS = 5_000;

/** npm's arguments to install from a lock file */
const INSTALL = [
	'install',
	'--no-save', // the committed lock file says what to install and is never written
	// n8n's peers take npm more than ten minutes to resolve otherwise. It leaves out date-fns, a peer without which n8n's Extract from
	// File does not load; so each package.json of n8n names it.
	'--legacy-peer-deps',
	'--ignore-scripts', // only those that are named are run
	'--no-audit',
	'--no-fund',
];

export interface Pinned {
	/** With the package.json and the lock file; node_modules comes beside them */
	folder: string;
	/** As people call it */
	name: string;
	/** Approximate duration. For what takes minutes, which depend on the machine and its network, the space that it takes. */
	size: { seconds: number } | { gigabytes: number };
	/** Work during npm's installation */
	meanwhile?: () => Promise<void>;
	/** Work after both */
	finish?: () => Promise<void>;
}

/** Installs it, unless that has been done. One process at a time; an interrupted installation is done again the next time. Throws if it cannot. */
export async function ensurePinned(pinned: Pinned, log: Log): Promise<void> {
	const { folder, name } = pinned;
	const modules = join(folder, 'node_modules');
	const marker = join(modules, '.whole');
	const whole = wholeness(folder);
	const isWhole = () => existsSync(marker) && readFileSync(marker, 'utf8') === whole;
	if (isWhole()) return;

	mkdirSync(modules, { recursive: true });
	const unlock = await lock(join(modules, '.installing'), log);
	try {
		if (isWhole()) return; // someone else installed it meanwhile
		rmSync(marker, { force: true });
		const meanwhile = pinned.meanwhile?.();
		meanwhile?.catch(() => {}); // waited for below
		await install(pinned, log);
		await meanwhile;
		await pinned.finish?.();
		writeFileSync(marker, whole);
		log(`${name} is installed`);
	} finally {
		unlock();
	}
}

/** Identifies an installation: the lock file, and Node's binary interface. */
function wholeness(folder: string): string {
	const { modules } = process.versions;
	const lockFile = hash('sha256', readFileSync(join(folder, 'package-lock.json')));
	return `${process.platform}-${process.arch} abi ${modules} lock ${lockFile}\n`;
}

async function install({ folder, name, size }: Pinned, log: Log): Promise<void> {
	if ('gigabytes' in size) checkSpace(folder, name, size.gigabytes);
	const needs =
		'seconds' in size
			? formatDuration(size.seconds)
			: `about ${size.gigabytes} GB and some minutes`;
	log(`installing ${name}, once: ${needs}`);
	const packages = getPackages(folder);
	const describe = trackProgress(name, packages.length);
	const progress = setInterval(() => {
		const unpacked = packages.filter((file) => existsSync(file)).length;
		log(describe(unpacked, Date.now()));
	}, PROGRESS_MS);
	try {
		await installPackages(folder);
	} finally {
		clearInterval(progress);
	}
}

/**
 * Installs what the lock file pins. It names no registry, so npm would ask for the list of versions of each package first, which is two fifths of
 * its work. Instead it reads the addresses from a file that it prefers to the lock file.
 */
async function installPackages(folder: string): Promise<void> {
	const addresses = join(folder, 'npm-shrinkwrap.json');
	try {
		writeFileSync(
			addresses,
			JSON.stringify(addAddresses(readLockFile(folder), await getRegistry())),
		);
		await npm(folder, INSTALL);
	} catch {
		// A registry may have others, which npm finds out.
		rmSync(addresses, { force: true });
		await npm(folder, INSTALL);
	} finally {
		rmSync(addresses, { force: true });
	}
}

async function getRegistry(): Promise<string> {
	const [command, args] = npmCommand(['config', 'get', 'registry']);
	const { stdout } = await promisify(execFile)(command, args, { env: nodeEnvironment() });
	return stdout.trim().replace(/\/?$/, '/');
}

interface LockFile {
	packages: Record<
		string,
		{ name?: string; version?: string; optional?: boolean; inBundle?: boolean; resolved?: string }
	>;
}

const readLockFile = (folder: string): LockFile =>
	JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));

/** Returns a lock file with the address that each package usually has. */
function addAddresses(lockFile: LockFile, registry: string): LockFile {
	const packages = Object.entries(lockFile.packages).map(([place, each]) => {
		const name = each.name ?? place.split('node_modules/').at(-1)!;
		const file = `${name.split('/').at(-1)}-${each.version}.tgz`;
		const isOwn = place === '' || each.inBundle;
		return [place, isOwn ? each : { ...each, resolved: `${registry}${name}/-/${file}` }];
	});
	return { ...lockFile, packages: Object.fromEntries(packages) };
}

/** Throws if a folder's disk has less free space than an installation needs. */
function checkSpace(folder: string, name: string, gigabytes: number): void {
	const { bavail, bsize } = statfsSync(folder);
	const free = (bavail * bsize) / 1024 ** 3;
	if (free < gigabytes)
		throw new Error(
			`No space left: ${name} needs ${gigabytes} GB, and ${folder} has ${free.toFixed(1)} GB.`,
		);
}

/** The manifests of the packages that the lock file names for this machine */
function getPackages(folder: string): string[] {
	return Object.entries(readLockFile(folder).packages)
		.filter(([place, { optional }]) => place !== '' && !optional)
		.map(([place]) => join(folder, place, 'package.json'));
}

/** Returns how to start npm. On Windows `npm` is no program, but under npm its script is known. */
export function npmCommand(args: string[]): [command: string, args: string[]] {
	const { npm_execpath: script } = process.env;
	return script?.endsWith('npm-cli.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Runs npm in a folder. Throws if it fails. */
export async function npm(
	folder: string,
	args: string[],
	more: NodeJS.ProcessEnv = {},
): Promise<void> {
	const env = { ...nodeEnvironment(), ...more };
	const run = startGuarded(...npmCommand(args), { cwd: folder, env });
	const code = await run.exited;
	if (code !== 0)
		throw new Error(
			`npm ${args.join(' ')} failed in ${folder} (exit code ${code}):\n${run.tail()}`,
		);
}

/** One installation at a time: waits for the lock, takes it, and returns a function that releases it. The lock of a process that has ended is void. */
export async function lock(file: string, log: Log): Promise<() => void> {
	const mine = `${file}-${randomUUID()}`;
	writeFileSync(mine, String(process.pid));
	try {
		for (let announced = false; ; await sleep(1000)) {
			// A link either appears whole, with the holder's number in it, or not at all.
			if (tryLink(mine, file)) return () => rmSync(file, { force: true });
			if (!isAlive(getHolder(file))) rmSync(file, { force: true });
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

function getHolder(lockFile: string): number | undefined {
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
