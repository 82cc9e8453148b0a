// A person with a phone, who answers two requests on the page: by touch and by keyboard, in light and dark, without script, and with what
// axe looks for.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import {
	launchBrowser,
	type BrowserContextOptions,
	type Page,
} from '../../tools/editor/browser.mts';
import { eventually } from './support.mts';

const axe = readFileSync(
	createRequire(new URL('../../tools/editor/package.json', import.meta.url)).resolve(
		'axe-core/axe.min.js',
	),
	'utf8',
);

export const PHONE: BrowserContextOptions = {
	viewport: { width: 360, height: 740 },
	deviceScaleFactor: 2,
	isMobile: true,
	hasTouch: true,
};

/** Findings of axe in a page, and whether the page fits the width of the screen */
export async function findProblems(page: Page): Promise<string[]> {
	// It is run beside the page, whose policy allows no script.
	if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
	return await page.evaluate(`axe.run().then(({ violations }) => {
		const { scrollWidth, clientWidth } = document.documentElement;
		const found = violations.map(({ id, help }) => id + ': ' + help);
		return scrollWidth > clientWidth ? [...found, 'wider than the screen'] : found;
	})`);
}

/** What n8n itself answers while the execution is running or wakes, and the page while another answer is being sent */
const BUSY = /is running already|executing the workflow|Another answer is being sent/;
/** The page's script has the same words, and its text hasn't. */
async function isBusy(page: Page): Promise<boolean> {
	const text = page.locator('body').innerText({ timeout: 5_000 });
	return BUSY.test(await text.catch(() => ''));
}

/** Opens a link, again while the execution is running. Returns what the browser said of the page, and which other addresses it asked. */
export async function openLink(page: Page, url: string): Promise<string[]> {
	const said: string[] = [];
	page.on('console', (message) => said.push(message.text()));
	page.on('request', (request) => said.push(...(request.url() === url ? [] : [request.url()])));
	await eventually(async () => {
		said.length = 0;
		await page.goto(url);
		return !(await isBusy(page));
	});
	return said;
}

/** Waits for a page with this heading after a form was sent. Returns how often the form was sent again by hand, as without script. */
async function untilHeading(page: Page, name: string): Promise<number> {
	let again = 0;
	await eventually(async () => {
		if (await isBusy(page)) {
			again++;
			await page.reload();
		}
		return (await page.getByRole('heading', { name }).count()) > 0;
	});
	return again;
}

/** Sends the form of a page. See `untilHeading` */
export async function sendForm(page: Page, heading = 'Your answer was saved'): Promise<number> {
	await page.getByRole('button', { name: 'Send' }).click();
	return await untilHeading(page, heading);
}

/** Answers two requests on a phone: the first by touch, the second by keyboard, with a reason and a comment. */
export async function answerOnPhone(url: string, beforeSend: () => Promise<void>): Promise<void> {
	const browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
	try {
		for (const colorScheme of ['light', 'dark'] as const) {
			const page = await browser.newPage({ ...PHONE, colorScheme });
			const said = await openLink(page, url);
			const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
			expect(background).toBe(colorScheme === 'light' ? 'rgb(245, 246, 248)' : 'rgb(17, 19, 23)');
			expect(await findProblems(page)).toEqual([]);
			// Nothing of it was blocked, and nothing else was asked for.
			expect(said).toEqual([]);
		}
		const page = await browser.newPage({ ...PHONE, javaScriptEnabled: false });
		await openLink(page, url);
		await page.getByRole('group', { name: '1 of 2' }).getByLabel('Approve once').tap();
		// The second by keyboard: over the details to the next group, down to Deny, to its reason, to the comment, which opens, and to
		// Send.
		await page.keyboard.press('Tab');
		await page.keyboard.press('Tab');
		await page.keyboard.press('ArrowDown');
		expect(await page.getByRole('group', { name: '2 of 2' }).getByLabel('Deny').isChecked()).toBe(
			true,
		);
		await page.keyboard.press('Tab');
		await page.keyboard.type('Change the other page.');
		await page.keyboard.press('Tab');
		await page.keyboard.press('Tab');
		await page.keyboard.press('Enter');
		await page.keyboard.press('Tab');
		await page.keyboard.type('Not that page.');
		await page.keyboard.press('Tab');
		await beforeSend();
		await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
		await untilHeading(page, 'Your answer was saved');
	} finally {
		await browser.close();
	}
}
