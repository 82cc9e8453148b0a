// The approval page in Chromium at the size of a phone, in a real n8n: a preview, a quiet session, a service that is down, two approvers at once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { messages, openPage, withPage } from './page.mts';
import { around, expectSuccess, pausing, startLive, usePausingStage } from './pausing.mts';
import { findProblems, openLink, PHONE, sendForm } from './phone.mts';
import {
	arrived,
	callApi,
	describeWith,
	eventually,
	projectId,
	requestCount,
	requestsSince,
	workspaceAutomation,
} from './support.mts';

const stage = usePausingStage({ twice: true });

const executions: Record<string, string> = {};

async function begin(
	name: string,
	script: string,
	parameters: Record<string, unknown>,
	file = withPage(name, [`${name}: ${script}`], parameters),
): Promise<void> {
	executions[name] = (await startLive(stage.host, file)).executionId;
}

const links = async (name: string, count = 1): Promise<string[]> =>
	(await messages(stage, executions[name], count)).map(({ url }) => url);

const outcome = async (name: string) => await stage.host.waitForExecution(executions[name]);

async function ended(name: string) {
	const execution = await outcome(name);
	expectSuccess(execution);
	return arrived(execution, 'Completed');
}

const sessionOf = async (name: string) =>
	(await stage.service.sessions()).find(({ prompt }) => prompt.startsWith(`${name}: `))!;

/** The ends of the paths of what the service got for a workflow's session, beside its start and readings */
async function effects(name: string): Promise<string[]> {
	const { sessionId } = await sessionOf(name);
	const sent = await requestsSince(stage, 0);
	return sent
		.filter(({ method, path }) => method === 'POST' && path.includes(sessionId))
		.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
}

describeWith('Chromium')('on a phone', () => {
	let browser: Browser;

	async function open(url: string, javaScriptEnabled = true): Promise<Page> {
		const page = await browser.newPage({ ...PHONE, javaScriptEnabled });
		await openLink(page, url);
		return page;
	}

	beforeAll(async () => {
		browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
		const [site] = (await stage.service.control.seed()).sites.filter(
			(each) => each.projectId === projectId,
		);
		const preview = { page: { siteId: site.id, route: '/pricing' } };
		await begin('preview', '[change content: => New prices] [ask edit: prices.html] [say Done]', {
			options: { preview },
		});
		const quiet = { options: { askIfQuiet: 5 } };
		for (const name of ['quiet', 'abort', 'active']) await begin(name, '[quiet]', quiet);
		const nudge = workspaceAutomation('Nudge', 'agentSession.sendMessage', {
			sessionId: '={{ $json.sessionId }}',
			message: '[say Done]',
		});
		await begin(
			'running',
			'',
			{},
			around(
				'running',
				[{ prompt: 'running: [quiet]' }],
				pausing({ ...quiet, whileWaiting: 'keepRunning', maxWait: 600 }),
				{ more: [nudge], follows: { Approval: [['Nudge']] } },
			),
		);
		const asks = '[ask bash: npm publish] [say Went on.]';
		const approver = ['Anna', 'Ben'].map((name) => ({ name, contact: name }));
		const approvals = { approvers: { approver }, approvalsNeeded: 2 };
		await begin('team', asks, { approvals });
		for (const name of ['down', 'down without script']) await begin(name, asks, {});
	});
	afterAll(async () => await browser?.close());

	test('an approver opens the preview in a new tab, and sees the edit there after its approval', async () => {
		const [{ url, text }] = await messages(stage, executions.preview);
		const page = await open(url);
		expect(await findProblems(page)).toEqual([]);
		const link = page.getByRole('link', { name: 'Open the preview' });
		const previewUrl = (await link.getAttribute('href'))!;
		expect(text).toContain(`Preview: ${previewUrl}`);
		await page
			.getByText(`(the service’s page on ${new URL(previewUrl).host}, in a new tab)`)
			.waitFor();
		const [tab] = await Promise.all([page.context().waitForEvent('page'), link.tap()]);
		await tab.getByText('Preview of /pricing').waitFor();
		expect(tab.url()).toBe(previewUrl);
		expect(await tab.content()).not.toContain('New prices');
		await page.getByLabel('Approve once').check();
		expect(await sendForm(page)).toBe(0);
		expect(await ended('preview')).toMatchObject([{ text: 'Done', previewUrl }]);
		await tab.reload();
		await tab.getByText('New prices').waitFor();
		const asked = (await requestsSince(stage, 0)).filter(({ path }) => path === '/shared-previews');
		expect(asked).toHaveLength(1);
	});

	test('a quiet session is asked about again after Keep waiting, and gets a message once', async () => {
		const [first] = await links('quiet');
		const page = await open(first);
		await page.getByRole('heading', { name: 'The session has been quiet for 5 minutes' }).waitFor();
		expect(await findProblems(page)).toEqual([]);
		await page.getByLabel('Keep waiting').check();
		expect(await sendForm(page)).toBe(0);
		const [, second] = await links('quiet', 2);
		expect(await effects('quiet')).toEqual([]);
		await openLink(page, second);
		await page.getByLabel('Send a message').check();
		await page.getByRole('textbox', { name: 'Message' }).fill('[say Done]');
		expect(await sendForm(page)).toBe(0);
		expect(await ended('quiet')).toMatchObject([
			{
				text: 'Done',
				decisions: [
					{ kind: 'quiet', answer: 'Keep waiting', decidedBy: 'page', state: 'confirmed' },
					{ kind: 'quiet', answer: '[say Done]', decidedBy: 'page', state: 'confirmed' },
				],
			},
		]);
		expect(await effects('quiet')).toEqual(['messages']);
	});

	test('a quiet session is aborted once', async () => {
		const page = await open((await links('abort'))[0]);
		await page.getByLabel('Abort the session').check();
		expect(await sendForm(page)).toBe(0);
		const { error } = await outcome('abort');
		expect(error?.message).toBe('The session was quiet for 5 minutes and was aborted');
		expect(await effects('abort')).toEqual(['abort']);
	});

	test('activity takes the question back: an answer decides nothing, and the page says so', async () => {
		const [url] = await links('active');
		const page = await open(url);
		await page.getByLabel('Abort the session').check();
		const { sessionId } = await sessionOf('active');
		const text = '[work 10m] [say Done]';
		await callApi(stage, 'POST', `/agent/sessions/${sessionId}/messages`, { text });
		const title = 'The session is active again';
		await eventually(async () => (await openPage(url)).title === title);
		expect(await sendForm(page, title)).toBe(0);
		await page.getByText('Your new answer wasn’t saved.').waitFor();
		expect(await ended('active')).toMatchObject([{ text: 'Done', decisions: [] }]);
		expect(await effects('active')).toEqual(['messages']);
	});

	test('while the execution keeps running, the item about a quiet session has no link, and others decide', async () => {
		expect(await ended('running')).toMatchObject([{ text: 'Done', decisions: [] }]);
		const asked = arrived(await outcome('running'), 'Approval');
		expect(asked).toMatchObject([{ pendingInteractions: [], status: 'running' }]);
		expect(asked[0].message).toContain('There’s no approval page while the execution runs.');
		expect(asked[0]).not.toHaveProperty('approvalUrl');
		expect(await effects('running')).toEqual(['messages']);
	});

	test('the answers of two approvers right after each other both count, and nobody sees n8n’s own answer', async () => {
		const urls = await links('team', 2);
		const pages = await Promise.all(urls.map(async (url) => await open(url)));
		for (const page of pages) await page.getByLabel('Approve once').check();
		for (const page of pages) expect(await sendForm(page)).toBe(0);
		const [{ decisions }] = await ended('team');
		expect(decisions).toMatchObject([
			{ decision: 'approve', approvers: [{ name: 'Anna' }, { name: 'Ben' }] },
		]);
		expect(await effects('team')).toEqual(['resolve']);
	});

	test('while the service is down, an answer is kept and can be replaced, and the last one is sent once', async () => {
		const { control } = stage.service;
		const both = await Promise.all(
			['down', 'down without script'].map(async (name) => {
				const [url] = await links(name);
				const page = await open(url, name === 'down');
				return { name, url, page };
			}),
		);
		await control.addFaults({ operationId: '*', kind: 'status', status: 503, times: 0 });
		for (const { name, page } of both) {
			const { sessionId } = await sessionOf(name);
			await page.getByLabel('Approve once').check();
			const since = await requestCount(stage);
			const again = await sendForm(page);
			if (name === 'down') expect(again).toBe(0);
			await page.getByText('It will be sent to the agent').waitFor();
			await eventually(async () =>
				(await requestsSince(stage, since)).some(({ path }) => path.includes(sessionId)),
			);
		}
		await control.clearFaults();
		await control.addFaults({ operationId: '*', kind: 'reset', times: 0 });
		for (const { name, url, page } of both) {
			await openLink(page, url);
			await page.getByRole('heading', { name: 'Your answer is saved and will be sent' }).waitFor();
			await page.getByText('You approved this once').waitFor();
			if (name === 'down') expect(await findProblems(page)).toEqual([]);
			await page.getByText('Change the answer').click();
			await page.getByLabel('Deny').check();
			const again = await sendForm(page);
			if (name === 'down') expect(again).toBe(0);
			await openLink(page, url);
			await page.getByText('You denied this').waitFor();
		}
		expect(await Promise.all(both.map(async ({ name }) => await effects(name)))).toEqual([[], []]);
		await control.clearFaults();
		for (const { name } of both) {
			expect(await ended(name)).toMatchObject([
				{ decisions: [{ decision: 'deny', decidedBy: 'page', state: 'confirmed' }] },
			]);
			expect(await effects(name)).toEqual(['resolve']);
			const { interactions } = await sessionOf(name);
			expect(interactions).toMatchObject([{ value: 'reject' }]);
		}
	});
});
