// Common rules of all operations: key, version, scopes, validation, envelope.
import { describe, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { operations } from '../../openapi/contract.mts';
import { registerApi } from '../../local-service/api.mts';
import { createAnalytics } from '../../local-service/analytics/analytics.mts';
import { mainToken } from '../../local-service/auth.mts';
import { createDialectLayer } from '../../local-service/dialects/layer.mts';
import { createFaults } from '../../local-service/faults.mts';
import { noLateness } from '../../local-service/lateness.mts';
import { createRateLimit } from '../../local-service/rate-limit.mts';
import { createRecord } from '../../local-service/record.mts';
import { seed as seedStore } from '../../local-service/seed.mts';
import { current, getError, getMessage, older, unknownId as id, useService } from './support.mts';
import { http } from '../../tools/http.mts';
import { createServiceClock } from '../support/virtualClock.mts';

const { api, control, keyFor, seed, url } = useService();
const olderOnly = ['getTask', 'listCustomDomains'];
const getPath = (path: string) => path.replaceAll(/\{\w+\}/g, id);

describe('every operation', () => {
	test.each(operations)('$operationId requires a valid key', async ({ method, path }) => {
		for (const token of [null, 'wrong', ''])
			expect(getError(await api(method, getPath(path), { token }))).toEqual([401, 'unauthorized']);
	});

	test.each(operations)(
		'$operationId accepts one version',
		async ({ operationId, method, path }) => {
			const good = olderOnly.includes(operationId) ? older : current;
			const wrong = olderOnly.includes(operationId) ? current : older;
			for (const version of [null, wrong, '2020-01-01', '']) {
				const got = await api(method, getPath(path), { version });
				expect(getError(got)).toEqual([400, 'invalid_version']);
				expect(getMessage(got)).toContain(good);
			}
			expect(getError(await api(method, getPath(path), { version: good }))).not.toContain(
				'invalid_version',
			);
		},
	);

	test.each(operations.filter(({ scopes }) => scopes.length > 0))(
		'$operationId is not found without its scopes',
		async (operation) => {
			const { scopes, method, path } = operation;
			const everything = [...new Set(operations.flatMap((each) => each.scopes))];
			const token = await keyFor({ scopes: everything.filter((scope) => !scopes.includes(scope)) });
			expect(getError(await api(method, getPath(path), { token }))).toEqual([404, 'not_found']);
		},
	);
});

describe('refusals', () => {
	test('have a code, a message and a link to the explanation of the code', async () => {
		const { status, body } = await api('GET', '/projects', { token: null });
		expect(status).toBe(401);
		expect(body).toEqual({
			error: {
				code: 'unauthorized',
				message: expect.any(String),
				doc_url: expect.stringMatching(/^https:.*unauthorized$/),
			},
		});
	});

	test("are equal for a project without access and for one that doesn't exist", async () => {
		const { projects } = await seed();
		const token = await keyFor({ projects: [projects[1].id] });
		const start = (projectId: string, as?: string) =>
			api('POST', '/agent/sessions', { body: { projectId, prompt: 'x' }, token: as });
		expect((await start(projects[1].id, token)).status).toBe(202);
		const denied = await start(projects[0].id, token);
		const missing = await start(id, token);
		expect(getError(denied)).toEqual([404, 'not_found']);
		expect(denied.body).toEqual(missing.body);
	});

	test.each(['/nothing', '/projects/1', '/'])('unknown route %s', async (path) => {
		expect(getError(await api('GET', path))).toEqual([404, 'not_found']);
	});

	test("a method that a route doesn't have", async () => {
		expect(getError(await api('DELETE', '/projects'))).toEqual([404, 'not_found']);
	});

	test.each([
		['invalid JSON', '{"projectId":', 'not valid JSON'],
		['no body', undefined, 'body is required'],
		['a missing field', { projectId: id }, "body must have required property 'prompt'"],
		[
			'a field of the wrong kind',
			{ projectId: 'x', prompt: 'y' },
			'body/projectId must match format "uuid"',
		],
		['an empty text', { projectId: id, prompt: '' }, 'body/prompt'],
	])('%s', async (_, body, message) => {
		const got = await api('POST', '/agent/sessions', { body });
		expect(getError(got)).toEqual([400, 'invalid_request']);
		expect(getMessage(got)).toContain(message);
	});

	test('a body without the content type of JSON', async () => {
		const got = await api('POST', '/agent/sessions', {
			body: { projectId: id, prompt: 'x' },
			headers: { 'content-type': 'text/plain' },
		});
		expect(getError(got)).toEqual([400, 'invalid_request']);
	});

	test('an id in the path that is not a UUID', async () => {
		const got = await api('GET', '/agent/sessions/17');
		expect(getError(got)).toEqual([400, 'invalid_request']);
		expect(getMessage(got)).toContain('path/sessionId');
	});

	test('a required parameter that is missing, or given twice', async () => {
		const got = await api('GET', '/files');
		expect(getMessage(got)).toContain('query/projectId is required');
		expect(getError(await api('GET', '/projects?limit=1&limit=2'))).toEqual([
			400,
			'invalid_request',
		]);
	});

	test('a URL that cannot be read', async () => {
		const { status, data } = await http.get(`${url()}/%zz`);
		expect(status).toBe(400);
		expect(data).toMatchObject({ error: { code: 'invalid_request' } });
	});
});

describe('rate limit', () => {
	test('allows a burst, then returns the waiting time, for each key', async () => {
		const other = await keyFor({});
		await control.setRateLimit({ perSecond: 0.5, burst: 2 });
		const statuses = [];
		for (let n = 0; n < 3; n++) statuses.push((await api('GET', '/projects')).status);
		expect(statuses).toEqual([200, 200, 429]);
		const refused = await api('GET', '/projects');
		expect(getError(refused)).toEqual([429, 'too_many_requests']);
		expect(refused.headers.get('retry-after')).toBe('2');
		expect((await api('GET', '/projects', { token: other })).status).toBe(200);
		await control.setRateLimit(null);
		expect((await api('GET', '/projects')).status).toBe(200);
	});

	test('allows the next request after that time', () => {
		const limit = createRateLimit();
		limit.set({ perSecond: 2, burst: 1 });
		expect([
			limit.take('a', 0),
			limit.take('a', 0),
			limit.take('a', 400),
			limit.take('a', 1000),
			limit.take('a', 1000),
		]).toEqual([0, 1, 1, 0, 1]);
		limit.set({ perSecond: 5 });
		expect(Array.from({ length: 6 }, () => limit.take('a', 0))).toEqual([0, 0, 0, 0, 0, 1]);
	});
});

test('a response that violates the contract becomes a 500, and the log names the violation', async () => {
	const problems: string[] = [];
	const clock = createServiceClock();
	const store = seedStore(clock.now());
	store.projects.add({ ...store.projects.all()[0], id: 'not-a-uuid' });
	const app = fastify();
	const parts = {
		state: {
			clock,
			store,
			lateness: noLateness,
			analytics: createAnalytics({ traffic: () => ({ events: [], rates: [] }) }),
		},
		record: createRecord(),
		faults: createFaults(),
		rateLimit: createRateLimit(),
		layer: createDialectLayer([]),
	};
	registerApi(app, { ...parts, log: (problem) => problems.push(problem) });
	const read = (limit: number, cursor?: string) =>
		app.inject({
			url: '/projects',
			query: { limit: String(limit), ...(cursor && { cursor }) },
			headers: { authorization: `Bearer ${mainToken}`, 'service-api-version': current },
		});
	const first = await read(100);
	expect(first.statusCode).toBe(200);
	const second = await read(100, first.json().next_cursor);
	expect(second.statusCode).toBe(500);
	expect(second.json()).toMatchObject({ error: { code: 'internal_error' } });
	expect(problems.join()).toContain(
		'listProjects breaks the contract with its 200: answer/data/30/id',
	);
	await app.close();
});
