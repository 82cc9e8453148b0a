// The credential in n8n's own HTTP Request node, where the editor's Custom API Call leads, and what n8n makes of its fields.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { credentialFor } from '../../local-service/caller.mts';
import type { SeedView } from '../../local-service/control/views.mts';
import {
	chain,
	manualTrigger,
	node,
	play,
	requestCount,
	requestsSince,
	useStage,
	workspaceAutomation as step,
} from './support.mts';

const stage = useStage();

/** Data of the service at the start */
let seed: SeedView;

/** A service that redirects `/v1/...` to another origin, where nothing may come with the key */
const arrived: IncomingHttpHeaders[] = [];
let redirected = 0;
const redirecting = createServer((request, response) => {
	const { port } = redirecting.address() as AddressInfo;
	const isRedirected = request.url === '/elsewhere';
	if (isRedirected) redirected++;
	else arrived.push(request.headers);
	const location = `http://localhost:${port}/elsewhere`;
	response.writeHead(isRedirected ? 200 : 307, { location }).end('{}');
});

beforeAll(async () => {
	seed = await stage.service.control.seed();
	redirecting.listen(0, '127.0.0.1');
	await once(redirecting, 'listening');
});
afterAll(() => {
	redirecting.closeAllConnections();
	redirecting.close();
});
beforeEach(() => {
	arrived.length = 0;
	redirected = 0;
});

const getCredential = ({ name }: { name: string }) => ({
	credentials: { workspaceAutomationApi: { id: null, name } },
});

const httpRequest = (url: string, more: object = {}, credential = stage.credential) =>
	node('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, {
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'workspaceAutomationApi',
			options: {},
			...more,
		},
		...getCredential(credential),
	});

const runWith = async (last: ReturnType<typeof node>) =>
	await play(stage, chain(`HTTP Request ${crypto.randomUUID()}`, [manualTrigger(), last]));

test('the HTTP Request node reads the service with the key and the version of the credential', async () => {
	const before = await requestCount(stage);
	const execution = await runWith(httpRequest(`${stage.service.baseUrl}/projects`));
	expect(execution.error).toBeUndefined();
	const [{ data }] = execution.items('HTTP Request');
	expect(data[0]).toMatchObject({ object: 'project', id: seed.projects[0].id });
	expect(await requestsSince(stage, before)).toMatchObject([{ method: 'GET', status: 200 }]);
});

test('sends the version that the node sets in a header, for endpoints that allow no other', async () => {
	const before = await requestCount(stage);
	const headers = { parameters: [{ name: 'Service-Api-Version', value: '2026-08-21' }] };
	const execution = await runWith(
		httpRequest(`${stage.service.baseUrl}/tasks/${seed.tasks[0].id}`, {
			sendHeaders: true,
			headerParameters: headers,
		}),
	);
	expect(execution.items('HTTP Request')).toMatchObject([{ id: seed.tasks[0].id }]);
	expect(await requestsSince(stage, before)).toMatchObject([{ version: '2026-08-21' }]);
});

test('sends nothing to another origin', async () => {
	const { port } = redirecting.address() as AddressInfo;
	const execution = await runWith(httpRequest(`http://localhost:${port}/v1/projects`));
	expect(JSON.stringify(execution.error)).toContain(
		`The API key isn't sent to http://localhost:${port}`,
	);
	expect(arrived).toEqual([]);
});

test.each(['GET', 'POST'])('follows no redirect of a %s request', async (method) => {
	const { port } = redirecting.address() as AddressInfo;
	const baseUrl = `http://127.0.0.1:${port}/v1`;
	const credential = await stage.host.importCredential({
		name: `Redirecting ${method}`,
		type: 'workspaceAutomationApi',
		data: { ...credentialFor(stage.service), baseUrl },
	});
	const followed = { redirect: { redirect: { followRedirects: true, maxRedirects: 5 } } };
	for (const options of [{}, followed])
		await runWith(httpRequest(`${baseUrl}/projects`, { method, options }, credential));
	expect(arrived.map(({ authorization }) => authorization)).toEqual(
		Array.from({ length: 2 }, () => `Bearer ${stage.service.key}`),
	);
	expect(redirected).toBe(0);
});

describe('overrides from an expression', () => {
	const text = { createAgentSession: { body: { note: '{{ $json.note }}' } } };

	test.each([
		['that gives all of them', '={{ JSON.stringify($json) }}'],
		['that gives a part of them', `=${JSON.stringify(text)}`],
	])('are an error in our node and in the HTTP Request node: one %s', async (which, overrides) => {
		const credential = await stage.host.importCredential({
			name: `Expression ${which}`,
			type: 'workspaceAutomationApi',
			data: { ...credentialFor(stage.service), overrides },
		});
		const before = await requestCount(stage);
		const ours = step('Step', 'project.getAll', {});
		for (const last of [ours, httpRequest(`${stage.service.baseUrl}/projects`)]) {
			const execution = await runWith({ ...last, ...getCredential(credential) });
			expect(JSON.stringify(execution.error)).toContain(
				"'Overrides' in the credential come from an expression",
			);
		}
		expect(await requestsSince(stage, before)).toEqual([]);
	});
});

test('the editor offers Custom API Call, which leads to the HTTP Request node', async () => {
	const name = 'n8n-nodes-workspace-automation.workspaceAutomation';
	const nodeInfos = [{ name, version: 1 }];
	const [type] = await stage.host.rest.post('/node-types', { nodeInfos });
	const offered = type.properties
		.filter((property: { name: string }) => ['resource', 'operation'].includes(property.name))
		.map(({ options }: { options: Array<{ name: string }> }) => options.at(-1)!.name);
	expect(new Set(offered)).toEqual(new Set(['Custom API Call']));
});
