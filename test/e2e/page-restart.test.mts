// Approvers select Send at each moment of a restart, in Chromium: while n8n is down, starts, recovers, and executes the node.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { messages, withPage } from './page.mts';
import { startLive, usePausingStage } from './pausing.mts';
import { openLink, PHONE } from './phone.mts';
import { arrived, describeWith, eventually, sessionsFor } from './support.mts';

const stage = usePausingStage();

/** Approvers, of whom the last ones have a browser without scripts */
const COUNT = 16;
const WITHOUT_SCRIPTS = 4;
const BETWEEN_MS = 1_500;
/** Longer than n8n's recovery */
const RECOVERY_MS = 60_000;
/** How long n8n is down before it's started again */
const DOWN_MS = 5_000;

const DESK = { viewport: { width: 1280, height: 800 } };

/** What n8n itself and what is in front of it respond with */
const FOREIGN = /\{"|stacktrace|Cannot (GET|POST)|is running already|has finished/;
const SAVED = /^(Your answer (was saved|is saved and will be sent)|Already answered)$/;
const GAVE_UP = 'Your answer may have been saved.';

interface Approver {
	prompt: string;
	choice: 'Approve once' | 'Deny';
	executionId: string;
	url: string;
	page: Page;
	hasScripts: boolean;
}

describeWith('Chromium')('an answer that is sent in a restart of n8n', () => {
	let browser: Browser;
	const approvers: Approver[] = [];

	const textOf = async ({ page }: Approver): Promise<string> =>
		await page
			.locator('body')
			.innerText({ timeout: 5_000 })
			.catch(() => '');
	const headingOf = async ({ page }: Approver): Promise<string> =>
		(
			await page
				.locator('h1')
				.allInnerTexts()
				.catch(() => [])
		)[0] ?? '';

	const send = async ({ page, choice }: Approver): Promise<void> => {
		await page.getByLabel(choice).check();
		// Without scripts, the browser waits for a response that may not come.
		await page.getByRole('button', { name: 'Send' }).click({ noWaitAfter: true });
	};

	/** Waits until the page says what came of its form. Returns its heading, or nothing if it gave up. */
	const untilSettled = async (each: Approver): Promise<string> =>
		await eventually(async () => {
			const text = await textOf(each);
			if (each.hasScripts) expect(text).not.toMatch(FOREIGN);
			if (text.includes(GAVE_UP)) return 'gave up';
			const heading = await headingOf(each);
			return SAVED.test(heading) ? heading : undefined;
		});

	beforeAll(async () => {
		browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
		for (let at = 0; at < COUNT; at++) {
			const prompt = `restart ${at}: [ask bash: npm publish] [say Went on.]`;
			const file = withPage(`restart ${at}`, [prompt]);
			const { executionId } = await startLive(stage.host, file);
			const [{ url }] = await messages(stage, executionId);
			const hasScripts = at < COUNT - WITHOUT_SCRIPTS;
			const page = await browser.newPage({
				...(at % 3 === 0 ? DESK : PHONE),
				colorScheme: at % 4 < 2 ? 'light' : 'dark',
				javaScriptEnabled: hasScripts,
			});
			const choice = at % 2 === 0 ? 'Approve once' : 'Deny';
			approvers.push({ prompt, choice, executionId, url, page, hasScripts });
		}
	});
	afterAll(async () => await browser?.close());

	test('counts if the page calls it saved, and nobody sees what n8n itself responds with', async () => {
		for (const { page, url } of approvers) await openLink(page, url);
		const slow = { operationId: 'getAgentSession', kind: 'latency', ms: 3_000, times: 0 } as const;
		const readStatus = async ({ executionId }: Approver): Promise<string> =>
			(await stage.host.rest.get(`/executions/${executionId}`)).status;
		await eventually(async () =>
			(await Promise.all(approvers.map(readStatus))).every((status) => status === 'waiting'),
		);
		await stage.kill();
		await stage.service.control.addFaults(slow);
		const restarted = sleep(DOWN_MS).then(async () => await stage.restart());
		// Half of them don't wait for each other, so that all moments have several.
		const early = approvers.filter((_, at) => at % 2 === 0);
		for (const each of early) {
			await send(each);
			await sleep(BETWEEN_MS);
		}
		await restarted;
		for (const each of approvers.filter((other) => !early.includes(other))) {
			await send(each);
			await sleep(BETWEEN_MS / 4);
		}
		await stage.service.control.clearFaults();
		const headings: Record<string, string> = {};
		for (const each of approvers) {
			if (each.hasScripts) headings[each.prompt] = await untilSettled(each);
			else if (SAVED.test(await headingOf(each))) headings[each.prompt] = await headingOf(each);
		}
		// While it recovers, n8n 2 calls executions crashed that it resumes. An execution that was killed in a wake stays crashed, and no
		// page may call its answer saved.
		const recoveredBy = Date.now() + RECOVERY_MS;
		const resumed: Approver[] = [];
		for (const each of approvers) {
			const status = await eventually(async () => {
				const found = await readStatus(each);
				const isOpen = found === 'running' || (found === 'crashed' && Date.now() < recoveredBy);
				return isOpen ? undefined : found;
			});
			if (status === 'crashed') expect(headings[each.prompt] ?? '').not.toMatch(SAVED);
			else resumed.push(each);
		}
		expect(resumed.length).toBeGreaterThan(COUNT / 2);
		// The others open their link again, and send their answer if it isn't there.
		for (const each of resumed.filter(({ prompt }) => !SAVED.test(headings[prompt] ?? ''))) {
			await eventually(async () => {
				if ((await readStatus(each)) === 'success') return true;
				await each.page.goto(each.url).catch(() => undefined);
				const heading = await headingOf(each);
				if (heading === 'The agent needs your approval') await send(each);
				return SAVED.test(heading);
			});
		}
		for (const { prompt, choice, executionId } of resumed) {
			const execution = await eventually(async () => {
				const found = await stage.host.waitForExecution(executionId);
				return found.status === 'success' ? found : undefined;
			});
			const decision = choice === 'Deny' ? 'deny' : 'approve';
			expect(arrived(execution, 'Completed')).toMatchObject([
				{ decisions: [{ decision, decidedBy: 'page', state: 'confirmed' }] },
			]);
			const value = choice === 'Deny' ? 'reject' : 'once';
			expect(await sessionsFor(stage, prompt)).toMatchObject([{ interactions: [{ value }] }]);
		}
	});
});
