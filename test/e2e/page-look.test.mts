// The approval page in Chromium, at the width of a phone and of a desk: nothing scrolls sideways, the choices are in sight, axe finds nothing.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PAGE_HEADERS, renderPage } from '../../nodes/RunAgentSession/page/html.ts';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { pageViews } from './pageViews.mts';
import { findProblems } from './phone.mts';
import { describeWith } from './support.mts';

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
	});
	afterAll(async () => {
		await browser?.close();
		server?.close();
	});

	const SIZES = [
		{ width: 360, height: 740 },
		{ width: 1280, height: 800 },
	];

	async function open(name: string, viewport = SIZES[0]): Promise<Page> {
		const page = await browser.newPage({ colorScheme: 'light', viewport });
		const { port } = server.address() as AddressInfo;
		await page.goto(`http://127.0.0.1:${port}/${name}`);
		return page;
	}

	/** The page's problems in light and dark, at each width */
	async function problemsEverywhere(page: Page): Promise<string[]> {
		const found: string[] = [];
		for (const colorScheme of ['light', 'dark'] as const)
			for (const viewport of SIZES) {
				await page.emulateMedia({ colorScheme });
				await page.setViewportSize(viewport);
				for (const problem of await findProblems(page))
					found.push(`${problem}, ${colorScheme}, ${viewport.width} px`);
			}
		return found;
	}

	test.each(Object.keys(pageViews()))(
		'%s: axe finds nothing, and nothing scrolls sideways, in light and dark, at both widths',
		async (name) => {
			const page = await open(name);
			expect(await problemsEverywhere(page)).toEqual([]);
			for (const summary of await page.locator('summary').all()) await summary.click();
			expect(await problemsEverywhere(page)).toEqual([]);
			await page.close();
		},
	);

	test.each(SIZES)('shows the choices and Send without scrolling at $width px', async (size) => {
		const page = await open('one', size);
		const bar = (await page.locator('.send').boundingBox())!;
		expect(bar.y + bar.height).toBeLessThanOrEqual(size.height);
		for (const name of ['Approve once', 'Deny', 'Always approve']) {
			const { y, height } = (await page.locator('label', { hasText: name }).boundingBox())!;
			expect(y).toBeGreaterThan(0);
			expect(y + height).toBeLessThanOrEqual(bar.y);
			// A target for a thumb
			expect(height).toBeGreaterThanOrEqual(44);
		}
		await page.close();
	});

	test('asks for a reason once Deny is chosen, without script', async () => {
		const page = await browser.newPage({ viewport: SIZES[0], javaScriptEnabled: false });
		const { port } = server.address() as AddressInfo;
		await page.goto(`http://127.0.0.1:${port}/one`);
		const reason = page.getByLabel('Reason');
		expect(await reason.isVisible()).toBe(false);
		await page.getByLabel('Deny').check();
		expect(await reason.isVisible()).toBe(true);
		await page.getByLabel('Approve once').check();
		expect(await reason.isVisible()).toBe(false);
		await page.close();
	});

	test('names the options and the text field of a question for a screen reader', async () => {
		const options = await open('options');
		const group = options.getByRole('group', { name: 'Answer this question' });
		for (const choice of ['Warm', 'Cool'])
			expect(await group.getByRole('radio', { name: choice }).count()).toBe(1);
		await options.close();
		const text = await open('question');
		expect(await text.getByRole('textbox', { name: 'Your answer' }).count()).toBe(1);
		await text.close();
	});

	test('names each group and choice for a screen reader', async () => {
		const page = await open('two');
		for (const name of ['1 of 2 · Run this command', '2 of 2 · Edit these files']) {
			const group = page.getByRole('group', { name });
			for (const choice of ['Approve once', 'Deny', 'Always approve'])
				expect(await group.getByRole('radio', { name: choice }).count()).toBe(1);
		}
		await page.close();
	});
});
