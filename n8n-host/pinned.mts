// Installs what the package.json and the lock file of a folder pin, when it is first needed: n8n itself, and what only some commands use.
import { hash, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeEnvironment, startGuarded } from './guarded.mts';

export type Log = (line: string) => void;

const PROGRESS_MS = 10_000;

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
	/** Approximate duration */
	seconds: number;
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

async function install({ folder, name, seconds }: Pinned, log: Log): Promise<void> {
	log(`installing ${name}, once: ${duration(seconds)}`);
	const startedAt = Date.now();
	const packages = getPackages(folder);
	const progress = setInterval(() => {
		const share = packages.filter((file) => existsSync(file)).length / packages.length;
		const passed = (Date.now() - startedAt) / 1000;
		// npm asks for all packages before it unpacks the first.
		const left = share > 0 ? (passed / share) * (1 - share) : Math.max(seconds - passed, 0);
		log(`installing ${name}: ${Math.floor(100 * share)} %, ${duration(left)} left`);
	}, PROGRESS_MS);
	try {
		await npm(folder, INSTALL);
	} finally {
		clearInterval(progress);
	}
}

/** The manifests of the packages that the lock file names for this machine */
function getPackages(folder: string): string[] {
	const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
		packages: Record<string, { optional?: boolean }>;
	};
	return Object.entries(packages)
		.filter(([place, { optional }]) => place !== '' && !optional)
		.map(([place]) => join(folder, place, 'package.json'));
}

const duration = (seconds: number): string =>
	seconds < 90
		? `about ${Math.ceil(seconds / 10) * 10} s`
		: `about ${Math.round(seconds / 60)} minutes`;

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
