import { describe, expect, test } from '@jest/globals';
import { createService } from '../../local-service/app.mts';
import { createManualClock } from '../../local-service/clock.mts';
import { useService } from './support.mts';

const { api, control, seed, advance, keyFor, clock } = useService();

describe('the record of requests', () => {
	test('has what was sent and what was answered, and never a token', async () => {
		const token = await keyFor({});
		await api('GET', '/projects', { query: { limit: 1 }, token });
		await api('POST', '/agent/sessions', { body: { prompt: 'x' } });
		const { requests } = await control('GET', '/requests');
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

	test('also has what was refused: unknown keys, unknown routes, broken bodies', async () => {
		await api('GET', '/projects', { token: 'wrong' });
		await api('GET', '/nothing');
		await api('POST', '/products', { body: '{' });
		const { requests } = await control('GET', '/requests');
		expect(requests.map(({ status }: any) => status)).toEqual([401, 404, 400]);
		expect(requests[0].key).toBeUndefined();
		expect(requests[2].body).toBe('{');
	});

	test('is read from a number on, and numbers go on rising when it is cleared', async () => {
		for (let n = 0; n < 3; n++) await api('GET', '/projects');
		expect((await control('GET', '/requests?since=1')).requests.map(({ n }: any) => n)).toEqual([
			2, 3,
		]);
		await control('DELETE', '/requests');
		expect((await control('GET', '/requests')).requests).toEqual([]);
		await api('GET', '/projects');
		expect((await control('GET', '/requests')).requests.map(({ n }: any) => n)).toEqual([4]);
	});

	test('notes the length of what is too long to keep', async () => {
		await api('POST', '/products', { body: { projectId: 'x', text: 'y'.repeat(200_000) } });
		expect((await control('GET', '/requests')).requests[0].body).toEqual({
			omitted: expect.stringContaining('characters'),
		});
	});
});

test('sessions are shown with all that happened to them', async () => {
	const projectId = (await seed()).projects[0].id;
	const startedAt = new Date(clock.now()).toISOString();
	const { sessionId } = (
		await api('POST', '/agent/sessions', { body: { projectId, prompt: '[ask bash: x] [work 9m]' } })
	).body;
	await api('GET', `/agent/sessions/${sessionId}`);
	advance(10);
	const { id } = (await api('GET', `/agent/sessions/${sessionId}`)).body.pendingInteractions[0];
	await api('POST', `/agent/sessions/${sessionId}/interactions/${id}/resolve`, {
		body: { type: 'permission', response: 'once' },
	});
	await api('POST', `/agent/sessions/${sessionId}/messages`, { body: { text: 'more' } });
	const moment = new Date(clock.now()).toISOString();
	expect((await control('GET', '/sessions')).sessions[0].finishedAt).toBeUndefined();
	await api('POST', `/agent/sessions/${sessionId}/abort`);
	expect((await control('GET', '/sessions')).sessions).toEqual([
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

test('a reset brings back the start', async () => {
	const before = await seed();
	const token = await keyFor({});
	const projectId = before.projects[0].id;
	await api('POST', '/agent/sessions', { body: { projectId, prompt: 'x' } });
	await api('POST', '/products', { body: { projectId, name: 'x' } });
	await api('PATCH', `/tasks/${before.tasks[0].id}`, { body: { title: 'changed' } });
	await control('POST', '/faults', { operationId: '*', kind: 'status', times: 0 });
	await control('POST', '/rate-limit', { perSecond: 0.001 });
	await control('POST', '/reset');
	expect(await seed()).toEqual(before);
	expect(await control('GET', '/sessions')).toEqual({ sessions: [] });
	expect(await control('GET', '/requests')).toEqual({ requests: [] });
	expect((await api('GET', '/projects', { token })).status).toBe(401);
	expect((await api('GET', '/projects')).status).toBe(200);
	expect((await api('GET', '/projects')).status).toBe(200);
});

test('the seed names what tests want', async () => {
	const found = await seed();
	expect(found.keys).toEqual({ main: 'wa_local_main_key', noProjects: 'wa_local_no_projects_key' });
	expect(found.tasks.length).toBeGreaterThan(24);
	for (const project of found.projects) {
		const sites = found.sites.filter(({ projectId }: any) => projectId === project.id);
		expect([2, 3]).toContain(sites.length);
	}
	expect(
		found.files.filter(({ projectId }: any) => projectId === found.projects[0].id).length,
	).toBeGreaterThan(100);
	for (const kind of ['folders', 'assets', 'domains', 'products', 'workspaces'])
		expect(found[kind].length).toBeGreaterThan(0);
});

test('many files are made at once, in a folder of their own', async () => {
	const projectId = (await seed()).projects[0].id;
	const { folderId, created } = await control('POST', '/files', { projectId, count: 250 });
	expect(created).toBe(250);
	await control('POST', '/files', { projectId, count: 1 });
	const { body } = await api('GET', '/files', {
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
	expect(await control('POST', path, body)).toMatchObject({ error: { code: 'invalid_request' } });
});

test('speed can be changed while it runs', async () => {
	expect(await control('POST', '/speed', { speed: 60 })).toEqual({ speed: 60 });
	expect(clock.speed()).toBe(60);
});

test('answers this machine only', async () => {
	const { app } = createService({ clock: createManualClock() });
	const from = (remoteAddress: string) => app.inject({ url: '/_control/seed', remoteAddress });
	for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
		expect((await from(address)).statusCode).toBe(200);
	for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1'])
		expect((await from(address)).statusCode).toBe(404);
	await app.close();
});
