import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRequest, readAnswer } from '../../nodes/shared/api/operations.ts';
import {
	ASSUMED_REQUESTS,
	placeholdersOf,
	type OperationId,
} from '../../nodes/shared/api/assumedRequests.ts';
import { readOverrides, type Overrides } from '../../nodes/shared/api/overrides.ts';
import { readNewSessionId } from '../../nodes/shared/api/nonIdempotent.ts';
import { operations as contract } from '../../openapi/contract.mts';

const operations = Object.keys(ASSUMED_REQUESTS) as OperationId[];
const ID = '123e4567-e89b-12d3-a456-426614174000';

describe('the assumed requests', () => {
	test('are those of the contract, each under its operation id', () => {
		const known = contract.map(({ method, path }) => `${method} ${path}`);
		for (const operation of operations) {
			const { method, path } = ASSUMED_REQUESTS[operation];
			expect(known).toContain(`${method} ${path}`);
		}
		const assumed = operations.map(
			(each) => `${ASSUMED_REQUESTS[each].method} ${ASSUMED_REQUESTS[each].path}`,
		);
		expect(known.filter((each) => !assumed.includes(each))).toEqual([]);
	});
});

describe('a mistake in Overrides is named', () => {
	test.each<[unknown, RegExp, RegExp]>([
		['{oops', /'Overrides' is not a valid JSON object/, /JSON object/],
		[
			{ createSession: {} },
			/unknown operation "createSession"/,
			/Did you mean "createAgentSession"/,
		],
		[{ getTask: 5 }, /no JSON object for "getTask"/, /createAgentSession/],
		[{ getTask: { pth: '/x' } }, /unknown field "pth"/, /Did you mean "path"/],
		[{ getTask: { method: 'get' } }, /mistake in "method"/, /one of GET, POST/],
		[{ getTask: { path: 'tasks' } }, /mistake in "path"/, /below the base URL/],
		[{ getTask: { path: '/a/../b' } }, /mistake in "path"/, /below the base URL/],
		[{ getTask: { path: '/tasks?x=1' } }, /mistake in "path"/, /without a query string/],
		[{ getTask: { version: 'latest' } }, /mistake in "version"/, /a date/],
		[{ listTasks: { query: [] } }, /mistake in "query"/, /JSON object/],
		[{ listTasks: { answer: { data: 5 } } }, /mistake in "answer"/, /dotted paths/],
		[
			{ listTasks: { query: { a: '{limt}' } } },
			/unknown placeholder "limt"/,
			/Did you mean "limit"/,
		],
		[
			{ listTasks: { answer: { items: 'x' } } },
			/unknown answer "items"/,
			/data, next_cursor, has_more/,
		],
		[{ getTask: { answer: { id: 'x' } } }, /unknown answer "id"/, /none to override/],
		[
			{ sendAgentMessage: { body: { a: [{ b: 'x{message}y' }] } } },
			/unknown placeholder "message"/,
			/sessionId, text/,
		],
	])('%j', (value, message, description) => {
		expect(() => readOverrides(value)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(description),
			}),
		);
	});

	test('and nothing else is refused', () => {
		for (const operation of operations) {
			const all = Object.fromEntries(placeholdersOf(operation).map((name) => [name, `{${name}}`]));
			const path = `/x/{${placeholdersOf(operation)[0] ?? ''}}`.replace('/{}', '');
			const override = {
				method: 'PUT',
				path,
				query: all,
				body: { deep: [all] },
				version: '2027-01-01',
			};
			expect(readOverrides(JSON.stringify({ [operation]: override }))).toEqual({
				[operation]: override,
			});
		}
		expect([readOverrides(undefined), readOverrides(''), readOverrides('{}')]).toEqual([
			{},
			{},
			{},
		]);
	});
});

describe('a request', () => {
	const override = (overrides: object) => readOverrides(overrides);

	test('is as the override writes it, with each value in its place and of its type', () => {
		const overrides = override({
			createAgentSession: {
				method: 'PUT',
				path: '/projects/{projectId}/runs',
				query: { source: 'n8n' },
				body: { input: [{ type: 'text', text: '{prompt}' }], note: 'For {projectId}: {prompt}' },
				version: '2027-01-01',
			},
		});
		const request = createRequest(
			'createAgentSession',
			{ projectId: 'a/b', prompt: 'Hi' },
			overrides,
		);
		expect(request).toMatchObject({
			method: 'PUT',
			path: '/projects/a%2Fb/runs',
			query: { source: 'n8n' },
			body: { input: [{ type: 'text', text: 'Hi' }], note: 'For a/b: Hi' },
			version: '2027-01-01',
			idempotent: false,
		});
	});

	test('leaves out what has no value, and keeps null, false, zero and the empty text', () => {
		expect(createRequest('updateTask', { taskId: ID, title: '' }, {}).body).toEqual({ title: '' });
		expect(createRequest('moveFile', { fileId: ID, parentId: null }, {}).body).toEqual({
			parentId: null,
		});
		expect(createRequest('createFile', { kind: 'folder', name: 'a' }, {}).body).toEqual({
			kind: 'folder',
			name: 'a',
		});
		const { query } = createRequest('listTasks', { limit: 0, cursor: undefined }, {});
		expect(query).toEqual({ limit: 0 });
	});

	test('never looks into a value, whatever it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.string(), (value, text) => {
				const hostile = `{projectId} ${text} {prompt}`;
				const { body } = createRequest(
					'createAgentSession',
					{ projectId: value, prompt: hostile },
					{},
				);
				expect(body).toEqual({ projectId: value, prompt: hostile });
			}),
		);
		const date = new Date(0);
		const extra = { '@limit': 1, when: date, '{prompt}': '{prompt}' };
		const { body } = createRequest('createProduct', { projectId: ID }, {}, extra);
		expect(body).toEqual({ projectId: ID, '@limit': 1, when: date, '{prompt}': '{prompt}' });
	});

	test("puts the user's own fields over the body", () => {
		const values = { projectId: ID, prompt: 'Hi' };
		const { body } = createRequest(
			'createAgentSession',
			values,
			{},
			{ prompt: 'Mine', model: 'x' },
		);
		expect(body).toEqual({ projectId: ID, prompt: 'Mine', model: 'x' });
	});

	test.each(['.', '..'])('refuses the ID %j, which would lead to another path', (interactionId) => {
		const values = { sessionId: ID, interactionId, type: 'permission', option: 'x' };
		expect(() => createRequest('resolveInteraction', values, {})).toThrow(/consists of dots/);
	});

	test('without a value for its path is refused', () => {
		expect(() => createRequest('getTask', {}, {})).toThrow(/needs a value for {taskId}/);
	});
});

describe('the id of a new session is read', () => {
	const of = (body: unknown, headers = {}, overrides: Overrides = {}) =>
		readNewSessionId({ status: 202, headers, body }, overrides);

	test.each<[unknown]>([
		[{ sessionId: 'a' }],
		[{ session_id: 'a' }],
		[{ id: 'a' }],
		[{ session: { sessionId: 'a' } }],
		[{ session: { id: 'a' } }],
		[{ data: { session_id: 'a' } }],
		[{ data: { id: 'a' } }],
		[{ sessionId: '', id: 'a' }],
	])('from %j', (body) => expect(of(body)).toBe('a'));

	test('from the end of a Location header', () => {
		expect(of(undefined, { location: 'https://x.test/v1/agent/sessions/a?x=1' })).toBe('a');
		expect(of({}, { location: '/agent/sessions/a/' })).toBe('a');
	});

	test('from where the override says', () => {
		const overrides = readOverrides({
			createAgentSession: { answer: { sessionId: 'runs.0.key' } },
		});
		expect(of({ id: 'wrong', runs: [{ key: 'a' }] }, {}, overrides)).toBe('a');
	});

	test('and where there is none, the error quotes the response and names the override', () => {
		expect(() => of({ run: { key: 'abc' } })).toThrow(
			expect.objectContaining({
				message: 'A session was started, but the response has no session ID',
				description: expect.stringMatching(/\{"run":\{"key":"abc"\}\}.*"answer": \{"sessionId"/),
			}),
		);
	});
});

test('nothing is read from what every object inherits', () => {
	const overrides = readOverrides({
		createAgentSession: { answer: { sessionId: 'constructor.name' } },
	});
	expect(readAnswer('createAgentSession', 'sessionId', {}, overrides)).toBeUndefined();
});
