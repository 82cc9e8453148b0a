// The editor as people see it, in a real browser: what they look for, fill in, press and read.
import { expect, test } from '@jest/globals';
import { hostVersion, type HostVersion } from '../../n8n-host/versions.mts';
import { playChat } from '../../tools/chatPicture.mts';
import { addAction, openPanel, searchNodes } from '../../tools/editor/canvas.mts';
import { createCredential, openCredential } from '../../tools/editor/credentialForm.mts';
import { findError, read, useEditor } from './editor.mts';
import {
	agentSession,
	chain,
	connect,
	describeWith,
	editFields,
	eventually,
	manualTrigger,
	node,
	NODE,
	workflow,
} from './support.mts';

const describe = describeWith('Chromium');

const editor = useEditor();

const justStarted = chain('Just started', [manualTrigger()]);

describe('the node panel', () => {
	test('finds the nodes by common search words', async () => {
		await editor.open(justStarted);
		for (const [typed, names] of [
			['agent', ['Run Agent Session', 'Workspace Automation']],
			['permission', ['Run Agent Session', 'Workspace Automation']],
			['workspace', ['Run Agent Session', 'Workspace Automation']],
			['workspace automation', ['Run Agent Session', 'Workspace Automation']],
			['task', ['Run Agent Session', 'Workspace Automation']],
			['analytics', ['Workspace Automation']],
		] as const) {
			const found = await searchNodes(editor.page, typed);
			for (const name of names) await found.getByText(name, { exact: true }).waitFor();
			await searchNodes(editor.page, '');
			await found.getByText('Run Agent Session', { exact: true }).waitFor({ state: 'hidden' });
		}
	});
});

/** Message of the form about a refused key. n8n 1 has its own words. */
const REFUSED: Record<HostVersion, string> = {
	'2.41':
		"The API key was refused. Check that it is complete and still exists in the service's settings.",
	'1.123': 'Authorization failed - please check your credentials',
};

describe('a new user', () => {
	test('finds the node, creates a credential, chooses a project, writes prompt and rules, and runs it', async () => {
		const workflowId = await editor.open(justStarted);
		const found = await searchNodes(editor.page, 'permission');
		let panel = await addAction(editor.page, found, NODE, 'Start agent session and wait');

		const form = await createCredential(editor.page, panel);
		await form.type('baseUrl', editor.stage.service.baseUrl);
		await form.type('accessToken', 'not-a-key');
		await form.saveAndTest();
		await form.root.getByText('Couldn’t connect with these settings').waitFor();
		await form.root.getByText('More details').click();
		await form.root.getByText(REFUSED[hostVersion()]).waitFor();

		await form.type('accessToken', editor.stage.service.key);
		await form.saveAndTest();
		// n8n 2 closes the form when all is well, n8n 1 says so in it.
		const well = form.root
			.getByText('Connection tested successfully')
			.or(editor.page.getByText('Credential saved'));
		await well.first().waitFor();
		if (await form.root.isVisible()) await form.close();
		const again = await openCredential(editor.page, panel);
		await again.root.getByText('Connection tested successfully').waitFor();
		await again.close();

		const list = await panel.openList('projectId');
		await list.search('velvet tr');
		await list.pick('Velvet Travel');
		const prompt =
			'Check every page. [ask bash: npm run build] [ask bash: git push] [say All pages are fine.]';
		await panel.fill('prompt', prompt);
		await panel.choose('permissionPolicy', 'Decide by Rules');
		await panel.root
			.getByTestId('fixed-collection-permissionRules')
			.getByRole('button', { name: 'Add Rule' })
			.click();
		await panel.fill('permission', 'bash');
		await panel.fill('pattern', 'npm run build');
		await panel.choose('decision', 'Approve');
		await panel.choose('defaultDecision', 'Deny');
		const permissionRules = {
			rule: [{ permission: 'bash', pattern: 'npm run build', decision: 'approve' }],
		};
		panel = await editor.saved(panel, workflowId, NODE, {
			prompt,
			permissionPolicy: 'rules',
			permissionRules,
			defaultDecision: 'deny',
		});
		await panel.execute();

		await panel.showOutput('Completed');
		await panel.selectOutputView('json');
		await panel.output.getByText('All pages are fine.').first().waitFor();
		const [session] = (await editor.stage.service.sessions()).slice(-1);
		const { projects } = await editor.stage.service.control.seed();
		expect(session).toMatchObject({
			status: 'completed',
			projectId: projects.find(({ name }) => name === 'Velvet Travel')!.id,
			interactions: [
				{ patterns: ['npm run build'], value: 'once' },
				{ patterns: ['git push'], value: 'reject' },
			],
		});
	});
});

describe('the list of projects', () => {
	test('shows a page, and the next page at its end', async () => {
		await editor.open(
			chain('Projects', [
				manualTrigger(),
				agentSession({ projectId: { __rl: true, mode: 'list', value: '' }, prompt: 'Hello' }),
			]),
		);
		const panel = await openPanel(editor.page, NODE);
		const { projects } = await editor.stage.service.control.seed();

		const list = await panel.openList('projectId');
		expect(await list.entries.count()).toBe(100);
		await list.scrollToEnd();
		await list.entries.nth(projects.length - 1).waitFor();
		expect(await list.entries.allInnerTexts()).toEqual(projects.map(({ name }) => name));
	});

	test('is searched on all pages, by a part of the name in any case', async () => {
		await editor.open(
			chain('Projects', [
				manualTrigger(),
				agentSession({ projectId: { __rl: true, mode: 'list', value: '' }, prompt: 'Hello' }),
			]),
		);
		const panel = await openPanel(editor.page, NODE);
		const { projects } = await editor.stage.service.control.seed();
		const wanted = projects.at(-1)!.name;

		const list = await panel.openList('projectId');
		await list.search(wanted.toUpperCase().slice(0, -2));
		await eventually(async () => (await list.entries.allInnerTexts()).join() === wanted);
		await list.pick(wanted);
		expect(await panel.picked('projectId')).toBe(wanted);
	});
});

describe('the panel of Run Agent Session, after a run', () => {
	test('has the items on each of the three named outputs', async () => {
		const prompts = ['[say All is well.]', '[ask bash: git push]', '[work 10h]'];
		await editor.open(
			chain('Three outcomes', [
				manualTrigger(),
				editFields('Prompts', { prompt: JSON.stringify(prompts) }, 'array'),
				node('One by one', 'n8n-nodes-base.splitOut', 1, {
					parameters: { fieldToSplitOut: 'prompt', options: {} },
				}),
				agentSession({
					prompt: '={{ $json.prompt }}',
					maxWait: 0.1,
				}),
			]),
		);
		const panel = await openPanel(editor.page, NODE);
		await panel.execute();
		await panel.selectOutputView('json');

		for (const [name, seen] of [
			['Needs Approval', '"git push"'],
			['Still Running', '"running"'],
			['Completed', '"All is well."'],
		]) {
			await panel.output.getByText(new RegExp(`${name}.*\\(1 item\\)`)).waitFor();
			await panel.showOutput(name);
			await panel.output.getByText(seen).first().waitFor();
		}
	});

	test('names the cause and the dashboard in the error of a failed session', async () => {
		await editor.open(
			chain('Failing', [
				manualTrigger(),
				agentSession({ prompt: '[fail Out of disk]', options: { pollInterval: 1 } }),
			]),
		);
		const panel = await openPanel(editor.page, NODE);
		await panel.execute();

		const { message, description } = await findError(panel);
		expect(message).toBe('The agent session failed: Out of disk');
		expect(description).toMatch(
			/^Check the session in the dashboard.*Session [0-9a-f-]{36}, http:\S+\/dashboard\/sessions\/[0-9a-f-]{36}/,
		);
	});
});

describe('an answer', () => {
	test('is applied without typed expressions: the fields are filled by dragging', async () => {
		const goOn = 'Continue the session';
		const file = workflow(
			'Dragged',
			[
				manualTrigger(),
				agentSession({
					prompt: '[ask bash: git push] [say It is live.]',
					options: { pollInterval: 1 },
				}),
				editFields('Ask', { Decision: 'Approve', submittedAt: '2026-10-05T09:00:00.000Z' }),
				{
					...agentSession({}),
					id: goOn,
					name: goOn,
					parameters: {
						operation: 'continue',
						permissionPolicy: 'answer',
						options: { pollInterval: 1 },
					},
				},
			],
			{ Start: [[NODE]], [NODE]: connect({ needsApproval: ['Ask'] }), Ask: [[goOn]] },
		);
		file.nodes.forEach((one, index) => (one.position = [240 * index, 0]));
		const workflowId = await editor.open(file);
		const asking = await openPanel(editor.page, 'Ask');
		await asking.execute();
		await asking.close();

		let panel = await openPanel(editor.page, goOn);
		await panel.showInput(NODE);
		await panel.drag('sessionId', 'sessionId');
		await panel.drag('pendingInteractions', 'askedInteractions');
		const from = `$('${NODE}').item.json`;
		panel = await editor.saved(panel, workflowId, goOn, {
			sessionId: { __rl: true, mode: 'id', value: `={{ ${from}.sessionId }}` },
			askedInteractions: `={{ ${from}.pendingInteractions }}`,
		});
		await panel.execute();

		const [session] = (await editor.stage.service.sessions()).slice(-1);
		expect(session).toMatchObject({
			status: 'completed',
			interactions: [{ patterns: ['git push'], value: 'once' }],
		});
	});
});

describe("n8n's own chat", () => {
	test('lets you approve: the question keeps its lines, and the session continues', async () => {
		const chat = await playChat(editor.stage.host, editor.page);
		const question = await read(chat.locator('.chat-message').getByText('«git push»'));
		expect(question.split('\n')).toEqual(
			expect.arrayContaining(['Permission: «bash»', 'Command: «git push»']),
		);
		const [session] = (await editor.stage.service.sessions()).slice(-1);
		expect(session).toMatchObject({
			status: 'completed',
			interactions: [{ patterns: ['git push'], value: 'once' }],
		});
	});
});
