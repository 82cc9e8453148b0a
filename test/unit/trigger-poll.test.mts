// Lists that prove nothing, or take the trigger too long.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { pollTrigger } from '../../nodes/WorkspaceAutomationTrigger/pollTrigger.ts';

const [P1, P2] = ['a', 'b'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

/** The response to a request: a list, or another body */
type Serve = (path: string, query: IDataObject) => unknown;
let workflows = 0;

/** A trigger in its own workflow, and an n8n that polls it. */
function watch(event: string, parameters: IDataObject = {}, more: object = {}) {
	const world = {
		data: {} as IDataObject,
		warnings: [] as string[],
		serve: (() => []) as Serve,
		/** Lets this list be served from now on. */
		lists: (...entries: unknown[]) => void (world.serve = () => entries),
		/** Polls, and returns the JSON of the items. */
		poll: async (): Promise<any[]> => {
			const outputs = await pollTrigger(context);
			if (!outputs) return [];
			return outputs[0].map(({ json }) => json);
		},
	};
	const id = String(++workflows);
	const values: IDataObject = { event, ...parameters };
	const read = (name: string, fallback: unknown) =>
		name.split('.').reduce<any>((value, part) => value?.[part], values) ?? fallback;
	const context = {
		getMode: () => 'trigger',
		getActivationMode: () => 'activate',
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
			baseUrl: 'https://api.example.com/v1',
			accessToken: 'key',
			apiVersion: '2026-10-05',
		}),
		helpers: {
			async httpRequestWithAuthentication(_: string, { url, qs }: IHttpRequestOptions) {
				const path = new URL(url).pathname.replace('/v1', '');
				const served = world.serve(path, (qs ?? {}) as IDataObject);
				const body = Array.isArray(served) ? { data: served, has_more: false } : served;
				return { statusCode: 200, headers: {}, body: JSON.stringify(body) };
			},
		},
		...more,
	} as unknown as IPollFunctions;
	return world;
}
const file = (id: string, fields: object = {}) => ({ id, name: `${id}.txt`, ...fields });

describe('the watched lists', () => {
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
			await expect(late.poll()).rejects.toThrow('Reading the list timed out');
			expect(await open({}).poll()).toEqual([]);
		},
	);

	test('of projects in any order are read in one order, each once', async () => {
		const trigger = watch('fileCreated', { projectIds: [P2, P1, P2] });
		const read: unknown[] = [];
		trigger.serve = (_, { projectId }) => {
			read.push(projectId);
			return [];
		};
		await trigger.poll();
		expect(read).toEqual([P1, P2]);
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
			await expect(trigger.poll()).rejects.toMatchObject({
				message: 'There are more than 20000 entries to watch',
				description:
					"All of them are read at every poll. Watch less: choose a folder or fewer projects, or use 'Rows Found' with a query that returns fewer rows.",
			});
	});
});
