// npm run screenshots: pictures of the real editor for the README, into docs/images/.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Host } from '../n8n-host/host.mts';
import { stopAllGuarded } from '../n8n-host/guarded.mts';
import { exampleWorkflow, setStage } from './demoStage.mts';

const NODE = 'Run Agent Session';
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const quiet = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
	'--disable-quic',
];

function findBrowser(): string {
	const found = process.env.CHROMIUM ?? browsers.find((file) => existsSync(file));
	if (found) return found;
	throw new Error('Chromium is missing. On Debian: apt-get install -y chromium. Elsewhere set CHROMIUM to the path of a Chromium or Chrome.');
}

/** A page that is logged in, with every hint for newcomers out of the way. */
async function openEditor(browser: Browser, host: Host, colorScheme: 'light' | 'dark'): Promise<Page> {
	const context = await browser.newContext({
		viewport: { width: 1440, height: 900 },
		deviceScaleFactor: 2,
		colorScheme,
		locale: 'en-US',
	});
	const browserId = 'screenshots';
	await context.addInitScript(
		([id, theme]) => {
			const storage = (globalThis as any).localStorage;
			storage.setItem('n8n-browserId', id);
			storage.setItem('N8N_THEME', theme);
		},
		[browserId, colorScheme],
	);
	const login = await context.request.post(`${host.url}/rest/login`, {
		headers: { 'browser-id': browserId },
		data: { emailOrLdapLoginId: host.login.email, password: host.login.password },
	});
	if (!login.ok()) throw new Error(`n8n refused the login: ${login.status()}`);
	return await context.newPage();
}

async function takePictures(page: Page, workflowUrl: string, suffix: string): Promise<string[]> {
	const file = (name: string) => join(images, `${name}${suffix}.png`);
	await page.goto(workflowUrl);
	const canvas = page.getByTestId('canvas');
	await page.locator(`[data-test-id="canvas-node"][data-node-name="${NODE}"]`).waitFor();
	await page.waitForTimeout(1500);
	await canvas.screenshot({ path: file('workflow') });

	await page.locator(`[data-test-id="canvas-node"][data-node-name="${NODE}"]`).dblclick();
	await page.waitForTimeout(1500);
	await page.screenshot({ path: file('run-agent-session') });
	return [file('workflow'), file('run-agent-session')];
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => void stopAllGuarded().then(() => process.exit(1)));
}

try {
	const executablePath = findBrowser();
	mkdirSync(images, { recursive: true });
	const stage = await setStage(console.log);
	const browser = await chromium.launch({ executablePath, args: quiet });
	try {
		const workflowId = await stage.host.importWorkflow(exampleWorkflow('run-agent-session'));
		for (const [scheme, suffix] of [['light', ''], ['dark', '-dark']] as const) {
			const page = await openEditor(browser, stage.host, scheme);
			for (const file of await takePictures(page, stage.host.workflowUrl(workflowId), suffix)) console.log(file);
			await page.context().close();
		}
	} finally {
		await browser.close();
		await stage.close();
	}
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
