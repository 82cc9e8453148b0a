// Items of Workspace Automation where the service answers with nothing, with less than expected, or with more than was asked for.
import { describe, expect, jest, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { getList, Status, useAnswers, type Asked } from './answers.mts';
import { logger, operation, run, search } from './engine.mts';
import { byId as rl } from '../../n8n-host/workflows.mts';

const service = useAnswers();
const ID = '123e4567-e89b-12d3-a456-426614174000';
const FOLDER = '223e4567-e89b-12d3-a456-426614174000';
const OTHER = '323e4567-e89b-12d3-a456-426614174000';

const setup = (does: string, parameters: IDataObject = {}) =>
	operation(does, parameters, service.credentials);
const items = async (does: string, parameters?: IDataObject) => {
	const { outputs, error } = await run(setup(does, parameters));
	if (error) throw error;
	return outputs[0].map(({ json }) => json);
};
const writes = () => service.requests.filter(({ method }) => method !== 'GET');

describe('an empty response', () => {
	const fields = JSON.stringify({ name: 'Gift card', price: 25 });
	const sent = { name: 'Gift card', price: 25 };
	test.each<[string, IDataObject, object]>([
		['product.create', { projectId: rl(ID), fields }, { projectId: ID, ...sent }],
		['product.update', { productId: rl('p-1'), fields }, { productId: 'p-1', ...sent }],
		['file.rename', { fileId: rl(ID), name: 'b.md' }, { fileId: ID, name: 'b.md' }],
		['file.move', { fileId: rl(ID), parentId: rl(FOLDER) }, { fileId: ID, parentId: FOLDER }],
		['agentSession.abort', { sessionId: rl(ID) }, { sessionId: ID }],
		[
			'agentSession.sendMessage',
			{ sessionId: rl(ID), message: 'Go on', additionalFields: { body: '{"model":"large"}' } },
			{ sessionId: ID, model: 'large' },
		],
	])(
		"of %s succeeds once: the item has the sent values, with the API's names",
		async (...given) => {
			const [does, parameters, expected] = given;
			service.answer = ({ method }) =>
				method === 'GET'
					? { sessionId: ID, status: 'completed', pendingInteractions: [] }
					: undefined;
			expect(await items(does, parameters)).toEqual([expected]);
			expect(writes()).toHaveLength(1);
		},
	);
});

test('an empty response to a decision is followed by one read: the item is the session as it is now', async () => {
	const session = { sessionId: ID, status: 'running', pendingInteractions: [] };
	service.answer = ({ method }) => (method === 'GET' ? session : undefined);
	const decision = { interactionId: 'i1', decision: 'option', optionValue: 'once' };
	const resolve = { sessionId: rl(ID), ...decision };
	expect(await items('agentSession.resolveInteraction', resolve)).toEqual([session]);
	expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	// A session that can't be read doesn't undo the decision.
	service.answer = ({ method }) => (method === 'GET' ? new Status(403) : undefined);
	expect(await items('agentSession.resolveInteraction', resolve)).toEqual([
		{ sessionId: ID, interactionId: 'i1' },
	]);
});

describe('a response without what was asked for', () => {
	test.each([null, [], 'hello', 42, { status: 7 }])(
		'is no session, also without Simplify: %j',
		async (answer) => {
			service.answer = () => JSON.stringify(answer);
			for (const simplify of [true, false])
				await expect(
					items('agentSession.get', { sessionId: rl(ID), simplify }),
				).rejects.toMatchObject({
					message: expect.stringMatching(/^The service's session can't be read: /),
				});
		},
	);
});

test('JSON after a byte order mark is read', async () => {
	service.answer = () => `\ufeff{"object": "task", "id": "${ID}", "big": 12345678901234567890}`;
	expect(await items('task.get', { taskId: rl(ID) })).toEqual([
		{ object: 'task', id: ID, big: '12345678901234567890' },
	]);
});

test.each<[object, string]>([
	[{ sessionId: null, id: ID }, ID],
	[{ sessionId: ID.toUpperCase() }, ID],
])('a new session has its ID under `sessionId`: %j', async (answer, sessionId) => {
	service.answer = () => answer;
	const start = { projectId: rl(ID), prompt: 'x' };
	expect(await items('agentSession.create', start)).toMatchObject([{ sessionId }]);
});

describe('If It Exists returns', () => {
	const create = {
		projectId: rl(ID),
		name: 'a.md',
		contentSource: 'text',
		text: 'x',
		ifExists: 'skip',
	};
	const file = (id: string, fields: object = {}) => ({ id, name: 'a.md', kind: 'file', ...fields });
	const existing = (...files: object[]) => {
		service.answer = ({ method }: Asked) =>
			method === 'GET' ? getList({ id: 'x', name: 'b.md' }, ...files) : new Status(409);
	};
	const within = (parentId: string) => ({ ...create, parentId: rl(parentId) });

	test.each<[string, object[], IDataObject]>([
		['the one in My Files', [file('far', { parentId: OTHER }), file('here')], create],
		['the only one', [file('here', { parentId: FOLDER })], create],
		[
			'the one of that kind',
			[file('here'), file('far', { parentId: OTHER, kind: 'folder' })],
			create,
		],
		['the one in the folder', [file('here', { parentId: FOLDER })], within(FOLDER)],
	])('%s', async (_, files, parameters) => {
		existing(...files);
		expect(await items('file.create', parameters)).toMatchObject([{ id: 'here' }]);
	});

	test.each<[string, object[], IDataObject]>([
		[
			'of which one is in another folder',
			[file('1', { parentId: FOLDER }), file('2', { parentId: OTHER })],
			create,
		],
		['that is a folder', [file('1', { kind: 'folder' })], create],
		[
			'beside a folder elsewhere',
			[file('1', { kind: 'folder' }), file('2', { parentId: OTHER })],
			create,
		],
		['that says no folder', [file('1')], within(FOLDER)],
		['that is not listed', [], create],
	])('no file %s: the conflict is an error', async (_, files, parameters) => {
		existing(...files);
		await expect(items('file.create', parameters)).rejects.toMatchObject({ httpCode: '409' });
	});

	test('no file of another folder, even if the service lists it', async () => {
		existing(file('1', { parentId: OTHER }));
		await expect(items('file.create', within(FOLDER))).rejects.toMatchObject({
			message: 'The service returned entries of another parentId',
		});
	});
});

describe('analytics', () => {
	const query = { query: 'SELECT 1' };
	test("a number of rows that differs from the service's count is a warning in the log", async () => {
		const warn = jest.spyOn(logger(), 'warn');
		service.answer = () => ({ rowCount: 3, data: [{ a: 1 }] });
		const one = { ...query, options: { rowsInOneItem: true } };
		expect(await items('analytics.query', one)).toEqual([{ rowCount: 1, data: [{ a: 1 }] }]);
		expect(warn.mock.calls.map(([message]) => message)).toContainEqual(
			expect.stringContaining('1 rows and says that there are 3'),
		);
		warn.mockRestore();
	});
});

test('Simplify keeps the fields that verify a domain', async () => {
	const records = [{ type: 'TXT', host: '_verify', value: 'abc' }];
	const verification = {
		verification_token: 'abc',
		verification_token_expires_at: '2026-12-01T00:00:00Z',
	};
	const domain = {
		id: ID,
		domain: 'a.example',
		status: 'pending',
		is_pending: true,
		is_stale: false,
	};
	service.answer = () =>
		getList({ ...domain, dns_instructions: { type: 'root', records, ...verification } });
	expect(await items('customDomain.getAll', { siteId: ID })).toEqual([
		{ ...domain, dns_records: ['TXT _verify abc'], ...verification },
	]);
	service.answer = () => getList(domain);
	expect(await items('customDomain.getAll', { siteId: ID })).toEqual([
		{ ...domain, dns_records: [] },
	]);
});

test('products without an ID are not offered', async () => {
	service.answer = () => getList({ id: 'p-1', name: 'One' }, { name: 'Two' });
	await expect(
		search(setup('product.update', { projectId: rl(ID) }), 'getProducts'),
	).rejects.toMatchObject({
		message: '"id" in the response isn\'t a text',
		description: expect.stringContaining('"name":"Two"'),
	});
});

describe('fields of other types', () => {
	const found = { id: ID, name: { a: 1 }, title: ['x'], domain: null, emoji: 5, status: {} };
	const projectId = rl(ID);

	test.each<[string, IDataObject]>([
		['getProjects', { resource: 'task', operation: 'get' }],
		['getTasks', { resource: 'task', operation: 'get' }],
		['getFiles', { resource: 'file', operation: 'get', projectId }],
		['getCustomDomains', { resource: 'customDomain', operation: 'delete', siteId: ID }],
		['getProducts', { resource: 'product', operation: 'update', projectId }],
	])('are no label: %s shows the ID instead', async (method, parameters) => {
		service.answer = () => getList(found, { ...found, name: '', title: '', domain: '' });
		const { results } = await search({ ...setup('x'), parameters }, method);
		expect(results.map(({ name }) => name)).toEqual([ID, ID]);
	});

	test.each<[object, string]>([
		[{ siteId: ID }, 'Shop'],
		[{ sites: [{ id: ID, name: 'Main' }, { id: 'x' }] }, 'Main'],
	])('of a project that are sites are offered: %j', async (named, name) => {
		service.answer = () => getList({ id: 'p1', name: 'Shop', ...named });
		const parameters = { resource: 'customDomain', operation: 'getAll' };
		const { results } = await search({ ...setup('x'), parameters }, 'getSites');
		expect(results).toEqual([{ value: ID, name }]);
	});
});
