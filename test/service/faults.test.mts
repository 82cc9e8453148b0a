import { describe, expect, test } from '@jest/globals';
import { type FaultRule } from '../../local-service/faults.mts';
import { AS_TEXT, http } from '../../tools/http.mts';
import { current, getError, useService, type Json } from './support.mts';

const { api, control, seed, advance, url, clock } = useService();

const arm = (rule: Partial<FaultRule> & { kind: FaultRule['kind'] }) =>
	control.addFaults({ operationId: '*', ...rule });
/** The latest request, as recorded */
const last = async () => (await control.requests()).at(-1);
const raw = (signal?: AbortSignal) =>
	http.get<string>(`${url()}/projects?limit=1`, {
		...AS_TEXT,
		headers: { authorization: 'Bearer wa_local_main_key', 'service-api-version': current },
		signal,
	});
const newProduct = async () =>
	api('POST', '/products', { body: { projectId: (await seed()).projects[0].id, name: 'Traced' } });
const wasMade = async () => (await seed()).products.some(({ name }) => name === 'Traced');

describe('the effects of faults', () => {
	test('status: any error, before anything is done', async () => {
		await arm({ kind: 'status', status: 429, retryAfter: 3 });
		const got = await newProduct();
		expect(getError(got)).toEqual([429, 'too_many_requests']);
		expect(got.headers.get('retry-after')).toBe('3');
		expect(await last()).toMatchObject({
			status: 429,
			fault: { kind: 'status', processed: false },
		});
		expect(await wasMade()).toBe(false);
	});

	test('status: Retry-After as a date, and another code', async () => {
		await arm({ kind: 'status', status: 503, code: 'busy', retryAfter: { date: 5 } });
		const got = await api('GET', '/projects');
		expect(getError(got)).toEqual([503, 'busy']);
		expect(Date.parse(got.headers.get('retry-after')!)).toBe(clock.now() + 5000);
	});

	test('status: after the request was carried out, if the rule says so', async () => {
		await arm({ kind: 'status', status: 500, process: true });
		expect(getError(await newProduct())).toEqual([500, 'internal_error']);
		expect(await last()).toMatchObject({
			status: 500,
			answer: { name: 'Traced' },
			fault: { processed: true },
		});
		expect(await wasMade()).toBe(true);
	});

	test('latency: a later request gets its response first', async () => {
		await arm({ operationId: 'listTasks', kind: 'latency', ms: 1000 });
		const order: string[] = [];
		await Promise.all([
			api('GET', '/tasks').then(() => order.push('slow')),
			api('GET', '/projects').then(() => order.push('quick')),
		]);
		expect(order).toEqual(['quick', 'slow']);
		const requests = await control.requests();
		expect(requests.find(({ path }) => path === '/v1/tasks')).toMatchObject({
			status: 200,
			fault: { kind: 'latency', processed: true },
		});
	});

	test('reset: no response, and no effect', async () => {
		await arm({ kind: 'reset', operationId: 'createProduct' });
		await expect(newProduct()).rejects.toThrow('socket hang up');
		expect(await last()).toMatchObject({
			status: null,
			fault: { kind: 'reset', processed: false },
		});
		expect(await wasMade()).toBe(false);
	});

	test('reset-after: no response, but an effect', async () => {
		await arm({ kind: 'reset-after', operationId: 'createProduct' });
		await expect(newProduct()).rejects.toThrow('socket hang up');
		expect(await last()).toMatchObject({
			status: null,
			answer: { name: 'Traced' },
			fault: { kind: 'reset-after', processed: true },
		});
		expect(await wasMade()).toBe(true);
	});

	test('half: the body is cut off', async () => {
		await arm({ kind: 'half' });
		await expect(raw()).rejects.toThrow();
		expect(await last()).toMatchObject({ status: 200, fault: { kind: 'half', processed: true } });
	});

	test("hang: other requests get responses, the stuck one doesn't", async () => {
		await arm({ kind: 'hang' });
		const stop = new AbortController();
		let settled = false;
		const hanging = raw(stop.signal).finally(() => (settled = true));
		hanging.catch(() => {});
		while ((await control.requests()).length === 0);
		expect((await raw()).status).toBe(200);
		expect(settled).toBe(false);
		stop.abort();
		await expect(hanging).rejects.toThrow();
		expect((await control.requests())[0]).toMatchObject({
			status: null,
			fault: { kind: 'hang', processed: false },
		});
	});

	test('html: a web page instead of JSON', async () => {
		await arm({ kind: 'html' });
		const response = await raw();
		expect([response.status, response.headers['content-type']]).toEqual([
			200,
			'text/html; charset=utf-8',
		]);
		expect(response.data).toMatch(/^<!doctype html>/);
	});

	test('empty: an empty body, with 200', async () => {
		await arm({ kind: 'empty' });
		const response = await raw();
		expect([response.status, response.data]).toEqual([200, '']);
		expect(await last()).toMatchObject({ fault: { kind: 'empty', processed: true } });
	});

	test('content-type: the true body with another content type', async () => {
		await arm({ kind: 'content-type' });
		const response = await raw();
		expect(response.headers['content-type']).toBe('text/plain');
		expect(JSON.parse(response.data)).toMatchObject({ object: 'list' });
	});

	test('not-found: 404 for something that exists', async () => {
		await arm({ kind: 'not-found' });
		expect(getError(await api('GET', '/projects'))).toEqual([404, 'not_found']);
	});

	test('skew: another time in body and Date header', async () => {
		const { body } = await api<Json>('GET', '/tasks', { query: { limit: 1 } });
		await arm({ kind: 'skew', ms: 3_600_000 });
		const skewed = await api<Json>('GET', '/tasks', { query: { limit: 1 } });
		expect(Date.parse(skewed.body.data[0].createdAt!)).toBe(
			Date.parse(body.data[0].createdAt!) + 3_600_000,
		);
		expect(Date.parse(skewed.headers.get('date')!)).toBe(clock.now() + 3_600_000);
	});

	test('interactions: listed twice, or not at all', async () => {
		const projectId = (await seed()).projects[0].id;
		const { sessionId } = (
			await api<Json>('POST', '/agent/sessions', {
				body: { projectId, prompt: '[work 5s] [ask bash: x]' },
			})
		).body;
		const pending = async () =>
			(await api<Json>('GET', `/agent/sessions/${sessionId}`)).body.pendingInteractions!.map(
				({ id }: Json) => id,
			);
		await arm({ kind: 'duplicate-interactions' });
		await arm({ kind: 'vanishing-interactions' });
		advance(5);
		expect(await pending()).toEqual([]);
		advance(5);
		const [first, second] = await pending();
		expect(first).toBe(second);
		expect(await last()).toMatchObject({
			fault: { kind: 'duplicate-interactions', processed: true },
		});
		expect(await pending()).toEqual([]);
		expect(await last()).toMatchObject({
			fault: { kind: 'vanishing-interactions', processed: true },
		});
		expect(await pending()).toEqual([first]);
	});
});
