// The trigger with unusual entries and dates. Its poll is called as n8n calls it.
import { describe, expect, test } from '@jest/globals';
import { getList, Status, useAnswers } from './answers.mts';
import { options, poller, type Setup } from './engine.mts';
import { byId } from '../../n8n-host/workflows.mts';

const service = useAnswers();
const PROJECT = '123e4567-e89b-12d3-a456-426614174000';

const setup = (event: string, parameters: object = {}, overrides = {}): Setup => ({
	node: 'workspaceAutomationTrigger',
	parameters: { event, ...parameters } as Setup['parameters'],
	credentials: { ...service.credentials, overrides: JSON.stringify(overrides) },
});
const lists = (...data: unknown[]) => {
	service.answer = () => getList(...data);
};
const products = { projectId: byId(PROJECT) };
const files = { projectIds: [PROJECT], parentId: byId('') };

const HOUR = 3_600_000;
const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const RULE = 'FREQ=DAILY;BYHOUR=9';
const EDITED = at(-HOUR * 48);
const task = (fields: object = {}) => ({
	object: 'task',
	id: 'task-1',
	title: 'Links',
	emoji: '🔗',
	rrule: RULE,
	updatedAt: EDITED,
	...fields,
});

describe('a change of a task is one event', () => {
	const came = at(-HOUR);
	const soon = at(HOUR);
	const next = at(HOUR * 24);
	const seconds = (moment: string) => Math.floor(Date.parse(moment) / 1000);
	test.each([
		['it has run', { nextRunAt: came }, { nextRunAt: next }, ['taskRan']],
		[
			'it has run, by seconds',
			{ nextRunAt: seconds(came) },
			{ nextRunAt: seconds(next) },
			['taskRan'],
		],
		['it has run for the last time', { nextRunAt: came }, {}, ['taskRan']],
		[
			'it has run, which the service counts as an update',
			{ nextRunAt: came },
			{ nextRunAt: next, updatedAt: at(0) },
			['taskRan'],
		],
		[
			'it ran a moment ago by a slower clock',
			{ nextRunAt: at(30_000) },
			{ nextRunAt: next },
			['taskRan'],
		],
		['its next run is moved on', { nextRunAt: soon }, { nextRunAt: next }, ['taskUpdated']],
		['its next run is moved earlier', { nextRunAt: next }, { nextRunAt: soon }, ['taskUpdated']],
		[
			'its overdue run is moved earlier',
			{ nextRunAt: came },
			{ nextRunAt: at(-HOUR * 2) },
			['taskUpdated'],
		],
		['it is paused', { nextRunAt: soon }, { nextRunAt: null }, ['taskUpdated']],
		['it goes on', {}, { nextRunAt: soon }, ['taskUpdated']],
		[
			'it has another rule',
			{ nextRunAt: came },
			{ nextRunAt: next, rrule: 'FREQ=WEEKLY' },
			['taskUpdated'],
		],
		[
			'its prompt has changed',
			{ nextRunAt: soon },
			{ nextRunAt: soon, updatedAt: at(0) },
			['taskUpdated'],
		],
		[
			'it has run and has another title',
			{ nextRunAt: came },
			{ nextRunAt: next, title: 'Other' },
			['taskRan', 'taskUpdated'],
		],
		['nothing', { nextRunAt: came }, { nextRunAt: came }, []],
	])('%s', async (_, before, now, expected) => {
		const triggers = ['taskRan', 'taskUpdated'].map((event) => poller(setup(event)));
		lists(task(before));
		for (const trigger of triggers) await trigger.poll();
		lists(task(now));
		const events: string[] = [];
		for (const trigger of triggers)
			events.push(...((await trigger.poll()) ?? []).map(({ event }) => event));
		expect(events).toEqual(expected);
	});
});

describe('an entry', () => {
	test.each([
		['without an ID', { name: 'a' }],
		['with null for an ID', { id: null, name: 'a' }],
		['with an object for an ID', { id: { toString: 1 }, name: 'a' }],
		['with a list for an ID', { id: [1], name: 'a' }],
		['with an empty ID', { id: '', name: 'a' }],
	])('%s: an error that quotes it', async (_, entry) => {
		lists(entry);
		for (const event of ['productAdded', 'productUpdated', 'productRemoved'])
			await expect(poller(setup(event, products)).poll()).rejects.toMatchObject({
				message: '"id" in the response isn\'t a text',
				description: expect.stringContaining('"name":"a"'),
			});
		await expect(options(setup('taskRan'), 'getTaskOptions')).rejects.toMatchObject({
			message: '"id" in the response isn\'t a text',
		});
	});

	test('with a number as ID differs from other entries', async () => {
		const trigger = poller(setup('productAdded', products));
		lists({ id: 1 }, { id: 2 });
		await trigger.poll();
		lists({ id: 1 }, { id: 3 }, { id: 2 });
		expect(await trigger.poll()).toMatchObject([{ id: 3 }]);
	});

	const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
	test('that is nested too deeply is an error that names the entry', async () => {
		const product = (depth: number) =>
			`{"data":[{"id":"deep-one","parts":${nested(depth)}}],"has_more":false}`;
		const trigger = poller(setup('productUpdated', products));
		service.answer = () => product(5);
		await trigger.poll();
		service.answer = () => product(100_000);
		await expect(trigger.poll()).rejects.toMatchObject({
			message: "The product deep-one can't be compared",
			description: expect.stringContaining('nested too deeply'),
		});
		service.answer = () => product(6);
		expect(await trigger.poll()).toHaveLength(1);
	});

	test('with invalid dates is emitted in list order', async () => {
		const trigger = poller(setup('fileCreated', files));
		lists();
		await trigger.poll();
		lists({ id: 'a', createdAt: { toString: 1 } }, { id: 'b', createdAt: true }, { id: 'c' });
		expect((await trigger.poll())!.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});

	test('with megabytes of status takes a few bytes of the state, and every change of its status is one event', async () => {
		const domain = (status: string) => ({ id: 'domain-1', domain: 'a.example', status });
		const trigger = poller(setup('customDomainChanged', { siteId: PROJECT }));
		const long = 'x'.repeat(2_000_000);
		lists(domain(long));
		await trigger.poll();
		expect(JSON.stringify(trigger.state()).length).toBeLessThan(2_000);
		lists(domain(`${long}y`));
		const [item] = (await trigger.poll())!;
		expect(item.previous.status.length).toBeLessThan(1_100);
		lists(domain('active'));
		expect(await trigger.poll()).toMatchObject([{ status: 'active' }]);
	});
});

test("an entry that left and returned has another eventId, and an event that's emitted again has the same one", async () => {
	const one = { id: 'a' };
	const trigger = poller(setup('productAdded', products));
	lists({ id: 'b' });
	await trigger.poll();
	const ids: string[] = [];
	const state: any[] = [];
	for (const list of [[one], [], [], [], [one], []]) {
		lists({ id: 'b' }, ...list);
		state.push(trigger.state());
		ids.push(...((await trigger.poll()) ?? []).map(({ eventId }) => eventId));
	}
	expect(ids).toHaveLength(2);
	expect(ids[0]).not.toBe(ids[1]);
	lists({ id: 'b' }, one);
	const again = poller(setup('productAdded', products), { state: state[0] });
	expect(await again.poll()).toMatchObject([{ eventId: ids[0] }]);
});

describe('the watched lists', () => {
	const OTHER = '223e4567-e89b-12d3-a456-426614174000';

	test.each(['/files', '/projects'])(
		'with several pages of %s take at most the time that n8n gives',
		async (paged) => {
			service.answer = ({ path, query }) => {
				const cursor = query.get('cursor');
				const page = getList({ id: cursor ? OTHER : PROJECT });
				return path === paged && !cursor ? { ...page, has_more: true, next_cursor: 'c' } : page;
			};
			const late = poller(setup('fileCreated'), { budgetMs: -1 });
			await expect(late.poll()).rejects.toThrow('Reading the list timed out');
			expect(await poller(setup('fileCreated')).poll()).toBeNull();
		},
	);

	test('of projects in any order are read in one order, each once', async () => {
		lists();
		await poller(setup('fileCreated', { projectIds: [OTHER, PROJECT, OTHER] })).poll();
		expect(service.requests.map(({ query }) => query.get('projectId'))).toEqual([PROJECT, OTHER]);
	});

	test('for which something has to be set up prove no removal', async () => {
		const trigger = poller(setup('fileRemoved', files));
		lists({ id: 'a' }, { id: 'b' });
		await trigger.poll();
		const setup_required = { message: 'Connect a workspace' };
		service.answer = () => ({ ...getList({ id: 'b' }), setup_required });
		for (let polls = 0; polls < 4; polls++) expect(await trigger.poll()).toBeNull();
	});

	test('may have 20,000 entries', async () => {
		lists(...Array.from({ length: 20_000 }, (_, index) => ({ id: `p${index}` })));
		expect(await poller(setup('projectAdded')).poll()).toBeNull();
	});
});

test('a folder is watched alone: entries of another folder are an error that names the query', async () => {
	const folder = '223e4567-e89b-12d3-a456-426614174000';
	const within = { ...files, parentId: byId(folder) };
	const trigger = poller(setup('fileCreated', within));
	lists({ id: 'a', parentId: folder });
	await trigger.poll();
	lists({ id: 'a', parentId: folder }, { id: 'b', parentId: PROJECT });
	await expect(trigger.poll()).resolves.toBeNull();
	expect(trigger.warnings).toEqual([expect.stringContaining('another parentId')]);
	lists({ id: 'a', parentId: folder }, { id: 'c', parentId: folder });
	expect(await trigger.poll()).toMatchObject([{ id: 'c' }]);
});

test("a corrected override of the watched list resets the state, and another override doesn't", async () => {
	const entries = ['a', 'b'].map((id) => ({ id }));
	service.answer = () => ({ data: entries.slice(0, 1), items: { all: entries }, has_more: false });
	const before = poller(setup('productAdded', products));
	await before.poll();
	const after = (operation: string) =>
		poller(setup('productAdded', products, { [operation]: { response: { data: 'items.all' } } }), {
			state: before.state(),
		});
	const trigger = after('listProducts');
	expect(await trigger.poll()).toBeNull();
	entries.push({ id: 'c' });
	expect(await trigger.poll()).toMatchObject([{ id: 'c' }]);
	const other = after('listTasks');
	service.answer = () => getList({ id: 'a' }, { id: 'd' });
	expect(await other.poll()).toMatchObject([{ id: 'd' }]);
});

describe('after n8n restarts', () => {
	const starting = { activation: 'init' } as const;

	test.each([401, 403, 400, 404, 500])(
		'%d is a warning at the first poll, and nothing is lost',
		async (status) => {
			const before = poller(setup('productAdded', products));
			lists({ id: 'a' });
			await before.poll();
			service.answer = () => new Status(status);
			const trigger = poller(setup('productAdded', products), {
				...starting,
				state: before.state(),
			});
			expect(await trigger.poll()).toBeNull();
			expect(trigger.warnings).toEqual([expect.stringContaining('The next one retries')]);
			if (status < 404)
				await expect(trigger.poll()).rejects.toMatchObject({ httpCode: String(status) });
			lists({ id: 'a' }, { id: 'b' });
			expect(await trigger.poll()).toMatchObject([{ id: 'b' }]);
		},
	);

	test.each([
		['Trigger On', setup('nothing')],
		['Project', setup('productAdded', { projectId: byId('x') })],
		['Max Events per Poll', setup('productAdded', { ...products, options: { maxEvents: 0 } })],
		["'Overrides' in the credential", setup('productAdded', products, { nothing: {} })],
	])(
		'an invalid value in %s is a warning at the first poll, and an error from the second on',
		async (name, { parameters, credentials }) => {
			lists({ id: 'a' });
			const wrong = {
				...setup('', {}),
				parameters,
				credentials: { ...service.credentials, overrides: credentials.overrides },
			};
			const trigger = poller(wrong, starting);
			expect(await trigger.poll()).toBeNull();
			expect(trigger.warnings).toEqual([expect.stringContaining(name)]);
			await expect(trigger.poll()).rejects.toThrow(name);
			await expect(poller(wrong).poll()).rejects.toMatchObject({
				message: expect.stringContaining(name),
				failure: { cause: 'configuration-invalid' },
			});
		},
	);
});

describe('rows', () => {
	const query = { query: 'SELECT 1', keyColumns: '' };

	test("in another number than the service's count are a warning", async () => {
		service.answer = () => ({ rowCount: 3, data: [{ a: 1 }] });
		const trigger = poller(setup('rowsFound', query));
		await trigger.poll();
		expect(trigger.warnings).toEqual([expect.stringContaining('1 rows and says that there are 3')]);
	});
});
