// The program Chromium: found if it is installed, installed if it is missing.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages, onPath, type DebianPackage } from '../../n8n-host/debian.mts';
import { lock, type Log } from '../../n8n-host/pinned.mts';

/** The same browser under its other names. The first has no window, and needs the least processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const findChromium = (): string | undefined => NAMES.map(onPath).find((file) => file !== undefined);

const chromiumPackage: DebianPackage = {
	name: 'chromium-headless-shell',
	program: 'chromium-headless-shell',
	find: findChromium,
};

/** The program, installed if it is missing. `CHROMIUM` may name another browser of its kind. Throws, naming the package, if it is missing and cannot be installed. */
export async function ensureChromium(log: Log): Promise<string> {
	const { CHROMIUM: chosen } = process.env;
	if (chosen) {
		if (existsSync(chosen)) return chosen;
		throw new Error(`CHROMIUM is "${chosen}", and there is no such file.`);
	}
	const found = findChromium();
	if (found) return found;
	// Tests in several processes want it at once, and apt-get does not wait for another's list of packages.
	const unlock = await lock(join(tmpdir(), 'workspace-automation-chromium'), log);
	try {
		await ensurePackages([chromiumPackage], log);
	} finally {
		unlock();
	}
	return findChromium()!;
}
