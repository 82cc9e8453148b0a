// The examples that email, list or keep what there is, in the real n8n: Slack, Gmail and Google Sheets are a mock.
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import type { Sent } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { callApi, describeWith, eventually, play, POLL_TIMES, projectId } from './support.mts';

const { stage, channels } = useChannels();
let control: ControlClient;

beforeAll(async () => await importAllCredentials(stage.host));

let seen = 0;
beforeEach(async () => {
	control = controlOver(stage.service.controlUrl);
	await control.reset();
	await control.setSpeed(20);
	seen = channels.sent().length;
});

/** Messages to this host since the test began */
const sentTo = (host: string): Sent[] =>
	channels
		.sent()
		.slice(seen)
		.filter((sent) => sent.host === host && sent.method === 'POST');
const mails = () => sentTo('www.googleapis.com');
const inSlack = () => sentTo('slack.com').map(({ body }) => String(body.text));

describeWith('ClickHouse')('monthly-report.json', () => {
	test('emails each client the figures of its own pages, in US dollars, and names those without visits', async () => {
		const [first, second] = (await callApi(stage, 'GET', '/projects?limit=2')).data;
		await control.projects.change(second.id, { supportEmail: 'hello@nowhere.example' });
		const execution = await play(
			stage,
			fillExample('monthly-report', { Projects: { limit: 2, returnAll: false } }),
		);

		expect(execution.error).toBeUndefined();
		const [mail, ...more] = mails();
		expect(more).toEqual([]);
		expect(mail.text).toContain(`To: ${first.supportEmail}`);
		const [figures] = execution.items('Figures of the month');
		expect(figures.visits).toBeGreaterThan(0);
		const revenue = Number(figures.revenue_usd).toLocaleString('en', {
			style: 'currency',
			currency: 'USD',
		});
		expect(mail.text).toContain(`${figures.visits} visits, after ${figures.visits_before}`);
		expect(mail.text).toContain(`for ${revenue} in all`);
		expect(inSlack()).toEqual([expect.stringContaining(`no report: ${second.name}`)]);
	});
});

/** Switches a workflow on whose trigger polls every two seconds, once it has seen what there is. */
async function switchedOn(
	file: WorkflowFile,
	trigger: string,
	path: string,
	item = POLL_TIMES,
): Promise<string> {
	file.nodes.find(({ name }) => name === trigger)!.parameters.pollTimes = { item };
	const workflowId = await stage.host.importWorkflow(file);
	const polls = async () =>
		(await control.requests()).filter((request) => request.path.endsWith(path)).length;
	const before = await polls();
	await stage.host.activate(workflowId);
	await eventually(async () => (await polls()) >= before + 2);
	return workflowId;
}

describe('new-domain.json', () => {
	const SOON = { 'A day later': { amount: 2, unit: 'seconds' } };

	test('emails the records, reminds until the domain is verified, and reports the verification', async () => {
		const file = fillExample('new-domain', SOON);
		const { siteId } = file.nodes.find(({ name }) => name === 'A domain is added')!.parameters;
		const id = await switchedOn(file, 'A domain is added', '/custom-domains');
		const added = await control.domains.add({
			siteId,
			domain: 'new.client.example',
			status: 'pending',
		});

		await eventually(async () => mails().length >= 2);
		expect(mails()[0].text).toContain('DNS records of new.client.example');
		expect(mails()[1].text).toContain('new.client.example needs these records');
		await control.domains.change(added.id, { status: 'active' });
		await eventually(async () => inSlack().length);
		await stage.host.deactivate(id);
		expect(inSlack()).toEqual(['new.client.example is verified.']);
	});

	test('asks for a phone call after seven reminders', async () => {
		const file = fillExample('new-domain', SOON);
		const { siteId } = file.nodes.find(({ name }) => name === 'A domain is added')!.parameters;
		const id = await switchedOn(file, 'A domain is added', '/custom-domains');
		await control.domains.add({ siteId, domain: 'late.client.example', status: 'pending' });
		await eventually(async () => inSlack().length);
		await stage.host.deactivate(id);
		expect(inSlack()).toEqual([expect.stringContaining('late.client.example is not verified')]);
		expect(mails()).toHaveLength(7);
	});

	test('stops reminding when the records are stale, and reports the stale records', async () => {
		const file = fillExample('new-domain', SOON);
		const { siteId } = file.nodes.find(({ name }) => name === 'A domain is added')!.parameters;
		const id = await switchedOn(file, 'A domain is added', '/custom-domains');
		const domain = 'stale.client.example';
		await control.domains.add({ siteId, domain, status: 'pending', stale: true });
		await eventually(async () => inSlack().length);
		await stage.host.deactivate(id);
		expect(inSlack()).toEqual([expect.stringContaining('its DNS records are stale')]);
		expect(mails()).toHaveLength(1);
	});

	test('notifies the team if it fails', async () => {
		const file = fillExample('new-domain', SOON);
		const { siteId } = file.nodes.find(({ name }) => name === 'A domain is added')!.parameters;
		const id = await switchedOn(file, 'A domain is added', '/custom-domains');
		channels.answer('www.googleapis.com', () => undefined);
		await control.domains.add({ siteId, domain: 'lost.client.example', status: 'pending' });
		await eventually(async () => inSlack().length);
		await stage.host.deactivate(id);
		expect(inSlack()).toEqual([
			expect.stringMatching(/^Follow a new domain until it's verified: \S[^]*executions/),
		]);
	});
});

describeWith('ClickHouse')('low-conversion-alert.json', () => {
	test('reports a day with low conversion once', async () => {
		const values = [
			{ name: 'percent', value: '1.5' },
			{ name: 'leastSessions', value: '5000' },
		];
		const file = fillExample('low-conversion-alert', {
			'Conversion is low': { options: { parameters: { values } } },
		});
		// A query may take longer than two seconds on a busy machine, and n8n begins the next poll all the same.
		const seldom = POLL_TIMES.filter((_, index) => index % 3 === 0);
		const id = await switchedOn(file, 'Conversion is low', '/analytics/query', seldom);
		await control.addEvents({ projectId, count: 6000 });
		await eventually(async () => inSlack().length);
		await control.addEvents({ projectId, count: 10 });
		const polls = async () =>
			(await control.requests()).filter(({ path }) => path.endsWith('/analytics/query')).length;
		const before = await polls();
		await eventually(async () => (await polls()) >= before + 3);
		await stage.host.deactivate(id);
		expect(inSlack()).toEqual([
			expect.stringMatching(
				/^Conversion on \d{4}-\d\d-\d\d is [\d.]+ % \(\d+ of \d{4,} sessions\)\.$/,
			),
		]);
	});
});

describe('price-list.json', () => {
	const products = async (): Promise<Array<Record<string, unknown>>> =>
		(await callApi(stage, 'GET', `/products?projectId=${projectId}&limit=100`)).data;
	const prices = async () =>
		Object.fromEntries((await products()).map(({ name, price }) => [name, price]));
	const sheet = (...rows: Array<[string, number]>) =>
		channels.answer('sheets.googleapis.com', ({ path }) =>
			path.includes('/values/')
				? { values: [['name', 'price'], ...rows] }
				: { sheets: [{ properties: { sheetId: 0, title: 'Prices' } }] },
		);

	test('updates changed products, creates new ones, and does nothing the second time', async () => {
		const before = await prices();
		const [known, same] = Object.keys(before);
		sheet([known, 31], [same, before[same] as number], ['Honey oats', 7.5]);
		const execution = await play(stage, fillExample('price-list'));

		expect(execution.error).toBeUndefined();
		expect(await prices()).toEqual({ ...before, [known]: 31, 'Honey oats': 7.5 });
		expect(inSlack()).toEqual([`saved: ${known}, 31\nsaved: Honey oats, 7.5`]);

		await play(stage, fillExample('price-list'));
		expect(inSlack()).toHaveLength(1);
		expect(await products()).toHaveLength(Object.keys(before).length + 1);
	});

	test('names the uncertain row after a lost response, and creates it once', async () => {
		await control.addFaults({ operationId: 'createProduct', kind: 'reset-after' });
		sheet(['Honey oats', 7.5], ['Oat bar', 2]);
		const execution = await play(stage, fillExample('price-list'));

		expect(execution.error).toBeUndefined();
		expect(inSlack()[0].split('\n').sort()).toEqual([
			expect.stringMatching(/^NOT saved: (Honey oats|Oat bar): The product may have been created/),
			expect.stringMatching(/^saved: (Honey oats|Oat bar), /),
		]);
		const added = (await products())
			.map(({ name }) => String(name))
			.filter((name) => /oat/i.test(name));
		expect(added.sort()).toEqual(['Honey oats', 'Oat bar']);
	});
});

describe('broken-links.json', () => {
	const SHEET = 'sheets.googleapis.com';

	test('adds a row for each broken link, even if the first answer has another format', async () => {
		channels.answer(SHEET, ({ method, path }) => {
			if (method !== 'GET') return { updates: { updatedRows: 2 } };
			return path.includes('/values/')
				? { values: [['page', 'url']] }
				: { sheets: [{ properties: { sheetId: 0, title: 'Links' } }] };
		});
		const execution = await play(stage, fillExample('broken-links'));

		expect(execution.error).toBeUndefined();
		const [added, ...more] = sentTo(SHEET);
		expect(more).toEqual([]);
		expect(added.path).toContain(':append');
		expect(added.body.values).toEqual([
			['/about', 'https://example.com/team'],
			['/blog', 'https://example.com/feed'],
		]);
		expect(await control.sessions()).toMatchObject([{ turns: 2 }]);
	});
});

describe('replay-decisions.json', () => {
	test('saves decisions, and shows the decisions that other rules would change', async () => {
		const { rest } = stage.host;
		const { id: owner } = await rest.get('/projects/personal');
		const columns = ['permission', 'patterns', 'decision', 'at'].map((name) => ({
			name,
			type: 'string',
		}));
		const table = await rest.post(`/projects/${owner}/data-tables`, {
			name: `Decisions ${Date.now()}`,
			columns,
		});
		const dataTableId = { __rl: true, mode: 'list', value: table.id };
		const chosen = { 'Save decisions': { dataTableId }, 'Get decisions': { dataTableId } };
		const at = '2026-01-01T00:00:00.000Z';
		const decisions = [
			{
				permission: 'bash',
				patterns: ['npm run build'],
				decision: 'approve',
				decidedBy: 'page',
				at,
			},
			{
				permission: 'bash',
				patterns: ['git push', 'git tag'],
				decision: 'approve',
				decidedBy: 'page',
				at,
			},
		];
		const file = fillExample('replay-decisions', chosen);
		// Started as another workflow would
		const keeping: WorkflowFile = {
			...file,
			nodes: file.nodes.map((node) =>
				node.name === 'When called with a result'
					? {
							...node,
							type: 'n8n-nodes-base.set',
							typeVersion: 3.4,
							parameters: { mode: 'raw', jsonOutput: JSON.stringify({ decisions }), options: {} },
						}
					: node.name.startsWith('When clicking')
						? { ...node, position: [-224, 0] as [number, number] }
						: node,
			),
			connections: {
				...file.connections,
				[file.nodes.find(({ type }) => type.endsWith('manualTrigger'))!.name]: {
					main: [[{ node: 'When called with a result', type: 'main', index: 0 }]],
				},
			},
		};
		expect((await play(stage, keeping)).items('Save decisions')).toHaveLength(2);

		const execution = await play(stage, fillExample('replay-decisions', chosen));
		expect(execution.error).toBeUndefined();
		expect(execution.items('Show changes')).toEqual([
			{
				request: 'bash git push, git tag',
				was: 'approve',
				wouldBe: 'ask',
				decidedBy: expect.any(String),
			},
		]);
	});
});
