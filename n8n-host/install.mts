// Installs the pinned n8n, once. The demo, the end-to-end tests and the screenshots all come through here.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGuarded } from './guarded.mts';
import { forgetHome } from './home.mts';
import { ensurePinned, npm, type Log, type Pinned } from './pinned.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';

/** n8n's database driver, which is the same for all versions. It has to be built where its maker's binary cannot be had, which takes a minute. */
const driver: Pinned = {
	folder: fileURLToPath(new URL('driver', import.meta.url)),
	name: "n8n's database driver",
	size: { seconds: 30 },
	finish: buildDriver,
};
const BINARY = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

/** Installs the pinned n8n, and meanwhile builds its database driver, unless that has been done. Throws if it cannot. */
export async function ensureHost({
	log,
	version = hostVersion(),
}: {
	log: Log;
	version?: HostVersion;
}): Promise<void> {
	const folder = hostFolder(version);
	const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	const n8n: Pinned = {
		folder,
		name: `n8n ${dependencies.n8n}`,
		size: { gigabytes: 3 },
		// A part of n8n, whose progress is on one line.
		meanwhile: async () => await ensurePinned(driver, () => {}),
		finish: async () => {
			cpSync(join(driver.folder, BINARY), join(folder, BINARY));
			forgetHome(version);
		},
	};
	await ensurePinned(n8n, log);
}

async function buildDriver(): Promise<void> {
	// The compiler takes half of the time with fewer optimizations.
	const env = { CFLAGS: '-O1', CXXFLAGS: '-O1' };
	await npm(driver.folder, ['rebuild', '--ignore-scripts=false', 'sqlite3'], env);
	const probe = startGuarded(process.execPath, ['-e', "require('sqlite3')"], {
		cwd: driver.folder,
	});
	if ((await probe.exited) !== 0)
		throw new Error('sqlite3 was built, but does not load with this Node.');
}
