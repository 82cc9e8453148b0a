// What the API document shows is read as shown. Each other shape is an error that names the field and quotes it.
import { describe, expect, test } from '@jest/globals';
import { WorkspaceAutomationError, IndeterminateError } from '../../nodes/shared/errors.ts';
import { readPages, readRows } from '../../nodes/shared/client/responses.ts';
import type { OperationId, Values } from '../../nodes/shared/client/operations.ts';
import { apiWith } from '../support/apiWith.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER = '99999999-9999-4999-8999-999999999999';
const VALUES: Values = Object.fromEntries(
	['taskId', 'fileId', 'customDomainId', 'projectId', 'siteId'].map((name) => [name, ID]),
);

/** Reads a list. Returns its entries, or the error. */
async function readList(body: unknown, operation: OperationId = 'listTasks', values: Values = {}) {
	const { api, sent, clock } = await apiWith([{ body }, { body: { data: [], has_more: false } }]);
	const all: unknown[] = [];
	const reading = async () => {
		for await (const { data } of readPages(api, operation, values)) all.push(...data);
	};
	const error = await clock.run(reading().catch((thrown: WorkspaceAutomationError) => thrown));
	return { all, error, requests: sent.length };
}

const list = (more: object) => ({ object: 'list', data: [{ id: 'a' }], has_more: false, ...more });

describe('a list of another shape is an error that names the field, and nothing of it is read', () => {
	test.each<[field: string, body: unknown]>([
		['data', null],
		['data', [{ id: 'a' }]],
		['data', 7],
		['data', list({ data: undefined })],
		['data', list({ data: null })],
		['data', list({ data: {} })],
		['data', list({ data: 'a' })],
		['data', list({ data: [{ id: 'a' }, 7] })],
		['data', list({ data: [null] })],
		['data', list({ data: [[{ id: 'a' }]] })],
		['data', list({ data: undefined, items: [{ id: 'a' }] })],
		['data', list({ data: undefined, Data: [{ id: 'a' }] })],
		['data', { list: list({}) }],
		['data', list({ data: { data: [{ id: 'a' }] } })],
		['has_more', list({ has_more: null })],
		['has_more', list({ has_more: 'true' })],
		['has_more', list({ has_more: 'false' })],
		['has_more', list({ has_more: 1 })],
		['has_more', list({ has_more: {} })],
		['next_cursor', list({ has_more: true })],
		['next_cursor', list({ has_more: true, next_cursor: null })],
		['next_cursor', list({ has_more: true, next_cursor: '' })],
		['next_cursor', list({ has_more: true, next_cursor: 7 })],
		['next_cursor', list({ has_more: true, next_cursor: ['a'] })],
		['next_cursor', list({ has_more: true, nextCursor: 'a' })],
		['next_cursor', list({ has_more: true, meta: { next_cursor: 'a' } })],
		['next_cursor', list({ has_more: undefined, next_cursor: 7 })],
	])('%s: %j', async (field, body) => {
		const { all, error } = await readList(body);
		expect(all).toEqual([]);
		expect(error?.message).toMatch(new RegExp(`^"${field}" in the response isn't `));
		expect(error?.description).toContain(`{"listTasks": {"response": {"${field}"`);
	});

	test.each<[body: unknown, requests: number]>([
		[list({ has_more: undefined }), 1],
		[list({ has_more: undefined, next_cursor: null }), 1],
		[list({ has_more: undefined, next_cursor: '' }), 1],
		[list({ has_more: undefined, next_cursor: 'b' }), 2],
		[list({ has_more: true, next_cursor: 'b' }), 2],
		[list({ next_cursor: 'b' }), 1],
		[list({ total: 900, next: 'x', links: { next: '/v1/tasks?page=2' }, truncated: true }), 1],
		[list({ data: [{ id: 'a', kind: 'a kind of its own', unknown: [1] }] }), 1],
	])('the documented list passes, with unknown fields: %j', async (body, requests) => {
		const found = await readList(body);
		expect(found).toMatchObject({ error: undefined, requests, all: [{ id: 'a' }] });
	});
});

describe('an entry outside of the filter is an error that names the query', () => {
	const files = { projectId: ID, parentId: OTHER };
	test.each<[field: string, operation: OperationId, values: Values, entry: object]>([
		['projectId', 'listFiles', files, { projectId: OTHER }],
		['projectId', 'listFiles', files, { projectId: null }],
		['projectId', 'listFiles', files, { projectId: 7 }],
		['parentId', 'listFiles', files, { projectId: ID, parentId: ID }],
		['parentId', 'listFiles', files, { projectId: ID, parentId: null }],
		['siteId', 'listCustomDomains', { siteId: ID }, { siteId: OTHER }],
		['projectId', 'listProducts', { projectId: ID }, { projectId: OTHER }],
	])('%s of %s', async (field, operation, values, entry) => {
		const within = { id: 'b', ...values };
		const { all, error } = await readList(list({ data: [within, entry] }), operation, values);
		expect(all).toEqual([]);
		expect(error?.message).toBe(`The service returned entries of another ${field}`);
		expect(error?.description).toContain(`{"${operation}": {"query"`);
	});

	test.each<[string, object]>([
		['the asked project', { projectId: ID.toUpperCase() }],
		['nothing of it', { name: 'x' }],
		['another name of it', { project_id: OTHER }],
	])('an entry that says %s passes', async (_, entry) => {
		const { error, all } = await readList(list({ data: [entry] }), 'listFiles', files);
		expect([error, all.length]).toEqual([undefined, 1]);
	});
});

/** Calls an operation, whose response is always this. */
async function call(operation: OperationId, body: unknown, status = 200) {
	const { api, clock, sent } = await apiWith({ status, body });
	const values = { ...VALUES, title: 'x', name: 'x', parentId: null, productId: '7' };
	const result = await clock.run(
		api.call(operation, values).catch((error: WorkspaceAutomationError) => error),
	);
	return { result, sent };
}

const TASK = { object: 'task', id: ID };
const FILE = { object: 'file', id: ID };
const DOMAIN = { object: 'custom_domain', id: ID, deleted: true };
const PREVIEW = { object: 'shared_preview', id: ID, url: 'https://site.example/p' };

describe('a resource of another shape is an error that names the field', () => {
	test.each<[field: string, operation: OperationId, body: unknown]>([
		['object', 'getTask', { id: ID }],
		['object', 'getTask', { ...TASK, object: null }],
		['object', 'getTask', { ...TASK, object: 'Task' }],
		['object', 'getTask', { ...TASK, object: 'project' }],
		['object', 'getTask', { data: TASK }],
		['object', 'getTask', [TASK]],
		['object', 'getTask', null],
		['id', 'getTask', { object: 'task' }],
		['id', 'getTask', { ...TASK, id: null }],
		['id', 'getTask', { ...TASK, id: {} }],
		['id', 'getTask', { ...TASK, id: OTHER }],
		['id', 'getTask', { object: 'task', ID }],
		['id', 'getTask', { object: 'task', taskId: ID }],
		['object', 'updateTask', { id: ID }],
		['id', 'updateTask', { ...TASK, id: OTHER }],
		['object', 'getFile', { ...FILE, object: 'folder' }],
		['id', 'getFile', { ...FILE, id: OTHER }],
		['object', 'renameFile', { file: FILE }],
		['id', 'moveFile', { ...FILE, id: OTHER }],
		['object', 'deleteCustomDomain', { id: ID, deleted: true }],
		['deleted', 'deleteCustomDomain', { ...DOMAIN, deleted: undefined }],
		['deleted', 'deleteCustomDomain', { ...DOMAIN, deleted: false }],
		['deleted', 'deleteCustomDomain', { ...DOMAIN, deleted: 'true' }],
		['id', 'deleteCustomDomain', { ...DOMAIN, id: OTHER }],
		['object', 'createSharedPreview', { ...PREVIEW, object: undefined }],
		['url', 'createSharedPreview', { ...PREVIEW, url: null }],
		['url', 'createSharedPreview', { ...PREVIEW, url: 7 }],
		['url', 'createSharedPreview', { ...PREVIEW, url: undefined, link: PREVIEW.url }],
		['id', 'updateProduct', { id: '8' }],
	])('%s of %s: %j', async (field, operation, body) => {
		const { result, sent } = await call(operation, body);
		const { message, description } = result as WorkspaceAutomationError;
		expect(message).toMatch(new RegExp(`^"${field}" in the response isn't `));
		expect(description.includes('may have been')).toBe(!operation.startsWith('get'));
		if (message.includes('asked for'))
			expect(description).toContain(operation === 'updateProduct' ? 'asked for 7' : ID);
		expect(sent).toHaveLength(1);
	});

	test.each<[operation: OperationId, body: object]>([
		['getTask', { ...TASK, id: ID.toUpperCase(), unknown: { a: 1 } }],
		['updateTask', TASK],
		['getFile', { ...FILE, kind: 'a kind of its own' }],
		['deleteCustomDomain', DOMAIN],
		['createSharedPreview', PREVIEW],
		['updateProduct', { id: 7 }],
		['updateProduct', { product: { id: 9 } }],
	])('the documented resource passes, with unknown fields: %s %j', async (operation, body) => {
		expect((await call(operation, body)).result).toMatchObject({ body });
	});

	test.each<OperationId>(['updateTask', 'deleteCustomDomain', 'createSharedPreview'])(
		'an empty body of %s proves nothing: it is sent again, and then it may have happened',
		async (operation) => {
			const { result, sent } = await call(operation, '', 204);
			expect(sent.length).toBeGreaterThan(1);
			expect(result).toBeInstanceOf(IndeterminateError);
		},
	);

	test.each<OperationId>(['renameFile', 'moveFile', 'updateProduct', 'createProduct'])(
		'an empty body of %s, of which the document shows none, is a success',
		async (operation) => {
			expect((await call(operation, '', 204)).result).toMatchObject({ status: 204 });
		},
	);
});

describe('an analytics result of another shape is an error that names the field', () => {
	const rows = { rowCount: 1, data: [{ n: 1 }] };
	test.each<[field: string, body: unknown]>([
		['data', null],
		['data', rows.data],
		['data', { rowCount: 1 }],
		['data', { ...rows, data: null }],
		['data', { ...rows, data: { n: 1 } }],
		['data', { ...rows, data: [[1]] }],
		['data', { ...rows, data: undefined, rows: rows.data }],
		['data', { result: rows }],
		['rowCount', { data: rows.data }],
		['rowCount', { ...rows, rowCount: null }],
		['rowCount', { ...rows, rowCount: '1' }],
		['rowCount', { data: rows.data, row_count: 1 }],
	])('%s: %j', (field, body) => {
		expect(() => readRows(body, () => {})).toThrow(
			expect.objectContaining({ message: expect.stringMatching(new RegExp(`^"${field}" `)) }),
		);
	});

	test('another number of rows is a warning', () => {
		const warnings: string[] = [];
		const found = readRows({ ...rows, rowCount: 3, unknown: 1 }, (text) => warnings.push(text));
		expect(found).toEqual(rows.data);
		expect(warnings).toEqual([expect.stringContaining('1 rows and says that there are 3')]);
	});
});

describe('an error of another shape is the status, and the beginning of its body', () => {
	const error = { code: 'quota', message: 'Too many', doc_url: 'https://docs.example/quota' };
	test.each<unknown>([
		'Too many',
		[error],
		error,
		{ error: 'Too many' },
		{ error: { ...error, message: null } },
		{ error: { ...error, message: { text: 'Too many' } } },
		{ error: { ...error, code: 402 } },
		{ error: { code: 'quota', message: 'Too many' } },
		{ error: { ...error, doc_url: undefined, docUrl: error.doc_url } },
		{ Error: error },
		{ errors: [error] },
		{ data: { error } },
	])('%j', async (body) => {
		const long =
			typeof body === 'string' ? body.padEnd(1_000) : { ...(body as object), a: 'x'.repeat(900) };
		const { result } = await call('getTask', long, 418);
		const { context, description } = result as WorkspaceAutomationError;
		expect(context).toMatchObject({ httpStatus: 418 });
		const { code, serviceMessage, docUrl } = context;
		expect([code, serviceMessage, docUrl]).toEqual([undefined, undefined, undefined]);
		const [, quoted] = /The service answered: (.*)\.$/.exec(description)!;
		expect(quoted.length).toBeLessThanOrEqual(200);
	});

	test('the documented one is quoted, with its code and its link', async () => {
		const { result } = await call('getTask', { error: { ...error, unknown: 1 }, id: 'r1' }, 418);
		const { context, description } = result as WorkspaceAutomationError;
		expect(context).toMatchObject({ code: 'quota', docUrl: error.doc_url });
		expect(description).toContain('The service says: Too many. More: https://docs.example/quota');
	});
});
