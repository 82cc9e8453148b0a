// Analytics in the editor, in a real browser: tables to start from, and values in queries.
import { expect, test } from '@jest/globals';
import { ANALYTICS_TABLES } from '../../nodes/WorkspaceAutomation/resources/analytics.ts';
import { openPanel } from '../../tools/editor/canvas.mts';
import type { Panel } from '../../tools/editor/panel.mts';
import { findError, read, useEditor } from './editor.mts';
import {
	chain,
	describeWith,
	editFields,
	eventually,
	manualTrigger,
	workspaceAutomation,
} from './support.mts';

const QUERY = 'Workspace Automation';
const editor = useEditor();

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

	test('keeps your text until you choose Own Query', async () => {
		const workflowId = await editor.open(chain('Typed', [manualTrigger(), analytics()]));
		let panel = await openPanel(editor.page, QUERY);
		const own = 'SELECT 1 AS one';
		await panel.fill('query', own);
		panel = await editor.saved(panel, workflowId, QUERY, { query: own });
		for (const name of ['Daily Visits', 'Events', 'Own Query']) {
			await panel.choose('table', name);
			await expectQuery(panel, own);
		}
		await panel.fill('query', '');
		panel = await editor.saved(panel, workflowId, QUERY, { query: undefined });
		await panel.choose('table', 'Events');
		await expectQuery(panel, query('Events'));
	});

	test('warns of a state that is read without its merge function', async () => {
		await editor.open(chain('States', [manualTrigger(), analytics()]));
		const panel = await openPanel(editor.page, QUERY);
		const warning = panel.output.getByText('Columns that end in _state hold intermediate results.');
		await panel.fill('query', 'SELECT views_state FROM daily_page_rollups');
		await warning.first().waitFor();
		await panel.fill('query', 'SELECT countMerge(views_state) FROM daily_page_rollups');
		await warning.first().waitFor({ state: 'hidden' });
	});

	test('treats the value of an expression as a value, for any text', async () => {
		const workflowId = await editor.open(
			chain('Expression', [
				manualTrigger(),
				editFields('Source', { source: "direct' OR 1=1 --" }),
				analytics(),
			]),
		);
		let panel = await openPanel(editor.page, QUERY);
		const typed =
			'SELECT {{ $json.source }} AS asked, count() AS found FROM daily_namespace_rollups WHERE utm_source = {{ $json.source }}';
		await panel.fill('query', typed);
		panel = await editor.saved(panel, workflowId, QUERY, { query: typed });
		await panel.execute();

		await panel.selectOutputView('table');
		expect((await read(panel.output.locator('tbody tr').first())).split(/\s*\t\s*/)).toEqual(
			expect.arrayContaining(["direct' OR 1=1 --", '0']),
		);
		const sent = String.raw`SELECT 'direct\' OR 1=1 --' AS asked, count() AS found FROM daily_namespace_rollups WHERE utm_source = 'direct\' OR 1=1 --'`;
		expect((await editor.stage.service.requests()).at(-1)).toMatchObject({
			path: '/v1/analytics/query',
			body: { query: sent },
		});
	});

	test("shows the service's message about a refused query", async () => {
		await editor.open(
			chain('Refused', [
				manualTrigger(),
				analytics({ query: 'SELECT visits FROM daily_namespace_rollups' }),
			]),
		);
		const panel = await openPanel(editor.page, QUERY);
		await panel.execute();

		const { message, description } = await findError(panel);
		expect(`${message}\n${description}`).toContain('visits');
	});
});
