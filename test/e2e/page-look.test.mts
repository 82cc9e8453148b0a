// The approval page in Chromium, at the width of a phone and of a desk: nothing scrolls sideways, the choices are in sight, axe finds nothing.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PAGE_HEADERS, renderPage } from '../../nodes/RunAgentSession/approval/page/html.ts';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { pageViews } from './pageViews.mts';
import { findProblems } from './phone.mts';
import { describeWith, STAGE_TIMEOUT_MS } from './support.mts';

const describe = describeWith('Chromium');

describe('the approval page', () => {
	let browser: Browser;
	let server: Server;
	beforeAll(async () => {
		const views = pageViews();
		server = createServer(({ url }, response) => {
			const view = views[url!.slice(1) as keyof typeof views];
			if (view) response.writeHead(200, PAGE_HEADERS).end(renderPage(view));
			else response.writeHead(404).end();
		}).listen(0, '127.0.0.1');
		browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
	}, STAGE_TIMEOUT_MS);
	afterAll(async () => {
		await browser?.close();
		server?.close();
	});

	async function open(name: string, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
		const height = width < 700 ? 740 : 800;
		const page = await browser.newPage({ colorScheme, viewport: { width, height } });
		const { port } = server.address() as AddressInfo;
		await page.goto(`http://127.0.0.1:${port}/${name}`);
		return page;
	}

	const all = Object.keys(pageViews()).flatMap((name) =>
		(['light', 'dark'] as const).flatMap((scheme) =>
			[360, 1280].map((width) => [name, scheme, width] as const),
		),
	);

	test.each(all)(
		'%s, %s, %i px: axe finds nothing, and nothing scrolls sideways',
		async (...at) => {
			const page = await open(...at);
			expect(await findProblems(page)).toEqual([]);
			for (const summary of await page.locator('summary').all()) await summary.click();
			expect(await findProblems(page)).toEqual([]);
			await page.close();
		},
	);

	test.each([360, 1280])('shows the choices and Send without scrolling at %i px', async (width) => {
		const page = await open('one', 'light', width);
		const bar = (await page.locator('.send').boundingBox())!;
		expect(bar.y + bar.height).toBeLessThanOrEqual(width < 700 ? 740 : 800);
		for (const name of ['Approve once', 'Deny', 'Always approve']) {
			const { y, height } = (await page.locator('label', { hasText: name }).boundingBox())!;
			expect(y).toBeGreaterThan(0);
			expect(y + height).toBeLessThanOrEqual(bar.y);
			// A target for a thumb
			expect(height).toBeGreaterThanOrEqual(44);
		}
		await page.close();
	});

	test('names each group and choice for a screen reader', async () => {
		const page = await open('two', 'light', 360);
		for (const name of ['1 of 2 · Run this command', '2 of 2 · Edit these files']) {
			const group = page.getByRole('group', { name });
			for (const choice of ['Approve once', 'Deny', 'Always approve'])
				expect(await group.getByRole('radio', { name: choice }).count()).toBe(1);
		}
		await page.close();
	});
});
