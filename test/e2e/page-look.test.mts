// The approval page in Chromium, at the width of a phone and of a desk: nothing scrolls sideways, the choices are in sight, axe finds nothing.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PAGE_HEADERS, renderPage } from '../../nodes/RunAgentSession/page/html.ts';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { NOW, pageViews } from './pageViews.mts';
import { findProblems } from './phone.mts';
import { describeWith } from './support.mts';

const describe = describeWith('Chromium');

describe('the approval page', () => {
	let browser: Browser;
	let server: Server;
	/** Forms that were sent */
	let forms: string[] = [];
	/** What the next forms are answered with, instead of a page of ours: the status 0 ends the connection, and undefined never responds. */
	let refusals: Array<{ status: number; text: string } | undefined> = [];

	async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		forms.push(Buffer.concat(chunks).toString());
		if (refusals.length === 0) {
			response.writeHead(200, PAGE_HEADERS).end(renderPage(pageViews().sent, NOW));
			return;
		}
		const refusal = refusals.shift();
		if (refusal?.status === 0) response.destroy();
		else if (refusal)
			// n8n's error keeps the content type that a node has set.
			response.writeHead(refusal.status, { 'Content-Type': 'text/html' }).end(refusal.text);
	}

	beforeAll(async () => {
		const views = pageViews();
		server = createServer((request, response) => {
			const view = views[request.url!.slice(1) as keyof typeof views];
			if (request.method === 'POST') void receive(request, response);
			else if (view) response.writeHead(200, PAGE_HEADERS).end(renderPage(view, NOW));
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

	test.each([
		['one', ['Approve once', 'Deny', 'Always approve']],
		['preview', ['Approve once', 'Deny', 'Always approve']],
		['quiet', ['Keep waiting', 'Send a message', 'Abort the session']],
		['quietPreview', ['Keep waiting', 'Send a message', 'Abort the session']],
	])('%s: shows the choices and Send without scrolling', async (view, names) => {
		for (const size of SIZES) {
			const page = await open(view, size);
			const bar = (await page.locator('.send').boundingBox())!;
			expect(bar.y + bar.height).toBeLessThanOrEqual(size.height);
			for (const name of names) {
				const { y, height } = (await page.locator('label', { hasText: name }).boundingBox())!;
				expect(y).toBeGreaterThan(0);
				expect(y + height).toBeLessThanOrEqual(bar.y);
				// A target for a thumb
				expect(height).toBeGreaterThanOrEqual(44);
			}
			await page.close();
		}
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

	test.each([
		['the execution is running', 409, 'The execution "7" is running already.'],
		['n8n recovers', 409, 'The execution "7" has finished already.'],
		['n8n wakes the execution', 500, 'There was a problem executing the workflow'],
		['n8n is overloaded', 503, 'Database is not ready!'],
		['n8n starts', 404, 'Cannot POST /webhook-waiting/7'],
		['n8n is down behind a proxy', 502, '<!doctype html><title>Bad Gateway</title>'],
		['n8n is down', 0, ''],
	])('sends the form again while %s, and keeps what was chosen', async (_, status, text) => {
		forms = [];
		refusals = [0, 1].map(() => ({ status, text }));
		const page = await open('one');
		await page.getByLabel('Deny').check();
		await page.getByLabel('Reason').fill('Use the staging site.');
		await page.getByRole('button', { name: 'Send' }).click();
		const sending = page.getByRole('button', { name: 'Sending…' });
		expect(await sending.isDisabled()).toBe(true);
		await page.getByRole('heading', { name: 'Your answer was saved' }).waitFor();
		expect(forms).toHaveLength(3);
		expect(new Set(forms).size).toBe(1);
		expect(forms[0]).toContain('request0=1&reason0=Use+the+staging+site.');
		await page.close();
	});

	const MAYBE = 'Your answer may have been saved. Open the link again to see it';

	test.each([
		[404, '{"code":404,"message":"The execution \\"7\\" does not exist."}'],
		[200, '<!doctype html>\n<title>Log in</title>'],
		[200, '{"message":"Workflow was started"}'],
	])('shows no response that is not a page of ours: %d %s', async (status, text) => {
		forms = [];
		refusals = [{ status, text }];
		const page = await open('one');
		await page.getByLabel('Approve once').check();
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByText(MAYBE).waitFor();
		expect(forms).toHaveLength(1);
		expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
		expect(await page.getByLabel('Approve once').isChecked()).toBe(true);
		expect(await findProblems(page)).toEqual([]);
		await page.close();
	});

	test('gives up after a minute, also if n8n does not respond at all, and says what may have happened', async () => {
		const page = await browser.newPage({ viewport: SIZES[0] });
		await page.clock.install();
		const { port } = server.address() as AddressInfo;
		await page.goto(`http://127.0.0.1:${port}/one`);
		await page.getByLabel('Approve once').check();
		refusals = [{ status: 500, text: '{}' }, undefined];
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByText('There’s no confirmation yet').waitFor();
		await page.clock.fastForward(59_000);
		expect(await page.getByRole('button', { name: 'Sending…' }).isDisabled()).toBe(true);
		await page.clock.fastForward(2_000);
		await page.getByText(MAYBE).waitFor();
		expect(await page.getByLabel('Approve once').isChecked()).toBe(true);
		await page.close();
	});

	test.each([true, false])(
		'jumps to the request that lacks a choice (script %s)',
		async (javaScriptEnabled) => {
			const page = await browser.newPage({ viewport: SIZES[0], javaScriptEnabled });
			const { port } = server.address() as AddressInfo;
			await page.goto(`http://127.0.0.1:${port}/missing`);
			const group = page.getByRole('group', { name: '2 of 2' });
			const { y } = (await group.getByText('Choose for this request.').boundingBox())!;
			const bar = (await page.locator('.send').boundingBox())!;
			expect(y).toBeGreaterThan(0);
			expect(y).toBeLessThan(bar.y);
			expect(
				await page.getByRole('group', { name: '1 of 2' }).getByLabel('Approve once').isChecked(),
			).toBe(true);
			await page.close();
		},
	);

	test('folds the choices of a request that has an answer, and Send and the comment with them', async () => {
		const page = await browser.newPage({ viewport: SIZES[0], javaScriptEnabled: false });
		const { port } = server.address() as AddressInfo;
		await page.goto(`http://127.0.0.1:${port}/answered`);
		const group = page.getByRole('group', { name: '1 of 3' });
		const send = page.getByRole('button', { name: 'Send' });
		const comment = page.getByText('Add a comment');
		const visible = async () =>
			await Promise.all(
				[group.getByLabel('Deny'), send, comment].map(async (each) => await each.isVisible()),
			);
		expect(await visible()).toEqual([false, false, false]);
		await group.getByText('Change the answer').click();
		expect(await visible()).toEqual([true, true, true]);
		await page.close();
	});
});
