// npm run demo, as someone meets it: a result in the terminal, and then the same result in the editor.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startGuarded, type Guarded } from '../../n8n-host/guarded.mts';
import { launchBrowser, type Browser } from '../../tools/editor/browser.mts';
import { openPanel } from '../../tools/editor/canvas.mts';
import { openSession } from '../../tools/editor/signIn.mts';
import { describeWith, eventually, NODE } from './support.mts';

const describe = describeWith('Chromium');
const root = `${import.meta.dirname}/../..`;

let browser: Browser;
let demo: Guarded;

beforeAll(async () => {
	browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
});
afterAll(async () => {
	await browser?.close();
});
afterEach(async () => {
	await demo?.stop();
});

describe('the demo', () => {
	test('shows in the editor the result that it printed', async () => {
		const printed: string[] = [];
		demo = startGuarded(process.execPath, ['tools/demo.mts', '--built'], {
			cwd: root,
			onLine: (line) => printed.push(line),
		});
		/** Returns the text after a word at the beginning of a line. */
		const fact = (name: string) =>
			printed
				.find((line) => line.startsWith(`${name} `))
				?.slice(name.length)
				.trim();
		const password = await eventually(async () => fact('Password'));
		const [session, agent, result] = ['Session', 'Agent', 'Result'].map((name) => fact(name)!);
		expect(fact('Status')).toBe('completed');

		const host = { url: new URL(result).origin, login: { email: fact('Email')!, password } };
		const context = await openSession(browser, host, { viewport: { width: 1360, height: 1000 } });
		const page = await context.newPage();
		await page.goto(result);
		const panel = await openPanel(page, NODE);
		await panel.selectOutputView('json');
		for (const seen of [session, agent, 'completed'])
			await panel.output.getByText(`"${seen}"`).first().waitFor();
	});
});
