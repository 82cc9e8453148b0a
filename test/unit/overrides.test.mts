import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OperationRow } from '../../nodes/shared/client/apiTypes.ts';
import type { CallOptions, OperationId, Values } from '../../nodes/shared/client/operations.ts';
import { OPERATIONS } from '../../nodes/shared/client/operationTable.ts';
import {
	allowedPlaceholders,
	applyOverride,
	readField,
	readOverrides,
} from '../../nodes/shared/client/overrides.ts';
import { readNewSessionId } from '../../nodes/shared/client/session.ts';
import { apiWith } from '../support/apiWith.mts';

const operations = Object.keys(OPERATIONS) as OperationId[];
const ID = '123e4567-e89b-12d3-a456-426614174000';

describe('an invalid value in Overrides is named', () => {
	test.each<[unknown, RegExp, RegExp]>([
		['{{ $json.overrides }}', /come from an expression/, /Enter them as JSON without/],
		['{"getTask": {"path": "/{{ $json.path }}"}}', /come from an expression/, /without \{\{ \}\}/],
		['{oops', /'Overrides' isn't a valid JSON object/, /JSON object/],
		[{ createSession: {} }, /has an unknown operation "createSession"/, /There are: /],
		[{ getTask: 5 }, /no JSON object for "getTask"/, /createAgentSession/],
		[{ getTask: { pth: '/x' } }, /unknown field "pth"/, /There are: /],
		[{ getTask: { method: 'get' } }, /an invalid "method"/, /one of GET, POST/],
		[{ getTask: { path: 'tasks' } }, /an invalid "path"/, /below the base URL/],
		[{ getTask: { path: '/a/../b' } }, /an invalid "path"/, /below the base URL/],
		[{ getTask: { path: '/tasks?x=1' } }, /an invalid "path"/, /without a query string/],
		[{ getTask: { version: 'x2026-10-05' } }, /an invalid "version"/, /a date/],
		[{ listTasks: { query: [] } }, /an invalid "query"/, /JSON object, such as/],
		[{ createFile: { body: [] } }, /in "createFile" an invalid "body"/, /such as {"input"/],
		[{ listTasks: { answer: { data: 'x' } } }, /unknown field "answer"/, /, response, words/],
		[{ listTasks: { response: { data: ' ' } } }, /an invalid "response"/, /dotted paths/],
		[
			{ listTasks: { response: { data: 'x'.repeat(201) } } },
			/an invalid "response"/,
			/dotted paths/,
		],
		[{ listTasks: { words: { text: 'x' } } }, /unknown word "text"/, /Nothing can be overridden/],
		[{ listTasks: { query: { a: '{limt}' } } }, /unknown placeholder "limt"/, /There are: /],
		[
			{ listTasks: { response: { items: 'x' } } },
			/unknown response value "items"/,
			/data, has_more, next_cursor/,
		],
		[{ createFile: { words: { folder: 'x' } } }, /unknown word "folder"/, /text, base64, asset/],
		[{ createFile: { words: { text: '' } } }, /an invalid "words"/, /JSON object of texts/],
		[
			{ getTask: { response: { id: 'x' } } },
			/unknown response value "id"/,
			/Nothing can be overridden/,
		],
		[
			{ resolveInteraction: { body: { type: '{type}', response: 'once' } } },
			/in "resolveInteraction" no place for the decision/,
			/^Add \{decision\} or \{approved\} or \{option\} to its "body"\.$/,
		],
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
});

describe('a request', () => {
	/** Returns the request of an operation. */
	async function getRequest(
		operation: OperationId,
		values: Values,
		overrides: object = {},
		options: CallOptions = {},
	) {
		const { api, sent, clock } = await apiWith({ body: {} }, overrides);
		const reconcile = async () => 'unknown' as const;
		await clock.run(api.call(operation, values, { reconcile, ...options }));
		return sent[0];
	}

	test('is written like the override, with each value in its place and of its type', async () => {
		const overrides = {
			createAgentSession: {
				method: 'PUT',
				path: '/projects/{projectId}/runs',
				query: { source: 'n8n' },
				body: { input: [{ type: 'text', text: '{prompt}' }], note: 'For {projectId}: {prompt}' },
				version: '2027-01-01',
			},
		};
		const values = { projectId: 'a/b', prompt: 'Hi' };
		const request = await getRequest('createAgentSession', values, overrides);
		expect(request).toMatchObject({
			method: 'PUT',
			path: '/projects/a%2Fb/runs',
			query: { source: 'n8n' },
			body: { input: [{ type: 'text', text: 'Hi' }], note: 'For a/b: Hi' },
			headers: { 'Service-Api-Version': '2027-01-01' },
		});
	});

	test('never reads into a value, for any value', async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, text) => {
				const hostile = `{projectId} ${text} {prompt}`;
				const values = { projectId: value, prompt: hostile };
				const { body } = await getRequest('createAgentSession', values);
				expect(body).toEqual(JSON.parse(JSON.stringify(values)));
			}),
		);
		const extra = { '@limit': 1, '{prompt}': '{prompt}' };
		const { body } = await getRequest('createProduct', { projectId: ID }, {}, { extra });
		expect(body).toEqual({ projectId: ID, ...extra });
	});

	const decision = { sessionId: ID, interactionId: 'i1', type: 'permission', option: 'once' };
	const nested = { resolveInteraction: { body: { response: { value: '{option}' } } } };
	const start = { projectId: ID, prompt: 'Hi' };

	test.each<[OperationId, Values, object, object, unknown]>([
		['createAgentSession', start, {}, { model: 'x' }, { ...start, model: 'x' }],
		[
			'resolveInteraction',
			decision,
			nested,
			{ response: { comment: 'x' } },
			{ response: { value: 'once', comment: 'x' } },
		],
		['updateProduct', { productId: 'p1' }, {}, { projectId: 'other' }, { projectId: 'other' }],
	])(
		"adds the user's fields to the body of %s",
		async (operation, values, overrides, extra, body) => {
			const request = await getRequest(operation, values, overrides, { extra } as CallOptions);
			expect(request.body).toEqual(body);
		},
	);

	test.each<[OperationId, Values, object, object, string]>([
		['createAgentSession', start, {}, { prompt: 'Mine' }, 'prompt'],
		['createAgentSession', start, {}, { project_id: 'x' }, 'project_id'],
		['sendAgentMessage', { sessionId: ID, text: 'Hi' }, {}, { text: ['Mine'] }, 'text'],
		['updateProduct', { productId: 'p1', projectId: ID }, {}, { projectId: 'x' }, 'projectId'],
		['resolveInteraction', { ...decision, approved: false }, {}, { approved: true }, 'approved'],
		['resolveInteraction', decision, nested, { response: { value: 'always' } }, 'response.value'],
		['resolveInteraction', decision, nested, { response: 'always' }, 'response'],
	])(
		'is refused if a field of the user replaces what the node decides: %s',
		async (operation, values, overrides, extra, name) => {
			const request = getRequest(operation, values, overrides, { extra } as CallOptions);
			await expect(request).rejects.toMatchObject({
				message: `A field of the node decides "${name}"`,
				description: expect.stringContaining(`Remove "${name}" from the JSON`),
			});
		},
	);

	test.each<[object, Values]>([
		[{ approved: '{approved}' }, decision],
		[{ response: '{option}' }, { ...decision, option: undefined, decision: 'deny' }],
	])('is refused if it has no place for the decision: %j', async (body, values) => {
		const request = getRequest('resolveInteraction', values, { resolveInteraction: { body } });
		await expect(request).rejects.toMatchObject({
			message: expect.stringMatching(/has no place for this decision in "resolveInteraction"$/),
			description: expect.stringMatching(/^Nothing was sent. Add \{(option|decision)\} to its/),
		});
	});

	test.each(['.', '..'])(
		'refuses the ID %j, which would change the path',
		async (interactionId) => {
			const values = { sessionId: ID, interactionId, type: 'permission', option: 'x' };
			await expect(getRequest('resolveInteraction', values)).rejects.toMatchObject({
				message: 'The ID consists of dots',
				description: expect.stringContaining('would address another resource. Copy the ID'),
			});
		},
	);

	test.each([undefined, null, ''])('with %j in its path is refused', async (taskId) => {
		await expect(getRequest('getTask', { taskId })).rejects.toMatchObject({
			message: 'The path of getTask needs a value for {taskId}',
			description: expect.stringContaining("correct the path of getTask under 'Overrides'"),
		});
	});
});

describe('the ID of a new session is read', () => {
	async function of(body: unknown, overrides = {}) {
		const { api } = await apiWith({}, overrides);
		return readNewSessionId(api, { status: 202, headers: {}, body });
	}

	test.each<[unknown]>([[{ sessionId: 'a', id: 'b' }], [{ id: 'a', session_id: 'b' }]])(
		'from %j',
		async (body) => expect(await of(body)).toBe('a'),
	);

	test.each<[unknown]>([
		[{ session_id: 'a' }],
		[{ sessionId: 7 }],
		[{ id: null }],
		[{ session: { id: 'a' } }],
		[{ data: { sessionId: 'a' } }],
		[undefined],
	])('and from nowhere else: %j', async (body) => {
		await expect(of(body)).rejects.toThrow('the response has no session ID');
	});

	test('from the place in the override', async () => {
		const overrides = { createAgentSession: { response: { sessionId: 'runs.0.key' } } };
		expect(await of({ id: 'wrong', runs: [{ key: 'a' }] }, overrides)).toBe('a');
	});

	test('and if it is missing, the error quotes the response and names the override', async () => {
		await expect(of({ run: { key: 'abc' } })).rejects.toMatchObject({
			message: 'A session was started, but the response has no session ID',
			description: expect.stringMatching(/\{"run":\{"key":"abc"\}\}.*"response": \{"sessionId"/),
		});
	});
});

describe('a rejection of an assumed request names the override', () => {
	test.each(operations)('%s', async (operation) => {
		const values = Object.fromEntries(allowedPlaceholders(operation).map((name) => [name, 'x']));
		const { assumed, version }: OperationRow = OPERATIONS[operation];
		for (const status of [400, 404, 405, 415, 422]) {
			const { api, clock } = await apiWith({ status, body: {} });
			const reconcile = async () => 'unknown' as const;
			const error = await clock.run(api.call(operation, values, { reconcile }).catch((e) => e));
			const isOpen = assumed !== undefined || version !== undefined;
			const named = status === 404 ? assumed === 'path' : isOpen;
			const quoted = String(error.description).includes(`{"${operation}": {`);
			expect([status, quoted]).toEqual([status, named]);
		}
	});
});

test('inherited properties of objects are never read', async () => {
	const overrides = { createAgentSession: { response: { sessionId: 'constructor.name' } } };
	const { api } = await apiWith({}, overrides);
	expect(api.readField('createAgentSession', 'sessionId', {})).toBeUndefined();
});

test('an overridden place is the only one, even if its value is empty', () => {
	const operation = applyOverride('listTasks', { response: { next_cursor: 'next' } });
	expect(readField(operation, 'next_cursor', { next: '', next_cursor: 'c' })).toBe('');
	expect(readField(applyOverride('listTasks'), 'next_cursor', { next: 'c' })).toBeUndefined();
});
