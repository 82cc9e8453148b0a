// Installs the pinned n8n, once. The demo, the end-to-end tests and the screenshots all come through here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuarded } from './guarded.mts';
import { ensurePinned, npm, type Log } from './pinned.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';

/** Installs the pinned n8n and builds its database driver, unless that has been done. Throws if it cannot. */
export async function ensureHost({
	log,
	version = hostVersion(),
}: {
	log: Log;
	version?: HostVersion;
}): Promise<void> {
	const folder = hostFolder(version);
	const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	await ensurePinned(
		{
			folder,
			name: `n8n ${dependencies.n8n}`,
			seconds: 120,
			finish: async () => await buildDriver(folder, log),
		},
		log,
	);
}

async function buildDriver(folder: string, log: Log): Promise<void> {
	if (await sqliteLoads(folder)) return;
	log("building n8n's database driver: about a minute");
	await npm(folder, ['rebuild', '--ignore-scripts=false', 'sqlite3']);
	if (!(await sqliteLoads(folder)))
		throw new Error('sqlite3 was built, but does not load with this Node.');
}

async function sqliteLoads(folder: string): Promise<boolean> {
	const probe = startGuarded(process.execPath, ['-e', "require('sqlite3')"], { cwd: folder });
	return (await probe.exited) === 0;
}
