// Chromium, to open the editor in: found if it is installed, installed if it is missing.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, selectors, type Browser } from 'playwright-core';
import { ensurePackages, onPath, type DebianPackage } from '../../n8n-host/debian.mts';
import { lock, type Log } from '../../n8n-host/pinned.mts';

export type {
	Browser,
	BrowserContext,
	BrowserContextOptions,
	Locator,
	Page,
} from 'playwright-core';

/** The same browser under its other names */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const findChromium = (): string | undefined => NAMES.map(onPath).find((file) => file !== undefined);

const chromiumPackage: DebianPackage = {
	name: 'chromium',
	program: 'chromium',
	find: findChromium,
};

const QUIET = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
	'--disable-quic',
	'--disable-dev-shm-usage',
];

// n8n's own name for it
selectors.setTestIdAttribute('data-test-id');

/** Starts Chromium without a window; `CHROMIUM` may name another browser of its kind. Throws, naming the package, if it is missing and cannot be installed. */
export async function launchBrowser(log: Log): Promise<Browser> {
	return await chromium.launch({ executablePath: await ensureChromium(log), args: QUIET });
}

/** The program, installed if it is missing. Throws as `launchBrowser` does. */
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
