// The editor as people see it, in a real browser: how the nodes are found, filled in and dragged into. The editor of n8n 1 shows the same
// descriptions, and "editor" uses it.
import { expect, test } from '@jest/globals';
import { addOrigin } from '../../nodes/RunAgentSession/requests/answer.ts';
import { ANALYTICS_TABLES } from '../../nodes/WorkspaceAutomation/resources/analytics.ts';
import { canvasNode, openPanel, searchNodes } from '../../tools/editor/canvas.mts';
import type { Panel } from '../../tools/editor/panel.mts';
import { useEditor } from './editor.mts';
import {
	agentSession,
	callApi,
	chain,
	describeWith,
	editFields,
	eventually,
	getRecord,
	manualTrigger,
	node,
	NODE,
	projectId,
	workspaceAutomation,
} from './support.mts';

const describe = describeWith('Chromium');

const editor = useEditor();

describe('the node panel', () => {
	test('finds the nodes by common search words', async () => {
		await editor.open(chain('Just started', [manualTrigger()]));
		for (const [typed, names] of [
			['agent', ['Run Agent Session', 'Workspace Automation']],
			['try rules', ['Run Agent Session']],
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

describe('Run Agent Session on the canvas', () => {
	test('shows the whole names of its outputs, also before they are connected', async () => {
		await editor.open(chain('Outputs', [manualTrigger(), agentSession({ prompt: 'Hello' })]));
		for (const name of ['Completed', 'To Approve']) {
			const label = canvasNode(editor.page, NODE).getByText(name, { exact: true });
			await label.waitFor();
			const [text, shown] = await label.evaluate(({ scrollWidth, clientWidth }) => [
				scrollWidth,
				clientWidth,
			]);
			expect([name, text]).toEqual([name, shown]);
		}
	});
});

describe('the panel of Run Agent Session, after a run', () => {
	test('has the items on the named output', async () => {
		await editor.open(
			chain('Outcomes', [manualTrigger(), agentSession({ prompt: '[say All is well.]' })]),
		);
		const panel = await openPanel(editor.page, NODE);
		await panel.execute();
		await panel.selectOutputView('json');
		await panel.output.getByText(/Completed.*\(1 item\)/).waitFor();
		await panel.output.getByText(/To Approve/).waitFor();
		await panel.output.getByText('"All is well."').first().waitFor();
	});
});

describe('an answer', () => {
	test('is applied without typed expressions: the fields are filled by dragging', async () => {
		const { service } = editor.stage;
		const prompt = '[ask bash: git push] [say It is live.]';
		const sessionId = await service.control.startSession({ projectId, prompt });
		const { pendingInteractions } = await eventually(async () => {
			const path = `/agent/sessions/${sessionId}`;
			// A new session can't be read for a second or two.
			const session = await callApi(editor.stage, 'GET', path).catch(() => undefined);
			return session?.pendingInteractions?.length > 0 ? session : undefined;
		});
		// As in the item of the node that asked
		const shown = addOrigin(pendingInteractions, { sessionId });
		const applies = 'Apply the answer';
		const file = chain('Dragged', [
			manualTrigger(),
			node('Asked', 'n8n-nodes-base.set', 3.4, {
				parameters: {
					mode: 'raw',
					jsonOutput: JSON.stringify({ sessionId, pendingInteractions: shown }),
					options: {},
				},
			}),
			editFields('Ask', { Decision: 'Approve', submittedAt: '2026-10-05T09:00:00.000Z' }),
			{ ...agentSession({}), id: applies, name: applies, parameters: { operation: 'applyAnswer' } },
		]);
		file.nodes.forEach((one, index) => (one.position = [240 * index, 0]));
		const workflowId = await editor.open(file);
		const asking = await openPanel(editor.page, 'Ask');
		await asking.execute();
		await asking.close();

		let panel = await openPanel(editor.page, applies);
		await panel.showInput('Asked');
		await panel.drag('sessionId', 'sessionId');
		await panel.drag('pendingInteractions', 'askedInteractions');
		const from = "$('Asked').item.json";
		panel = await editor.saved(panel, workflowId, applies, {
			sessionId: { __rl: true, mode: 'id', value: `={{ ${from}.sessionId }}` },
			askedInteractions: `={{ ${from}.pendingInteractions }}`,
		});
		await panel.execute();

		await eventually(async () => (await getRecord(editor.stage, sessionId)).status === 'completed');
		expect(await getRecord(editor.stage, sessionId)).toMatchObject({
			interactions: [{ patterns: ['git push'], value: 'once' }],
		});
	});
});

/** The node in the tests of analytics */
const QUERY = 'Workspace Automation';
describeWith('Chromium', 'ClickHouse')('the panel of analytics', () => {
	const query = (table: string) => ANALYTICS_TABLES.find(({ name }) => name === table)!.query;
	const expectQuery = async (panel: Panel, sql: string) => {
		await eventually(async () => (await panel.code('query')) === sql);
	};
	const analytics = (parameters: object = {}) =>
		workspaceAutomation(QUERY, 'analytics.query', parameters);

	test('fills in the query of the chosen table, and replaces it until you type', async () => {
		await editor.open(chain('Tables', [manualTrigger(), analytics()]));
		const panel = await openPanel(editor.page, QUERY);
		await expectQuery(panel, '');
		for (const { name } of ANALYTICS_TABLES) {
			await panel.choose('table', name);
			await expectQuery(panel, query(name));
		}
		await panel.choose('table', 'Own Query');
		await expectQuery(panel, '');

		await panel.choose('table', 'Daily Visits');
		await panel.execute();
		await panel.selectOutputView('table');
		await panel.output.getByRole('columnheader', { name: 'converting_sessions' }).waitFor();
		expect((await editor.stage.service.requests()).at(-1)).toMatchObject({
			path: '/v1/analytics/query',
			status: 200,
			body: { query: query('Daily Visits') },
		});
	});
});
