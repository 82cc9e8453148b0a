// Limits of retries: time, attempts and the service's Retry-After.
import { describe, expect, test } from '@jest/globals';
import {
	nextAction,
	NO_ATTEMPTS,
	retryAfterMs,
	retryDelayMs,
	type RetryLimits,
	type RetryState,
} from '../../nodes/shared/client/retryPolicy.ts';
import type { ApiRequest, Attempt } from '../../nodes/shared/client/types.ts';

const NOW = Date.parse('2026-10-05T09:00:00Z');
const MINUTE = 60_000;
const response = (status: number, headers = {}): Attempt => ({
	kind: 'response',
	status,
	headers,
	body: {},
});
const lost: Attempt = { kind: 'lost', code: 'ECONNRESET' };
const empty: Attempt = { kind: 'response', status: 200, headers: {}, body: undefined, text: '' };
const moment = { monotonicMs: NOW, wallMs: NOW };
type Asked = Pick<ApiRequest, 'effect' | 'method'>;
const read: Asked = { method: 'GET', effect: 'read' };
const idempotent: Asked = { method: 'PATCH', effect: 'idempotent' };
const once: Asked = { method: 'POST', effect: { message: 'Not known', description: 'Look.' } };
const after = (
	attempt: Attempt,
	request: Asked,
	limits: RetryLimits = {},
	state: Partial<RetryState> = {},
) => nextAction({ ...NO_ATTEMPTS, ...state }, attempt, request, limits, moment, 0);

describe('Retry-After', () => {
	const dated = (minutes: number) => new Date(NOW + minutes * MINUTE).toUTCString();
	test.each<[unknown, number | undefined]>([
		['5', 5_000],
		[5, 5_000],
		[' 2.25 ', 2_250],
		['1.x', undefined],
		['5 seconds', undefined],
		['-5', undefined],
		['soon 1', undefined],
		['2026-10-05', undefined],
		['Oct 5 2026', undefined],
		['', undefined],
		[undefined, undefined],
		[['5'], undefined],
		[dated(1), MINUTE],
		[dated(-1), 0],
	])('%j: %j', (value, expected) => {
		expect(retryAfterMs({ 'retry-after': value }, NOW)).toBe(expected);
	});

	test('is compared with the date of the service, if that is readable', () => {
		const retryAfter = { 'retry-after': dated(61) };
		expect(retryAfterMs({ ...retryAfter, date: dated(60) }, NOW)).toBe(MINUTE);
		for (const date of ['nonsense', 7, undefined])
			expect(retryAfterMs({ ...retryAfter, date }, NOW)).toBe(61 * MINUTE);
	});

	test('is waited for plus at most a fiftieth, and without it a wait is at most a fifth longer', () => {
		const asks = response(429, { 'retry-after': '10' });
		expect([0, 1].map((random) => retryDelayMs(asks, 1, NOW, random))).toEqual([10_000, 10_200]);
		expect([0, 1].map((random) => retryDelayMs(lost, 2, NOW, random))).toEqual([2_000, 2_400]);
	});
});

describe('a request is retried', () => {
	test('until the deadline, and not after it', () => {
		const types = [1_000, 999].map((left) => after(lost, read, { deadline: NOW + left }).type);
		expect(types).toEqual(['retry', 'fail']);
	});

	test("up to its limit, and a 429 doesn't count", () => {
		const at = (failures: number, attempt: Attempt) =>
			after(attempt, idempotent, { maxAttempts: 3 }, { failures }).type;
		expect([0, 1, 2, 3].map((failures) => at(failures, lost))).toEqual([
			'retry',
			'retry',
			'fail',
			'fail',
		]);
		expect(at(2, response(429))).toBe('retry');
	});

	test('not when its response was too large', () => {
		expect(after({ kind: 'tooLarge', code: '1 MiB' }, read).type).toBe('fail');
	});

	test('after an empty response to a read, but not after one to a change', () => {
		expect(after(empty, read).type).toBe('retry');
		expect(after(empty, idempotent).type).toBe('return');
	});

	test('with a separate count of 429s, and each 429 pauses the other requests', () => {
		const first = after(response(429), idempotent);
		expect(first.state).toEqual({ ...NO_ATTEMPTS, throttled: 1 });
		expect(first).toMatchObject({ delayMs: 1_000, pauseMs: 1_000 });
		const second = after(response(429), idempotent, {}, first.state);
		expect(second).toMatchObject({ state: { throttled: 2 }, delayMs: 2_000, pauseMs: 2_000 });
		expect(after(lost, idempotent)).toMatchObject({ pauseMs: undefined });
		const late = after(response(429, { 'retry-after': '60' }), idempotent, { deadline: NOW + 1 });
		expect(late).toMatchObject({ type: 'fail', pauseMs: 1_000 });
	});
});

describe('a 404', () => {
	const missing = response(404);
	const delays = [1_000, 2_000];

	test('is retried after each of the given delays, before the deadline', () => {
		const at = (notFound: number, left = Infinity) =>
			after(missing, read, { notFoundDelaysMs: delays, deadline: NOW + left }, { notFound });
		expect(at(0)).toMatchObject({ type: 'retry', delayMs: 1_000, state: { notFound: 1 } });
		expect(at(1)).toMatchObject({ type: 'retry', delayMs: 2_000, state: { notFound: 2 } });
		expect(at(2).type).toBe('fail');
		expect([1_000, 999].map((left) => at(0, left).type)).toEqual(['retry', 'fail']);
		expect(after(missing, read).type).toBe('fail');
	});

	test('is success for a delete if an attempt may have worked, and otherwise an error', () => {
		const may = { mayHaveTakenEffect: true };
		const remove: Asked = { method: 'DELETE', effect: 'idempotent' };
		expect(after(missing, remove, {}, may).type).toBe('returnDeleted');
		expect(after(missing, remove).type).toBe('fail');
		expect(after(missing, idempotent, {}, may).type).toBe('fail');
		expect(after(missing, remove, { singleAttempt: true }, may).type).toBe('fail');
	});
});

describe('a non-idempotent request', () => {
	test('is reconciled after a rejection only if an attempt may have worked', () => {
		expect(after(response(409), once).type).toBe('fail');
		expect(after(response(409), once, {}, { mayHaveTakenEffect: true }).type).toBe('reconcile');
		expect(after(response(409), idempotent, {}, { mayHaveTakenEffect: true }).type).toBe('fail');
	});

	test('is retried after a failure without effect, and reconciled after a failure that may have had one', () => {
		const unsent = after({ kind: 'unsent', code: 'ECONNREFUSED' }, once);
		expect(unsent).toMatchObject({ type: 'retry', state: { mayHaveTakenEffect: false } });
		const unknown = after(lost, once);
		expect(unknown).toMatchObject({ type: 'reconcile', state: { mayHaveTakenEffect: true } });
	});
});
