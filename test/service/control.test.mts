import { describe, expect, test } from '@jest/globals';
import { createService } from '../../local-service/app.mts';
import { useService } from './support.mts';
import { http } from '../../tools/http.mts';
import { createServiceClock } from '../support/virtualClock.mts';

const { api, control, keyFor, clock, controlUrl } = useService();

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

	test('is read from a given number on, and numbering continues after a clear', async () => {
		for (let n = 0; n < 3; n++) await api('GET', '/projects');
		expect((await control.requests(1)).map(({ n }) => n)).toEqual([2, 3]);
		await control.clearRequests();
		expect(await control.requests()).toEqual([]);
		await api('GET', '/projects');
		expect((await control.requests()).map(({ n }) => n)).toEqual([4]);
	});
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
