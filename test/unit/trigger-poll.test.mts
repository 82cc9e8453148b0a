// One poll of the trigger: what it requests, what it emits, what it saves, and when it fails.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { pollTrigger } from '../../nodes/WorkspaceAutomationTrigger/poll.ts';

const [P1, P2, P3] = ['a', 'b', 'c'].map(
	(digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
);

/** The response to a request: a list, another body, its text, or a status */
type Serve = (path: string, query: IDataObject, body: any) => unknown;
let workflows = 0;

/** A trigger in its own workflow, and an n8n that polls it. */
function watch(event: string, parameters: IDataObject = {}, more: object = {}) {
	const world = {
		data: {} as IDataObject,
		warnings: [] as string[],
		requests: [] as string[],
		mode: 'trigger',
		activation: 'activate',
		baseUrl: 'https://api.example.com/v1',
		overrides: {},
		parameters: { event, ...parameters } as IDataObject,
		serve: (() => []) as Serve,
		/** Lets this list be served from now on. */
		lists: (...entries: unknown[]) => void (world.serve = () => entries),
		/** Polls, and returns the JSON of the items. */
		poll: async (): Promise<any[]> => {
			const outputs = await pollTrigger(context);
			if (!outputs) return [];
			expect([outputs.length, outputs[0].length > 0]).toEqual([1, true]);
			return outputs[0].map(({ json }) => json);
		},
		/** Polls, and returns the error. */
		fail: async (): Promise<any> => {
			const [poll] = await Promise.allSettled([pollTrigger(context)]);
			expect(poll.status).toBe('rejected');
			return (poll as PromiseRejectedResult).reason;
		},
	};
	const id = String(++workflows);
	const read = (name: string, fallback: unknown) =>
		name.split('.').reduce<any>((value, part) => value?.[part], world.parameters) ?? fallback;
	const context = {
		getMode: () => world.mode,
		getActivationMode: () => world.activation,
		getWorkflow: () => ({ id }),
		getNode: () => ({ id: 'node', name: 'Watch', type: 'trigger', typeVersion: 1, parameters: {} }),
		getWorkflowStaticData: () => world.data,
		getNodeParameter: read,
		evaluateExpression: (expression: string) => expression,
		logger: {
			warn: (text: string) => world.warnings.push(text),
			info() {},
			debug() {},
			error() {},
		},
		getCredentials: async () => ({
			baseUrl: world.baseUrl,
			accessToken: 'key',
			apiVersion: '2026-10-05',
			overrides: JSON.stringify(world.overrides),
		}),
		helpers: {
			async httpRequestWithAuthentication(_: string, { url, qs, body }: IHttpRequestOptions) {
				const { pathname } = new URL(url);
				const { limit, ...query } = (qs ?? {}) as IDataObject;
				world.requests.push([pathname, ...Object.values(query)].join(' '));
				const sent = body === undefined ? undefined : JSON.parse(String(body));
				const served = world.serve(pathname.replace('/v1', ''), query, sent);
				if (typeof served === 'number') {
					const error = { code: 'no', message: 'Authorization refused' };
					return { statusCode: served, headers: {}, body: JSON.stringify({ error }) };
				}
				const answer = Array.isArray(served) ? { data: served, has_more: false } : served;
				const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
				return { statusCode: 200, headers: {}, body: text };
			},
		},
		...more,
	} as unknown as IPollFunctions;
	return world;
}

const NESTED = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
const file = (id: string, fields: object = {}) => ({ id, name: `${id}.txt`, ...fields });
const ids = (items: any[]) => items.map(({ id }) => id);

describe('polls', () => {
	test('emit what is new since the first, once', async () => {
		const trigger = watch('projectAdded');
		trigger.lists(file('a'));
		expect(await trigger.poll()).toEqual([]);
		trigger.lists(file('a'), file('b'), file('c'));
		const items = await trigger.poll();
		expect(items).toMatchObject([
			{ id: 'b', name: 'b.txt', event: 'projectAdded' },
			{ id: 'c', name: 'c.txt', event: 'projectAdded' },
		]);
		expect(items[0].eventId).toMatch(/^projectAdded:b:\w+$/);
		expect(await trigger.poll()).toEqual([]);
		trigger.lists(file('b'), file('c'));
		await trigger.poll();
		await trigger.poll();
		await trigger.poll();
		trigger.lists(file('a'), file('b'), file('c'));
		const [again, ...others] = await trigger.poll();
		expect([again.id, others]).toEqual(['a', []]);
		expect(again.eventId.split(':')[2]).not.toBe(items[0].eventId.split(':')[2]);
		// One more than in the poll before that emitted something
		const [first, second] = [items[0], again].map(({ eventId }) =>
			parseInt(eventId.split(':')[2], 36),
		);
		expect(second - first).toBe(1);
	});

	test('emit existing items at first, if they are included', async () => {
		const trigger = watch('fileCreated', { projectIds: [P1], options: { existing: true } });
		trigger.lists(file('a'), file('b'));
		expect(await trigger.poll()).toEqual([
			{ ...file('a'), event: 'fileCreated', eventId: 'fileCreated:a' },
			{ ...file('b'), event: 'fileCreated', eventId: 'fileCreated:b' },
		]);
		expect(await trigger.poll()).toEqual([]);
	});

	test('emit at most Max Events per Poll, and the others next', async () => {
		const trigger = watch('projectAdded', { options: { existing: true, maxEvents: 2 } });
		trigger.lists(file('a'), file('b'), file('c'));
		expect(ids(await trigger.poll())).toEqual(['a', 'b']);
		expect(ids(await trigger.poll())).toEqual(['c']);
	});

	test('report a removal after three polls without the entry, with its last known values', async () => {
		const trigger = watch('customDomainRemoved', { siteId: [P1] });
		trigger.lists(file('a', { domain: 'a.example' }), file('b'));
		await trigger.poll();
		trigger.lists(file('b'));
		expect(await trigger.poll()).toEqual([]);
		expect(await trigger.poll()).toEqual([]);
		expect(await trigger.poll()).toEqual([
			{
				id: 'a',
				event: 'customDomainRemoved',
				eventId: expect.stringMatching(/^customDomainRemoved:a:/),
				previous: { domain: 'a.example' },
			},
		]);
		expect(await trigger.poll()).toEqual([]);
	});

	test('report a removed file with its project', async () => {
		const trigger = watch('fileRemoved', { projectIds: [P1] });
		trigger.lists(file('a'), file('b'));
		await trigger.poll();
		trigger.lists(file('b'));
		for (let polls = 0; polls < 2; polls++) expect(await trigger.poll()).toEqual([]);
		const [{ eventId, ...item }] = await trigger.poll();
		expect(item).toEqual({ id: 'a', projectId: P1, event: 'fileRemoved' });
		expect(eventId).toMatch(/^fileRemoved:a:/);
	});

	test("report a change with the old values where these are kept, by the event's own rule", async () => {
		const trigger = watch('taskUpdated');
		const task = { id: 'a', title: 'Links', rrule: 'x', nextRunAt: '2020-01-01T00:00:00Z' };
		trigger.lists(task);
		await trigger.poll();
		trigger.lists({ ...task, nextRunAt: '2020-01-02T00:00:00Z' });
		expect(await trigger.poll()).toEqual([]);
		trigger.lists({ ...task, title: 'Broken links', nextRunAt: '2020-01-02T00:00:00Z' });
		const [item] = await trigger.poll();
		expect(item).toMatchObject({ title: 'Broken links', previous: { title: 'Links' } });
		expect(item.eventId).toMatch(/^taskUpdated:a:[\w-]{11}:\w+$/);
		trigger.lists({ ...task, title: 'Links', nextRunAt: '2020-01-02T00:00:00Z' });
		const [back] = await trigger.poll();
		expect(back.eventId.split(':')[2]).not.toBe(item.eventId.split(':')[2]);
	});

	test('keep long values as their beginning, and still see a change at the end', async () => {
		const trigger = watch('taskUpdated');
		const title = 'x'.repeat(2_000);
		trigger.lists({ id: 'a', title: `${title}1` });
		await trigger.poll();
		expect(JSON.stringify(trigger.data).length).toBeLessThan(1_500);
		trigger.lists({ id: 'a', title: `${title}2` });
		const [{ previous }] = await trigger.poll();
		expect(previous.title).toMatch(/^"x{900,1000}.* [\w-]{20,}$/);
	});

	test('remember what n8n forgets: it saves the state only with items', async () => {
		const trigger = watch('projectAdded');
		trigger.lists(file('a'));
		await trigger.poll();
		trigger.data = {};
		trigger.lists(file('a'), file('b'));
		expect(ids(await trigger.poll())).toEqual(['b']);
		// n8n discarded these items together with the state: they are new again.
		trigger.data = {};
		expect(await trigger.poll()).toEqual([]);
	});

	test('emit again what n8n discarded together with the state', async () => {
		const trigger = watch('projectAdded');
		trigger.lists(file('a'));
		await trigger.poll();
		const before = trigger.data;
		trigger.data = structuredClone(before);
		trigger.lists(file('a'), file('b'));
		const [item] = await trigger.poll();
		trigger.data = before;
		expect(await trigger.poll()).toEqual([item]);
	});

	test('save nothing if nothing has changed', async () => {
		const trigger = watch('projectAdded');
		trigger.lists(file('a'));
		await trigger.poll();
		const { state } = trigger.data;
		expect(state).toMatchObject({ v: 3, turn: expect.any(Number) });
		await trigger.poll();
		expect(trigger.data.state).toBe(state);
	});

	test('emit nothing while the one before is still running', async () => {
		const trigger = watch('projectAdded', { options: { existing: true } });
		trigger.lists(file('a'));
		const [first, second] = await Promise.all([trigger.poll(), trigger.poll()]);
		expect([ids(first), second]).toEqual([['a'], []]);
		expect(trigger.requests).toHaveLength(1);
		trigger.lists(file('a'), file('b'));
		expect(ids(await trigger.poll())).toEqual(['b']);
	});

	test.each<[string, (trigger: ReturnType<typeof watch>) => void]>([
		['another filter', ({ parameters }) => (parameters.projectIds = [P2])],
		['another folder', ({ parameters }) => (parameters.parentId = P3)],
		['another event', ({ parameters }) => (parameters.event = 'fileUpdated')],
		['another service', (trigger) => (trigger.baseUrl = 'https://other.example.com/v1')],
		[
			'another override',
			(trigger) => (trigger.overrides = { listFiles: { answer: { id: 'name' } } }),
		],
	])('start anew for %s', async (_, change) => {
		const trigger = watch('fileCreated', { projectIds: [P1] });
		trigger.lists(file('a'));
		await trigger.poll();
		change(trigger);
		trigger.lists(file('a'), file('b'));
		expect(await trigger.poll()).toEqual([]);
	});

	test('of two workflows and two nodes are apart', async () => {
		const [one, other] = [watch('projectAdded'), watch('projectAdded')];
		one.lists(file('a'));
		await one.poll();
		other.lists(file('a'), file('b'));
		expect(await other.poll()).toEqual([]);
	});
});

describe('the watched lists', () => {
	test.each<[string, IDataObject, string[]]>([
		['projectAdded', {}, ['/v1/projects']],
		['taskAdded', {}, ['/v1/tasks']],
		['fileCreated', { projectIds: [P2, P1, P2] }, [`/v1/files ${P1}`, `/v1/files ${P2}`]],
		['fileCreated', { projectIds: [P1], parentId: P3 }, [`/v1/files ${P1} ${P3}`]],
		['fileCreated', {}, ['/v1/projects', `/v1/files ${P1}`, `/v1/files ${P2}`]],
		['productAdded', { projectId: P1 }, [`/v1/products ${P1}`]],
		['productAdded', {}, ['/v1/projects', `/v1/products ${P1}`, `/v1/products ${P2}`]],
		[
			'customDomainAdded',
			{ siteId: `${P1}, ${P2}` },
			[`/v1/custom-domains ${P1}`, `/v1/custom-domains ${P2}`],
		],
	])('of %s with %o are read by these requests', async (event, parameters, requests) => {
		const trigger = watch(event, parameters);
		trigger.serve = (path) => (path === '/projects' ? [{ id: P1 }, { id: P2 }] : []);
		await trigger.poll();
		expect(trigger.requests).toEqual(requests);
	});

	test.each(['/files', '/projects'])(
		'with several pages of %s take at most the time that n8n gives',
		async (paged) => {
			const open = (more: object) => {
				const trigger = watch('fileCreated', {}, more);
				trigger.serve = (path, { cursor }) =>
					path === paged && !cursor
						? { data: [{ id: P1 }], has_more: true, next_cursor: 'c' }
						: [{ id: cursor ? P2 : P1 }];
				return trigger;
			};
			const late = open({ getPollBudgetMs: () => -1 });
			expect(await late.fail()).toMatchObject({ message: 'Reading the list timed out' });
			expect(await open({}).poll()).toEqual([]);
		},
	);

	test('are those of the chosen tasks only', async () => {
		const trigger = watch('taskUpdated', { taskIds: [P1] });
		const list = (title: string) =>
			trigger.lists({ id: P1.toUpperCase(), title }, { id: P2, title });
		list('One');
		await trigger.poll();
		list('Two');
		expect(await trigger.poll()).toMatchObject([{ id: P1.toUpperCase(), title: 'Two' }]);
	});

	test('that are empty prove no removal: the key may have lost its access', async () => {
		const trigger = watch('fileRemoved', { projectIds: [P1] });
		trigger.lists(file('a'));
		await trigger.poll();
		trigger.lists();
		for (let polls = 0; polls < 4; polls++) expect(await trigger.poll()).toEqual([]);
	});

	test('in which one project is empty prove no removal from it', async () => {
		const trigger = watch('fileRemoved', { projectIds: [P1, P2] });
		trigger.serve = (_, { projectId }) => [file(projectId === P1 ? 'a' : 'b')];
		await trigger.poll();
		trigger.serve = (_, { projectId }) => (projectId === P1 ? [file('a')] : []);
		for (let polls = 0; polls < 4; polls++) expect(await trigger.poll()).toEqual([]);
	});

	test('for which something has to be set up log it, and prove no removal', async () => {
		const trigger = watch('fileRemoved', { projectIds: [P1] });
		trigger.lists(file('a'), file('b'));
		await trigger.poll();
		trigger.serve = () => ({
			data: [file('b')],
			has_more: false,
			setup_required: { message: 'Connect a workspace' },
		});
		for (let polls = 0; polls < 4; polls++) expect(await trigger.poll()).toEqual([]);
		expect(trigger.warnings[0]).toBe('The service asks for a set-up: Connect a workspace');
	});

	test.each([20_000, 20_001])('may have 20,000 entries, not %d', async (count) => {
		const trigger = watch('projectAdded');
		trigger.lists(...Array.from({ length: count }, (_, index) => ({ id: `p${index}` })));
		if (count === 20_000) expect(await trigger.poll()).toEqual([]);
		else
			expect(await trigger.fail()).toMatchObject({
				message: 'There are more than 20000 entries to watch',
				description:
					"All of them are read at every poll. Watch less: choose a folder or fewer projects, or use 'Rows Found' with a query that returns fewer rows.",
			});
	});
});

describe('rows', () => {
	const rows = (...data: object[]) => ({ data, rowCount: data.length });

	test('are identified by the key columns', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1', keyColumns: 'day, domain' });
		trigger.serve = () => rows({ day: 1, domain: 'a', views: 1 });
		await trigger.poll();
		trigger.serve = () =>
			rows({ day: 1, domain: 'a', views: 2 }, { day: 2, domain: 'a', views: 1 });
		const [item, ...others] = await trigger.poll();
		expect([item.day, others]).toEqual([2, []]);
		expect(item.eventId).toMatch(/^rowsFound:[\w-]{20,}:\w+$/);
	});

	test('are identified by all columns without any', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1' });
		trigger.serve = (_, __, body) => rows({ sql: body.query, views: 1 });
		await trigger.poll();
		trigger.serve = () => rows({ views: 1, sql: 'SELECT 1' }, { sql: 'SELECT 1', views: 2 });
		expect(await trigger.poll()).toMatchObject([{ views: 2 }]);
	});

	test.each([
		['another query', { query: 'SELECT 2' }],
		['other key columns', { keyColumns: 'b' }],
	])('of %s are a new start', async (_, change) => {
		const trigger = watch('rowsFound', { query: 'SELECT 1', keyColumns: 'a' });
		trigger.serve = () => rows({ a: 1, b: 1 });
		await trigger.poll();
		Object.assign(trigger.parameters, change);
		trigger.serve = () => rows({ a: 2, b: 2 });
		expect(await trigger.poll()).toEqual([]);
	});

	test('may be 20,000, and no more', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1' });
		trigger.serve = () => rows(...Array.from({ length: 20_001 }, (_, n) => ({ n })));
		expect((await trigger.fail()).message).toBe('There are more than 20000 entries to watch');
	});

	test('that are gone at once and return are new', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1' });
		for (const [shown, count] of [
			[[{ n: 1 }, { n: 2 }], 0],
			[[{ n: 1 }], 0],
			[[{ n: 1 }, { n: 2 }], 1],
		] as const) {
			trigger.serve = () => rows(...shown);
			expect(await trigger.poll()).toHaveLength(count);
		}
	});

	test.each<[string, object[], string, string]>([
		[
			'event',
			[{ event: 1 }],
			"'Query' returns a column named event",
			'The trigger adds a field of that name to each row. Give the column another name with AS.',
		],
		[
			'eventId',
			[{ eventId: 1 }],
			"'Query' returns a column named eventId",
			'The trigger adds a field of that name to each row. Give the column another name with AS.',
		],
		[
			'no key',
			[{ views: 1, pages: 2 }],
			"'Key Columns' names a column that the query doesn't return: day",
			'It returns: views, pages.',
		],
	])('with %s are refused', async (_, data, message, description) => {
		const trigger = watch('rowsFound', { query: 'SELECT 1', keyColumns: 'day' });
		trigger.serve = () => rows(...data);
		expect(await trigger.fail()).toMatchObject({ message, description });
	});

	test('without any lack no key column', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1', keyColumns: 'day' });
		trigger.serve = () => rows();
		expect(await trigger.poll()).toEqual([]);
	});

	test('that are nested too deeply are refused', async () => {
		const trigger = watch('rowsFound', { query: 'SELECT 1' });
		trigger.serve = () => `{"data":[${NESTED}]}`;
		expect(await trigger.fail()).toMatchObject({
			message: "The row can't be compared",
			description: 'Its values are nested too deeply. Watch something else, or remove it.',
		});
	});
});

describe('Fetch Test Event', () => {
	const sample = (event: string, parameters: IDataObject = {}) => {
		const trigger = watch(event, parameters);
		trigger.mode = 'manual';
		return trigger;
	};

	test('returns the newest entry, and saves nothing', async () => {
		const trigger = sample('fileCreated', { projectIds: [P1, P2] });
		trigger.serve = (_, { projectId }) => [
			file('undated'),
			file(`${projectId === P1 ? 'old' : 'new'}`, {
				createdAt: projectId === P1 ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z',
			}),
		];
		const [item, ...others] = await trigger.poll();
		expect([item.id, item.event, others]).toEqual(['new', 'fileCreated', []]);
		expect(item.eventId).toMatch(/^fileCreated:new:\w+$/);
		expect(trigger.data).toEqual({});
	});

	test('returns the first of several that are equally old', async () => {
		const trigger = sample('projectAdded');
		trigger.lists(file('a'), file('b'));
		expect(ids(await trigger.poll())).toEqual(['a']);
	});

	test('shows an entry as removed if the event is a removal', async () => {
		const trigger = sample('fileRemoved', { projectIds: [P1] });
		trigger.lists(file('a'));
		const [{ eventId, ...item }] = await trigger.poll();
		expect(item).toEqual({ id: 'a', projectId: P1, event: 'fileRemoved' });
	});

	test('says if there is nothing to show, and what has to be set up', async () => {
		const trigger = sample('customDomainAdded', { siteId: P1 });
		trigger.serve = () => ({ data: [], has_more: false, setup_required: { message: 'Set up.' } });
		expect(await trigger.fail()).toMatchObject({
			message: 'There is no custom domain to show as a sample',
			description:
				'Fetch Test Event shows the newest custom domain that exists, and there is none. The trigger works all the same: publish or activate the workflow. The service asks for a set-up: Set up.',
		});
	});
});

describe('a poll that fails', () => {
	const BUDGET = { getPollBudgetMs: () => 5_000 };

	test('is an error when a user activates the trigger, and tells n8n 2.41 the cause', async () => {
		for (const [more, failure] of [
			[{}, undefined],
			[BUDGET, { cause: 'credential-invalid' }],
		] as const) {
			const trigger = watch('projectAdded', {}, more);
			trigger.serve = () => 401;
			const error = await trigger.fail();
			expect(error.message).not.toContain('Authorization');
			expect([error.httpCode, error.failure]).toEqual(['401', failure]);
		}
	});

	test('is a warning at the first poll after a start of n8n, and the next one is an error', async () => {
		const trigger = watch('projectAdded');
		trigger.activation = 'init';
		trigger.serve = () => 401;
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.warnings).toEqual([
			expect.stringMatching(/^A poll of "Watch" failed\. The next one retries\. ./),
		]);
		await trigger.fail();
		trigger.lists(file('a'));
		expect(await trigger.poll()).toEqual([]);
	});

	test('is a warning for two polls without the watched things, and then an error, until one succeeds', async () => {
		const trigger = watch('projectAdded');
		const failures = async () => {
			trigger.serve = () => 404;
			await trigger.poll();
			await trigger.poll();
			await trigger.fail();
		};
		trigger.lists(file('a'));
		await trigger.poll();
		await failures();
		trigger.lists(file('a'), file('b'));
		expect(ids(await trigger.poll())).toEqual(['b']);
		await failures();
	});

	test('is an error if nothing was ever read', async () => {
		const trigger = watch('projectAdded');
		trigger.serve = () => 404;
		await trigger.fail();
	});

	test.each<[string, string, IDataObject, string, string]>([
		[
			'a folder of several projects',
			'fileCreated',
			{ projectIds: [P1, P2], parentId: P3 },
			"'Folder' goes with a single project",
			"A folder is in one project: choose that one under 'Project Names or IDs', or leave 'Folder' empty.",
		],
		[
			'a folder without a project',
			'fileCreated',
			{ parentId: P3 },
			"'Folder' goes with a single project",
			"A folder is in one project: choose that one under 'Project Names or IDs', or leave 'Folder' empty.",
		],
		['an invalid ID', 'taskAdded', {}, '', ''],
	])(
		'because of %s is an error in the settings, also later',
		async (_, event, wrong, message, description) => {
			const trigger = watch(event === 'taskAdded' ? 'taskUpdated' : event, {}, BUDGET);
			trigger.lists();
			await trigger.poll();
			Object.assign(trigger.parameters, event === 'taskAdded' ? { taskIds: ['x'] } : wrong);
			const error = await trigger.fail();
			expect(error.failure).toEqual({ cause: 'configuration-invalid' });
			if (message) expect(error).toMatchObject({ message, description });
		},
	);

	test('because of an entry that is nested too deeply names the entry', async () => {
		const trigger = watch('productUpdated', { projectId: P1 });
		trigger.serve = () => `{"data":[{"id":"p1","deep":${NESTED}}],"has_more":false}`;
		expect(await trigger.fail()).toMatchObject({ message: "The product p1 can't be compared" });
	});
});
