// A server that really cuts the connection, in n8n's engine: after a lost response, a refusal of the same request proves nothing.
import { describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { useServers } from './answers.mts';
import { operation, run } from './engine.mts';
import { byId } from '../../n8n-host/workflows.mts';
import { credentialFor } from '../../local-service/caller.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const FOLDER = '223e4567-e89b-12d3-a456-426614174000';
const listen = useServers();

const send = (response: ServerResponse, status: number, body?: unknown) =>
	response
		.writeHead(status, { 'content-type': 'application/json' })
		.end(body === undefined ? undefined : JSON.stringify(body));
const refusal = (code: string) => ({
	error: { code, message: 'Not now.', doc_url: `https://docs.example/${code}` },
});
const CONFLICT = refusal('conflict');

/** What the service does with each write in turn. The connection is cut after the first headers have arrived, without a response. */
type Step = 'cut' | [status: number, body?: unknown];

/** Runs an operation against a service that reads as `now`. */
async function attempt(does: string, parameters: IDataObject, steps: Step[], now?: unknown) {
	const writes: string[] = [];
	const answer = (request: IncomingMessage, response: ServerResponse) => {
		if (request.method === 'GET')
			return now === undefined
				? send(response, 500, refusal('internal'))
				: send(response, 200, now);
		const step = steps[Math.min(writes.length, steps.length - 1)];
		writes.push(request.url!);
		if (step === 'cut') return request.socket.destroy();
		return send(response, ...step);
	};
	const server = createServer((request, response) => {
		request.resume().on('end', () => answer(request, response));
	});
	const baseUrl = `http://127.0.0.1:${await listen(server)}/v1`;
	const credentials = credentialFor({ baseUrl, key: 'wa_key' });
	const { outputs, error } = await run(operation(does, parameters, credentials));
	return { json: outputs[0]?.[0]?.json, error, writes: writes.length };
}

const task = { taskId: byId(ID), updateFields: { title: 'New' } };
const file = { fileId: byId(ID) };
const preview = { projectId: byId(ID), siteId: ID, route: '/' };
const TASK = { object: 'task', id: ID, title: 'New' };
const FILE = { object: 'file', id: ID, kind: 'file', name: 'new.md', parentId: FOLDER };

describe('a change whose response was lost, and that is refused after it', () => {
	test.each<[string, IDataObject, unknown]>([
		['task.update', task, TASK],
		['file.rename', { ...file, name: 'new.md' }, FILE],
		['file.move', { ...file, parentId: byId(FOLDER) }, FILE],
		['agentSession.abort', { sessionId: byId(ID) }, { sessionId: ID, status: 'failed' }],
	])('of %s is a success if the resource shows it', async (does, parameters, now) => {
		const found = await attempt(does, parameters, ['cut', [409, CONFLICT]], now);
		expect(found).toMatchObject({ error: undefined, json: now, writes: 2 });
	});

	test.each<[string, IDataObject, unknown, RegExp]>([
		['task.update', task, { ...TASK, title: 'Old' }, /^The task may have been changed$/],
		['task.update', { ...task, updateFields: { prompt: 'x' } }, TASK, /^The task may have been/],
		['task.update', task, undefined, /^The task may have been changed$/],
		['file.rename', { ...file, name: 'b.md' }, FILE, /^The file may have been renamed$/],
		['file.move', { ...file, parentId: byId('') }, FILE, /^The file may have been moved$/],
		['customDomain.delete', { customDomainId: byId(ID) }, {}, /domain may have been deleted$/],
		['sharedPreview.create', preview, {}, /^The preview may have been created$/],
		['product.update', { productId: byId('7'), fields: '{"a":1}' }, {}, /^The product may have/],
		[
			'agentSession.abort',
			{ sessionId: byId(ID) },
			{ sessionId: ID, status: 'running' },
			/^The session may have been aborted$/,
		],
	])('of %s may have happened if nothing shows it: %j', async (does, parameters, now, says) => {
		const { error } = await attempt(does, parameters, ['cut', [409, CONFLICT]], now);
		expect(error?.message).toMatch(says);
		expect(error?.description).toMatch(/What happened: .*The service says: Not now/);
		expect(`${error?.message} ${error?.description}`).not.toMatch(
			/Nothing was overwritten|no agent session/,
		);
	});

	test('is a plain refusal without a lost response before it', async () => {
		const { error, writes } = await attempt('task.update', task, [[409, CONFLICT]], TASK);
		expect([error?.message, writes]).toEqual(['The resource is in a conflicting state', 1]);
	});

	test('of a DELETE is a success if the repeat says that nothing is there', async () => {
		const steps: Step[] = ['cut', [404, refusal('not_found')]];
		const found = await attempt('customDomain.delete', { customDomainId: byId(ID) }, steps);
		expect(found.json).toEqual({ id: ID, deleted: true });
	});
});

describe('a new file whose response was lost', () => {
	const content = { name: 'a.md', contentSource: 'text', text: 'x' };
	const list = (...data: object[]) => ({ object: 'list', data, has_more: false });
	const create = async (...data: object[]) =>
		await attempt(
			'file.create',
			{ projectId: byId(ID), ...content },
			['cut', [201, FILE]],
			list(...data),
		);

	test('is the one that the list shows, with the size that was sent', async () => {
		const ours = { ...FILE, name: 'a.md', sizeBytes: 1, parentId: null, createdAt: '2999-01-01' };
		expect(await create(ours)).toMatchObject({ json: ours, writes: 1 });
		const { error, writes } = await create({ ...ours, sizeBytes: 2 });
		expect([error?.message, writes]).toEqual(['The file may have been created', 1]);
	});

	test('is created once more if nothing has its name', async () => {
		expect(await create()).toMatchObject({ json: FILE, writes: 2 });
	});
});

test.each<[string, Step]>([
	['too early (425)', [425, refusal('too_early')]],
	['while another request holds the resource', [409, refusal('resource_locked')]],
	['while it is held by another request', [409, refusal('held_by_another_request')]],
	['while another request is in progress', [409, refusal('request_in_progress')]],
])('a change that is refused %s is sent again', async (_, refused) => {
	const found = await attempt('task.update', task, [refused, [200, TASK]], TASK);
	expect(found).toMatchObject({ error: undefined, json: TASK, writes: 2 });
});
