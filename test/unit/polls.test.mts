// A poll is one of many: one failure never ends the wait, and the last attempt is made at its end.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { fetchSession } from '../../nodes/shared/client/sessions.ts';
import { apiWith, type Answer } from '../apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const HALF_HOUR_MS = 30 * 60_000;
const session = { body: { sessionId: ID, status: 'running' } };
const throttled = (retryAfter: string): Answer => ({
	status: 429,
	headers: { 'retry-after': retryAfter },
	body: {},
});
const tooLarge = () => ({ body: Readable.from([Buffer.alloc(2 * 2 ** 20, 32)]) });

async function poll(answer: (at: number) => Answer, limits = {}, waitMs = HALF_HOUR_MS) {
	const { api, sent, clock } = await apiWith((request) => answer(request.at));
	const deadline = clock.monotonicMs() + waitMs;
	const polling = fetchSession(api, ID, { deadline, isPoll: true, maxDelayMs: 10_000, ...limits });
	const result = await clock.run(polling.catch((error: WorkspaceAutomationError) => error));
	return { result, at: sent.map((request) => request.at), now: clock.now(), sent };
}

const FAILURES: Array<[string, () => Answer]> = [
	['a certificate that is not trusted', () => ({ code: 'CERT_HAS_EXPIRED' })],
	['a lost response', () => ({ code: 'ECONNRESET' })],
	['a refused connection', () => ({ code: 'ECONNREFUSED' })],
	['429', () => throttled('3')],
	['500', () => ({ status: 500, body: {} })],
	['a page with 200', () => ({ body: '<p>' })],
	['a page with 403', () => ({ status: 403, body: '<p>' })],
	['a page with 404', () => ({ status: 404, body: '<p>' })],
	['a page with 503', () => ({ status: 503, body: '<p>' })],
	['JSON that is cut off', () => ({ body: '{"sta' })],
	['an empty body', () => ({ body: '' })],
	['more than 1 MiB', tooLarge],
];

describe.each(FAILURES)('%s', (_, failure) => {
	test('for 20 minutes does not end a wait of 30', async () => {
		const { result } = await poll((at) => (at < 20 * 60_000 ? failure() : session));
		expect(result).toMatchObject({ sessionId: ID, status: 'running' });
	});

	test('for good ends it at its end, with a last attempt', async () => {
		const { result, at } = await poll(failure);
		expect(result).toHaveProperty('description');
		expect(at.at(-1)).toBe(HALF_HOUR_MS);
	});
});

test('what the service itself rejects ends the wait at once', async () => {
	for (const status of [400, 401, 403, 409]) {
		const { result, at } = await poll(() => ({ status, body: {} }));
		expect([at, result]).toEqual([
			[0],
			expect.objectContaining({ context: { httpStatus: status } }),
		]);
	}
});

test('a Retry-After beyond the end is cut to the time left, and the last attempt counts', async () => {
	const { result, at } = await poll((now) => (now === 0 ? throttled('2000') : session));
	expect(at).toEqual([0, HALF_HOUR_MS]);
	expect(result).toMatchObject({ status: 'running' });
});

test('no failures, in any order, end a wait before its end or make it last longer', async () => {
	const failure = fc.oneof(
		fc.constantFrom(...FAILURES.map(([, make]) => make)),
		fc.integer({ min: 1, max: 5_000 }).map((wait) => () => throttled(String(wait))),
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(failure, { minLength: 1, maxLength: 8 }),
			fc.integer({ min: 1, max: 600_000 }),
			async (failures, waitMs) => {
				let index = 0;
				const { at, now } = await poll(() => failures[index++ % failures.length](), {}, waitMs);
				expect(at.at(-1)).toBe(now);
				expect(now).toBeGreaterThanOrEqual(waitMs);
				// What is due at the end may be queued for a moment.
				expect(now).toBeLessThanOrEqual(waitMs + 1_000);
			},
		),
		{ numRuns: 60 },
	);
});

test('outside of polls a certificate that is not trusted and a response that is too large are final', async () => {
	for (const failure of [() => ({ code: 'CERT_HAS_EXPIRED' }), tooLarge]) {
		const { at } = await poll(failure, { isPoll: false });
		expect(at).toEqual([0]);
	}
});

describe('with 429 to every request', () => {
	test('a wait of 3 s ends after 3 s', async () => {
		const { result, now } = await poll(() => throttled('60'), {}, 3_000);
		expect(result).toMatchObject({ context: { httpStatus: 429 } });
		expect(now).toBeLessThanOrEqual(3_000);
	});

	test('a wait that begins while the key is paused makes its last attempt at its end', async () => {
		const { api, sent, clock } = await apiWith(throttled('50'));
		const other = api.call('listProjects', {}, { timeLimitMs: 120_000 }).catch(() => {});
		await clock.run(clock.sleep(1));
		const deadline = clock.monotonicMs() + 3_000;
		const polling = fetchSession(api, ID, { deadline, isPoll: true }).catch((error) => error);
		const result = await clock.run(polling);
		expect(result).toMatchObject({ context: { httpStatus: 429 } });
		const polls = sent.filter(({ path }) => path.includes(ID)).map(({ at }) => at);
		expect(polls).toEqual([3_001]);
		expect(clock.now()).toBeLessThanOrEqual(3_001);
		await clock.run(other);
	});
});
