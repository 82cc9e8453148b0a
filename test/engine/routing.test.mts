// The panel's routing is what's sent: the method and the path of each operation's request come from it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { endpoints } from '../support/endpoints.mts';
import { useAnswers } from './answers.mts';
import { good, ID } from './badInput.mts';
import { nodeProperties, operation, run } from './engine.mts';

const service = useAnswers();
const sent = () => service.requests.map(({ method, path }) => `${method} ${path}`);

const response = {
	object: 'list',
	data: [],
	has_more: false,
	rowCount: 0,
	id: ID,
	sessionId: ID,
	status: 'running',
	pendingInteractions: [],
	text: 'x',
};

const routings = () =>
	nodeProperties('workspaceAutomation')
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => options as INodePropertyOptions[])
		.map(({ routing }) => routing!);

const call = async (does: string, parameters: IDataObject, overrides = {}) => {
	service.answer = () => response;
	const credentials = { ...service.credentials, overrides: JSON.stringify(overrides) };
	await run(operation(does, parameters, credentials));
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
		expect(sent().filter((request) => request !== others[does])).toEqual(['PUT /nonsense']);
	});

	test("the credential's overrides replace what the routing says", async () => {
		await call('task.get', good['task.get'], { getTask: { path: '/jobs/{taskId}' } });
		await call('task.get', good['task.get'], { getTask: { method: 'POST' } });
		expect(sent()).toEqual([`PUT /jobs/${ID}`, 'POST /nonsense']);
	});
});
