// Chromium, to open the editor in.
import type { Browser } from 'playwright-core';
import type { Log } from '../../n8n-host/pinned.mts';
import { ensureParts } from '../parts.mts';
import { ensureChromium } from './chromium.mts';

export type {
	Browser,
	BrowserContext,
	BrowserContextOptions,
	Locator,
	Page,
} from 'playwright-core';

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

/** Starts Chromium without a window. Installs it and what drives it where they are missing; throws, naming the package, if it cannot. */
export async function launchBrowser(log: Log): Promise<Browser> {
	await ensureParts(['browser'], log);
	const { chromium, selectors } = await import('playwright-core');
	// n8n's own name for it
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath: await ensureChromium(log), args: QUIET });
}
