// The panel's routing is what's sent: the method and the path of each operation's request come from it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { endpoints } from '../support/endpoints.mts';
import { good, ID } from './badInput.mts';
import { nodeProperties, run } from './engine.mts';

/** `METHOD /path` below the base URL, in order */
let sent: string[] = [];

const response = JSON.stringify({
	object: 'list',
	data: [],
	has_more: false,
	rowCount: 0,
	id: ID,
	sessionId: ID,
	status: 'running',
	pendingInteractions: [],
	text: 'x',
});

const server = createServer((request, reply) => {
	const { pathname } = new URL(request.url!, 'http://service');
	sent.push(`${request.method} ${pathname.replace(/^\/v1/, '')}`);
	request.resume();
	reply.writeHead(200, { 'content-type': 'application/json' }).end(response);
});

const routings = () =>
	nodeProperties('workspaceAutomation')
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => options as INodePropertyOptions[])
		.map(({ routing }) => routing!);

beforeAll(async () => {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterAll(() => {
	server.closeAllConnections();
	server.close();
});
beforeEach(() => {
	sent = [];
});

const call = async (does: string, parameters: IDataObject, overrides = {}) => {
	const [resource, operation] = does.split('.');
	await run({
		node: 'workspaceAutomation',
		parameters: { resource, operation, ...parameters },
		credentials: {
			baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
			accessToken: 'wa_key',
			apiVersion: '2026-10-05',
			overrides: JSON.stringify(overrides),
		},
	});
};

test('each routing has the method and the path of the document', () => {
	const routed = routings().map(({ request = {} }) => `${request.method} ${request.url}`);
	expect([...new Set(routed)].sort()).toEqual(Object.keys(endpoints).sort());
});

describe('with all routings replaced by PUT /nonsense', () => {
	const own = routings().map(({ request }) => request);
	beforeAll(() => {
		for (const routing of routings()) routing.request = { method: 'PUT', url: '/nonsense' };
	});
	afterAll(() => {
		routings().forEach((routing, index) => {
			routing.request = own[index];
		});
	});

	/** Requests beside the operation's own, which come from no routing */
	const others: Record<string, string> = {
		'agentSession.sendMessage': `GET /agent/sessions/${ID}`,
		'agentSession.resolveInteraction': `GET /agent/sessions/${ID}`,
		'file.getContent': `GET /files/${ID}`,
	};

	test.each(Object.entries(good))('%s sends nonsense', async (does, parameters) => {
		await call(does, parameters);
		expect(sent.filter((request) => request !== others[does])).toEqual(['PUT /nonsense']);
	});

	test("the credential's overrides replace what the routing says", async () => {
		await call('task.get', good['task.get'], { getTask: { path: '/jobs/{taskId}' } });
		await call('task.get', good['task.get'], { getTask: { method: 'POST' } });
		expect(sent).toEqual([`PUT /jobs/${ID}`, 'POST /nonsense']);
	});
});
