// A new n8n spends most of its first start on its database. The first host of an installation keeps what came of that, before anything is
// in it, and later ones begin with a copy.
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hostFolder, type HostVersion } from './versions.mts';

const DATABASE = 'database.sqlite';
/** n8n's key, which some of what is in the database is encrypted with */
const KEY = 'config';

/** Beside the packages, so that it goes when they do */
const keptHome = (version: HostVersion): string =>
	join(hostFolder(version), 'node_modules', '.home');

const getHome = (userFolder: string): string => join(userFolder, '.n8n');

/** Returns whether this n8n is as new as its folder: nobody has used it. */
export const isNewHome = (userFolder: string): boolean =>
	!existsSync(join(getHome(userFolder), DATABASE));

/** Puts a copy of what was kept into a new user folder, where something was. */
export function copyHome(version: HostVersion, userFolder: string): void {
	const kept = keptHome(version);
	if (existsSync(kept)) cpSync(kept, getHome(userFolder), { recursive: true });
}

/** Keeps what the first start has made of a new user folder, unless that has been done. Call it before anything is in it. */
export function keepHome(version: HostVersion, userFolder: string): void {
	const kept = keptHome(version);
	if (existsSync(kept)) return;
	const home = getHome(userFolder);
	const whole = `${kept}-${process.pid}`;
	mkdirSync(whole, { mode: 0o700 });
	try {
		const database = new DatabaseSync(join(home, DATABASE), { readOnly: true });
		database.prepare('VACUUM INTO ?').run(join(whole, DATABASE));
		database.close();
		copyFileSync(join(home, KEY), join(whole, KEY));
		renameSync(whole, kept);
	} catch {
		// Someone else has kept it meanwhile, or it cannot be: the next host tries again.
		rmSync(whole, { recursive: true, force: true });
	}
}

/** Forgets it: the n8n that made it is another one now. */
export const forgetHome = (version: HostVersion): void =>
	rmSync(keptHome(version), { recursive: true, force: true });
