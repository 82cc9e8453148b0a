// The editor as people see it, in a real browser: what they look for, fill in, press and read.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { hostVersion, type HostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { TABLES } from '../../nodes/WorkspaceAutomation/resources/analytics/tables.ts';
import { playChat } from '../../tools/chatPicture.mts';
import {
	launchBrowser,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from '../../tools/editor/browser.mts';
import { addAction, openPanel, openWorkflow, searchNodes } from '../../tools/editor/canvas.mts';
import { createCredential, openCredential } from '../../tools/editor/credentialForm.mts';
import type { Panel } from '../../tools/editor/panel.mts';
import { signedIn } from '../../tools/editor/signIn.mts';
import {
	agentSession,
	chain,
	describeWith,
	editFields,
	eventually,
	manualTrigger,
	NODE,
	node,
	STAGE_TIMEOUT_MS,
	TEST_TIMEOUT_MS,
	useStage,
	workflow,
	workspaceAutomation,
} from './support.mts';

const describe = describeWith('Chromium');

const QUERY = 'Workspace Automation';
/** Of one step in the editor, on a machine that is busy with other things */
const STEP_TIMEOUT_MS = 60_000;

const stage = useStage();
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
	browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
	// What the scripted agent does in a minute, it does in three seconds.
	await stage.service.control.setSpeed(20);
	context = await signedIn(browser, stage.host, { viewport: { width: 1360, height: 1000 } });
}, STAGE_TIMEOUT_MS);

afterAll(async () => {
	await browser?.close();
}, 30_000);

beforeEach(async () => {
	page = await context.newPage();
	page.setDefaultTimeout(STEP_TIMEOUT_MS);
}, TEST_TIMEOUT_MS);

afterEach(async () => {
	await page.close();
}, 30_000);

/** Imports a workflow and opens it; returns its id. */
async function open(file: WorkflowFile): Promise<string> {
	const id = await stage.host.importWorkflow(file);
	await openWorkflow(page, stage.host.workflowUrl(id));
	return id;
}

/**
 * Goes back to the canvas, saves until n8n has what was filled in (it reaches the node a moment after it is seen), and opens the panel
 * again.
 */
async function saved(
	panel: Panel,
	workflowId: string,
	name: string,
	parameters: Record<string, unknown>,
): Promise<Panel> {
	await panel.close();
	await eventually(async () => {
		await page.keyboard.press('ControlOrMeta+S');
		const { nodes } = await stage.host.rest.get(`/workflows/${workflowId}`);
		const found = nodes.find((one: WorkflowNode) => one.name === name)?.parameters ?? {};
		return Object.entries(parameters).every(([field, value]) =>
			isDeepStrictEqual(found[field], value),
		);
	});
	return await openPanel(page, name);
}

/** Waits for a text and returns it. */
async function read(element: Locator): Promise<string> {
	await element.waitFor();
	return await element.innerText();
}

const errorIn = async ({ output }: Panel) => ({
	message: await read(output.getByTestId('node-error-message')),
	description: await read(output.getByTestId('node-error-description')),
});

const justStarted = chain('Just started', [manualTrigger()]);

describe('the node panel', () => {
	test(
		'finds the nodes by what somebody types who wants them',
		async () => {
			await open(justStarted);
			for (const [typed, names] of [
				['agent', ['Run Agent Session', 'Workspace Automation']],
				['permission', ['Run Agent Session', 'Workspace Automation']],
				['workspace', ['Run Agent Session', 'Workspace Automation']],
				['task', ['Run Agent Session', 'Workspace Automation']],
				['analytics', ['Workspace Automation']],
			] as const) {
				const found = await searchNodes(page, typed);
				for (const name of names) await found.getByText(name, { exact: true }).waitFor();
				await searchNodes(page, '');
				await found.getByText('Run Agent Session', { exact: true }).waitFor({ state: 'hidden' });
			}
		},
		TEST_TIMEOUT_MS,
	);
});

/** What the form says about a key that the service refuses; n8n 1 has its own words. */
const REFUSED: Record<HostVersion, string> = {
	'2.41':
		"The API key was refused. Check that it is complete and still exists in the service's settings.",
	'1.123': 'Authorization failed - please check your credentials',
};

describe('somebody new', () => {
	test(
		'finds the node, makes a credential, picks a project, says what to do and what is permitted, and runs it',
		async () => {
			const workflowId = await open(justStarted);
			const found = await searchNodes(page, 'permission');
			let panel = await addAction(page, found, NODE, 'Start agent session and wait');

			const form = await createCredential(page, panel);
			await form.type('baseUrl', stage.service.baseUrl);
			await form.type('accessToken', 'not-a-key');
			await form.saveAndTest();
			await form.root.getByText('Couldn’t connect with these settings').waitFor();
			await form.root.getByText('More details').click();
			await form.root.getByText(REFUSED[hostVersion()]).waitFor();

			await form.type('accessToken', stage.service.key);
			await form.saveAndTest();
			// n8n 2 closes the form when all is well, n8n 1 says so in it.
			const well = form.root
				.getByText('Connection tested successfully')
				.or(page.getByText('Credential saved'));
			await well.first().waitFor();
			if (await form.root.isVisible()) await form.close();
			const again = await openCredential(page, panel);
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
			panel = await saved(panel, workflowId, NODE, {
				prompt,
				permissionPolicy: 'rules',
				permissionRules,
				defaultDecision: 'deny',
			});
			await panel.execute(STEP_TIMEOUT_MS);

			await panel.showOutputAs('json');
			await panel.output.getByText('All pages are fine.').first().waitFor();
			const [session] = (await stage.service.sessions()).slice(-1);
			const { projects } = await stage.service.control.seed();
			expect(session).toMatchObject({
				status: 'completed',
				projectId: projects.find(({ name }) => name === 'Velvet Travel')!.id,
				interactions: [
					{ patterns: ['npm run build'], value: 'once' },
					{ patterns: ['git push'], value: 'reject' },
				],
			});
		},
		TEST_TIMEOUT_MS,
	);
});

describe('the list of projects', () => {
	test(
		'shows a page, and the next one at its end',
		async () => {
			await open(
				chain('Projects', [
					manualTrigger(),
					agentSession({ projectId: { __rl: true, mode: 'list', value: '' }, prompt: 'Hello' }),
				]),
			);
			const panel = await openPanel(page, NODE);
			const { projects } = await stage.service.control.seed();

			const list = await panel.openList('projectId');
			expect(await list.entries.count()).toBe(100);
			await list.scrollToEnd();
			await list.entries.nth(projects.length - 1).waitFor();
			expect(await list.entries.allInnerTexts()).toEqual(projects.map(({ name }) => name));
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'is searched in all pages, by a part of the name in any case',
		async () => {
			await open(
				chain('Projects', [
					manualTrigger(),
					agentSession({ projectId: { __rl: true, mode: 'list', value: '' }, prompt: 'Hello' }),
				]),
			);
			const panel = await openPanel(page, NODE);
			const { projects } = await stage.service.control.seed();
			const wanted = projects.at(-1)!.name;

			const list = await panel.openList('projectId');
			await list.search(wanted.toUpperCase().slice(0, -2));
			await eventually(async () => (await list.entries.allInnerTexts()).join() === wanted);
			await list.pick(wanted);
			expect(await panel.picked('projectId')).toBe(wanted);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('the panel of Run Agent Session, after a run', () => {
	test(
		'has the items on each of the three outputs, which are named',
		async () => {
			const prompts = ['[say All is well.]', '[ask bash: git push]', '[work 10h]'];
			await open(
				chain('Three outcomes', [
					manualTrigger(),
					editFields('Prompts', { prompt: JSON.stringify(prompts) }, 'array'),
					node('One by one', 'n8n-nodes-base.splitOut', 1, {
						parameters: { fieldToSplitOut: 'prompt', options: {} },
					}),
					agentSession({
						prompt: '={{ $json.prompt }}',
						options: { pollInterval: 1, maxWait: 0.1 },
					}),
				]),
			);
			const panel = await openPanel(page, NODE);
			await panel.execute(STEP_TIMEOUT_MS);
			await panel.showOutputAs('json');

			for (const [name, seen] of [
				['Needs Approval', '"git push"'],
				['Still Running', '"running"'],
				['Completed', '"All is well."'],
			]) {
				await panel.output.getByText(new RegExp(`${name}.*\\(1 item\\)`)).waitFor();
				await panel.showOutput(name);
				await panel.output.getByText(seen).first().waitFor();
			}
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says of a session that failed what happened, and where to look',
		async () => {
			await open(
				chain('Failing', [
					manualTrigger(),
					agentSession({ prompt: '[fail Out of disk]', options: { pollInterval: 1 } }),
				]),
			);
			const panel = await openPanel(page, NODE);
			await panel.execute(STEP_TIMEOUT_MS);

			const { message, description } = await errorIn(panel);
			expect(message).toBe('The agent session failed: Out of disk');
			expect(description).toMatch(
				/^Look at the session in the dashboard.*Session [0-9a-f-]{36}, http:\S+\/dashboard\/sessions\/[0-9a-f-]{36}/,
			);
		},
		TEST_TIMEOUT_MS,
	);
});

describeWith('Chromium', 'ClickHouse')('the panel of analytics', () => {
	const query = (table: string) => TABLES.find(({ name }) => name === table)!.query;
	const expectQuery = async (panel: Panel, sql: string) => {
		await eventually(async () => (await panel.code('query')) === sql).catch(() => {});
		expect(await panel.code('query')).toBe(sql);
	};
	const analytics = (parameters: object = {}) =>
		workspaceAutomation(QUERY, 'analytics.query', parameters);

	test(
		'fills the query with that of the table to start from, and replaces it while nobody has typed',
		async () => {
			await open(chain('Tables', [manualTrigger(), analytics()]));
			const panel = await openPanel(page, QUERY);
			await expectQuery(panel, '');
			for (const { name } of TABLES) {
				await panel.choose('table', name);
				await expectQuery(panel, query(name));
			}
			await panel.choose('table', 'Own Query');
			await expectQuery(panel, '');

			await panel.choose('table', 'Daily Visits');
			await panel.execute(STEP_TIMEOUT_MS);
			await panel.showOutputAs('table');
			await panel.output.getByRole('columnheader', { name: 'converting_sessions' }).waitFor();
			expect((await stage.service.requests()).at(-1)).toMatchObject({
				path: '/v1/analytics/query',
				status: 200,
				body: { query: query('Daily Visits') },
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'keeps what somebody has typed, until it is emptied under Own Query',
		async () => {
			const workflowId = await open(chain('Typed', [manualTrigger(), analytics()]));
			let panel = await openPanel(page, QUERY);
			const own = 'SELECT 1 AS one';
			await panel.fill('query', own);
			panel = await saved(panel, workflowId, QUERY, { query: own });
			for (const name of ['Daily Visits', 'Events', 'Own Query']) {
				await panel.choose('table', name);
				await expectQuery(panel, own);
			}
			await panel.fill('query', '');
			panel = await saved(panel, workflowId, QUERY, { query: undefined });
			await panel.choose('table', 'Events');
			await expectQuery(panel, query('Events'));
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'warns of a state that is read without its merge function',
		async () => {
			await open(chain('States', [manualTrigger(), analytics()]));
			const panel = await openPanel(page, QUERY);
			const warning = panel.output.getByText(
				'Columns that end in _state hold intermediate results.',
			);
			await panel.fill('query', 'SELECT views_state FROM daily_page_rollups');
			await warning.first().waitFor();
			await panel.fill('query', 'SELECT countMerge(views_state) FROM daily_page_rollups');
			await warning.first().waitFor({ state: 'hidden' });
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'takes the value of an expression as a value, whatever it says',
		async () => {
			const workflowId = await open(
				chain('Expression', [
					manualTrigger(),
					editFields('Source', { source: "direct' OR 1=1 --" }),
					analytics(),
				]),
			);
			let panel = await openPanel(page, QUERY);
			const typed =
				'SELECT {{ $json.source }} AS asked, count() AS found FROM daily_namespace_rollups WHERE utm_source = {{ $json.source }}';
			await panel.fill('query', typed);
			panel = await saved(panel, workflowId, QUERY, { query: typed });
			await panel.execute(STEP_TIMEOUT_MS);

			await panel.showOutputAs('table');
			expect((await read(panel.output.locator('tbody tr').first())).split(/\s*\t\s*/)).toEqual(
				expect.arrayContaining(["direct' OR 1=1 --", '0']),
			);
			const sent = String.raw`SELECT 'direct\' OR 1=1 --' AS asked, count() AS found FROM daily_namespace_rollups WHERE utm_source = 'direct\' OR 1=1 --'`;
			expect((await stage.service.requests()).at(-1)).toMatchObject({
				path: '/v1/analytics/query',
				body: { query: sent },
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'shows what the service says about a query that it refuses',
		async () => {
			await open(
				chain('Refused', [
					manualTrigger(),
					analytics({ query: 'SELECT visits FROM daily_namespace_rollups' }),
				]),
			);
			const panel = await openPanel(page, QUERY);
			await panel.execute(STEP_TIMEOUT_MS);

			const { message, description } = await errorIn(panel);
			expect(`${message}\n${description}`).toContain('visits');
		},
		TEST_TIMEOUT_MS,
	);
});

describe('an answer', () => {
	test(
		'is applied without an expression that somebody types: the fields are filled by dragging',
		async () => {
			const goOn = 'Go on with the session';
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
				{ Start: [[NODE]], [NODE]: [[], ['Ask']], Ask: [[goOn]] },
			);
			file.nodes.forEach((one, index) => (one.position = [240 * index, 0]));
			const workflowId = await open(file);
			const asking = await openPanel(page, 'Ask');
			await asking.execute(STEP_TIMEOUT_MS);
			await asking.close();

			let panel = await openPanel(page, goOn);
			await panel.showInputOf(NODE);
			await panel.drag('sessionId', 'sessionId');
			await panel.drag('pendingInteractions', 'askedInteractions');
			const from = `$('${NODE}').item.json`;
			panel = await saved(panel, workflowId, goOn, {
				sessionId: { __rl: true, mode: 'id', value: `={{ ${from}.sessionId }}` },
				askedInteractions: `={{ ${from}.pendingInteractions }}`,
			});
			await panel.execute(STEP_TIMEOUT_MS);

			const [session] = (await stage.service.sessions()).slice(-1);
			expect(session).toMatchObject({
				status: 'completed',
				interactions: [{ patterns: ['git push'], value: 'once' }],
			});
		},
		TEST_TIMEOUT_MS,
	);
});

describe("n8n's own chat", () => {
	test(
		'is where somebody can approve: the question keeps its lines, and the session goes on',
		async () => {
			const chat = await playChat(stage.host, page);
			const question = await read(chat.locator('.chat-message').getByText('«git push»'));
			expect(question.split('\n')).toEqual(
				expect.arrayContaining(['Permission: «bash»', 'For: «git push»']),
			);
			const [session] = (await stage.service.sessions()).slice(-1);
			expect(session).toMatchObject({
				status: 'completed',
				interactions: [{ patterns: ['git push'], value: 'once' }],
			});
		},
		TEST_TIMEOUT_MS,
	);
});
