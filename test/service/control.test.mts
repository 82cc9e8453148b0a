import { describe, expect, test } from '@jest/globals';
import { createService } from '../../local-service/app.mts';
import { controlWithin } from '../../local-service/control/client.mts';
import { useService, type List, type Schemas } from './support.mts';
import { http } from '../../tools/http.mts';
import { createServiceClock } from '../support/virtualClock.mts';

const { api, control, sendControl, seed, advance, keyFor, clock, controlUrl } = useService();

describe('the record of requests', () => {
	test('has each request and response, and never a token', async () => {
		const token = await keyFor({});
		await api('GET', '/projects', { query: { limit: 1 }, token });
		await api('POST', '/agent/sessions', { body: { prompt: 'x' } });
		const requests = await control.requests();
		expect(requests).toMatchObject([
			{
				n: 1,
				at: new Date(clock.now()).toISOString(),
				method: 'GET',
				path: '/v1/projects',
				query: { limit: '1' },
				version: '2026-10-05',
				headers: { authorization: 'Bearer ***' },
				key: 'own',
				status: 200,
				answer: { object: 'list' },
			},
			{
				n: 2,
				method: 'POST',
				key: 'main',
				body: { prompt: 'x' },
				status: 400,
				answer: { error: { code: 'invalid_request' } },
			},
		]);
		expect(JSON.stringify(requests)).not.toContain('wa_local_');
	});

	test('has refused requests: unknown keys, unknown routes, broken bodies', async () => {
		await api('GET', '/projects', { token: 'wrong' });
		await api('GET', '/nothing');
		await api('POST', '/products', { body: '{' });
		const requests = await control.requests();
		expect(requests.map(({ status }) => status)).toEqual([401, 404, 400]);
		expect(requests[0].key).toBeUndefined();
		expect(requests[2].body).toBe('{');
	});

	test('is read from a given number on, and numbering continues after a clear', async () => {
		for (let n = 0; n < 3; n++) await api('GET', '/projects');
		expect((await control.requests(1)).map(({ n }) => n)).toEqual([2, 3]);
		await control.clearRequests();
		expect(await control.requests()).toEqual([]);
		await api('GET', '/projects');
		expect((await control.requests()).map(({ n }) => n)).toEqual([4]);
	});

	test('has only the length of a long body', async () => {
		await api('POST', '/products', { body: { projectId: 'x', text: 'y'.repeat(200_000) } });
		expect((await control.requests())[0].body).toEqual({
			omitted: expect.stringContaining('characters'),
		});
	});
});

test('sessions are shown with all their events', async () => {
	const projectId = (await seed()).projects[0].id;
	const startedAt = new Date(clock.now()).toISOString();
	const { sessionId } = (
		await api<Schemas['AgentSessionCreated']>('POST', '/agent/sessions', {
			body: { projectId, prompt: '[ask bash: x] [work 9m]' },
		})
	).body;
	const read = () => api<Schemas['AgentSession']>('GET', `/agent/sessions/${sessionId}`);
	await read();
	advance(10);
	const { id } = (await read()).body.pendingInteractions![0];
	await api('POST', `/agent/sessions/${sessionId}/interactions/${id}/resolve`, {
		body: { type: 'permission', response: 'once' },
	});
	await api('POST', `/agent/sessions/${sessionId}/messages`, { body: { text: 'more' } });
	const moment = new Date(clock.now()).toISOString();
	expect((await control.sessions())[0].finishedAt).toBeUndefined();
	await api('POST', `/agent/sessions/${sessionId}/abort`);
	expect(await control.sessions()).toEqual([
		{
			sessionId,
			projectId,
			prompt: '[ask bash: x] [work 9m]',
			status: 'failed',
			startedAt,
			finishedAt: moment,
			aborted: true,
			turns: 2,
			polls: 2,
			interactions: [
				{
					id,
					type: 'permission',
					permission: 'bash',
					patterns: ['x'],
					askedAt: expect.any(String),
					resolvedAt: moment,
					value: 'once',
				},
			],
		},
	]);
});

test('a reset restores the start', async () => {
	const before = await seed();
	const token = await keyFor({});
	const projectId = before.projects[0].id;
	await api('POST', '/agent/sessions', { body: { projectId, prompt: 'x' } });
	await api('POST', '/products', { body: { projectId, name: 'x' } });
	await api('PATCH', `/tasks/${before.tasks[0].id}`, { body: { title: 'changed' } });
	await control.addFaults({ operationId: '*', kind: 'status', times: 0 });
	await control.setRateLimit({ perSecond: 0.001 });
	await control.reset();
	expect(await seed()).toEqual(before);
	expect(await control.sessions()).toEqual([]);
	expect(await control.requests()).toEqual([]);
	expect((await api('GET', '/projects', { token })).status).toBe(401);
	expect((await api('GET', '/projects')).status).toBe(200);
	expect((await api('GET', '/projects')).status).toBe(200);
});

test('the seed has the IDs that tests need', async () => {
	const found = await seed();
	expect(found.keys).toEqual({ main: 'wa_local_main_key', noProjects: 'wa_local_no_projects_key' });
	expect(found.tasks.length).toBeGreaterThan(24);
	for (const project of found.projects) {
		const sites = found.sites.filter(({ projectId }) => projectId === project.id);
		expect([2, 3]).toContain(sites.length);
	}
	expect(
		found.files.filter(({ projectId }) => projectId === found.projects[0].id).length,
	).toBeGreaterThan(100);
	for (const kind of ['folders', 'assets', 'domains', 'products', 'workspaces'] as const)
		expect(found[kind].length).toBeGreaterThan(0);
});

test('many files are added at once, in a folder of their own', async () => {
	const projectId = (await seed()).projects[0].id;
	const { folderId, created } = await control.fillFiles(projectId, 250);
	expect(created).toBe(250);
	await control.fillFiles(projectId, 1);
	const { body } = await api<List<Schemas['File']>>('GET', '/files', {
		query: { projectId, parentId: folderId, limit: 100 },
	});
	expect(body).toMatchObject({ has_more: true });
	expect(body.data).toHaveLength(100);
});

test.each([
	['/faults', { operationId: 'listProjects', kind: 'earthquake' }],
	['/faults', { operationId: 'listEverything', kind: 'reset' }],
	['/faults', { operationId: '*', kind: 'reset', tims: 2 }],
	['/speed', { speed: 0 }],
	['/speed', {}],
	['/rate-limit', { perSecond: -1 }],
	['/keys', {}],
	['/files', { projectId: 'x', count: 1 }],
])('%s refuses %j', async (path, body) => {
	expect((await sendControl('POST', path, body)).body).toMatchObject({
		error: { code: 'invalid_request' },
	});
});

test('its client throws errors that the service returns', async () => {
	await expect(control.setSpeed(0)).rejects.toThrow(
		'The control API answered 400 to POST /speed: {"error"',
	);
});

test('speed can be changed while the service runs', async () => {
	await control.setSpeed(60);
	expect(clock.speed()).toBe(60);
});

test("a service that doesn't listen is controlled within the process", async () => {
	const { app } = createService({ clock: createServiceClock() });
	const within = controlWithin(app);
	const { folderId } = await within.fillFiles((await within.seed()).projects[0].id, 3);
	expect((await within.seed()).files.filter(({ parentId }) => parentId === folderId)).toHaveLength(
		3,
	);
	await app.close();
});

describe('access to the control API', () => {
	const { app } = createService({ clock: createServiceClock() });
	const call = (
		headers: Record<string, string>,
		{ method = 'POST' as 'GET' | 'POST' | 'DELETE', url = '/reset', payload = '' } = {},
	) => app.inject({ method, url: `/_control${url}`, headers, payload });

	test('is for callers on this machine only', async () => {
		const from = (remoteAddress: string) => app.inject({ url: '/_control/seed', remoteAddress });
		for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
			expect((await from(address)).statusCode).toBe(200);
		for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1'])
			expect((await from(address)).statusCode).toBe(404);
	});

	test.each([
		['another origin', { origin: 'https://example.com' }],
		['this machine, another port', { host: 'localhost:4010', origin: 'http://localhost:5678' }],
		['a sandboxed frame', { origin: 'null' }],
		['another site, without an origin', { 'sec-fetch-site': 'cross-site' }],
		['a neighbouring subdomain', { 'sec-fetch-site': 'same-site' }],
		['a name that was made to lead here', { host: 'attacker.example' }],
		['a name that begins like this machine', { host: 'localhost.attacker.example' }],
		['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
		['a form with plain text', { 'content-type': 'text/plain' }],
	])('is refused to a web page of %s', async (_, headers) => {
		for (const [method, url] of [
			['POST', '/reset'],
			['POST', '/faults'],
			['DELETE', '/requests'],
			['GET', '/seed'],
		] as const) {
			const answer = await call(headers, { method, url });
			expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'forbidden']);
		}
	});

	test('a body without a content type is refused, for any content', async () => {
		const answer = await call({}, { url: '/speed', payload: '{"speed": 2}' });
		expect(answer.statusCode).toBe(403);
	});

	test.each([
		['a program', {}],
		['a program under another name of this machine', { host: '[::1]:4010' }],
		['a page of the service itself', { host: '127.0.0.1:4010', origin: 'http://127.0.0.1:4010' }],
		['the address bar', { 'sec-fetch-site': 'none' }],
	])('%s has access', async (_, headers) => {
		expect((await call(headers)).statusCode).toBe(200);
	});

	test('is also checked over real HTTP', async () => {
		const headers = { origin: 'https://example.com' };
		const { status, data } = await http.post(`${controlUrl()}/reset`, undefined, { headers });
		expect([status, data.error.code]).toEqual([403, 'forbidden']);
	});
});
