import { describe, expect, test } from '@jest/globals';
import { useService } from './support.mts';

const { api, control, keyFor, clock } = useService();

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
