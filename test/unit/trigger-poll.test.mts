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
const file = (id: string, fields: object = {}) => ({ id, name: `${id}.txt`, ...fields });

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
});
