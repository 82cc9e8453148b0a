import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRequest } from '../../nodes/shared/api/operations.ts';
import {
	ASSUMED_REQUESTS,
	placeholdersOf,
	type OperationId,
} from '../../nodes/shared/api/assumedRequests.ts';
import { mustNotRepeat } from '../../nodes/shared/api/nonIdempotent.ts';
import {
	classifyAttempt,
	isIdempotent,
	nextAction,
	NO_ATTEMPTS,
	retryAfterMs,
	retryDelayMs,
	type Classification,
	type RetryState,
} from '../../nodes/shared/transport/retryPolicy.ts';
import type { ApiRequest, Attempt } from '../../nodes/shared/transport/types.ts';

const response = (status: number, headers = {}, body: unknown = {}): Attempt => ({
	kind: 'response',
	status,
	headers,
	body,
});
const withoutJson = (status: number): Attempt => ({
	kind: 'response',
	status,
	headers: {},
	body: undefined,
});
const get: ApiRequest = { method: 'GET', path: '/x' };
const post: ApiRequest = { method: 'POST', path: '/x' };
const operations = Object.keys(ASSUMED_REQUESTS) as OperationId[];

describe('what may be sent again', () => {
	const requestOf = (operation: OperationId, overrides = {}) => {
		const values = Object.fromEntries(placeholdersOf(operation).map((name) => [name, 'x']));
		return createRequest(operation, values, overrides);
	};

	test('is what the API document calls idempotent, and shared previews and analytics, for every operation', () => {
		const expected = [
			'createAgentSession',
			'sendAgentMessage',
			'resolveInteraction',
			'createFile',
			'createProduct',
		];
		expect(operations.filter((each) => !isIdempotent(requestOf(each)))).toEqual(expected);
		expect(operations.filter(mustNotRepeat)).toEqual(expected);
	});

	test('is a matter of the operation, whatever method an override gives it', () => {
		for (const operation of operations) {
			for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
				const request = requestOf(operation, { [operation]: { method } });
				expect([operation, method, isIdempotent(request)]).toEqual([
					operation,
					method,
					!mustNotRepeat(operation),
				]);
			}
		}
	});

	test('is no POST that nobody has thought of', () => {
		expect([isIdempotent(post), isIdempotent(get)]).toEqual([false, true]);
	});

	test.each<[string, Attempt, Classification, Classification]>([
		['200', response(200), 'success', 'success'],
		['202', response(202), 'success', 'success'],
		['an empty 204', withoutJson(204), 'retry', 'success'],
		['a web page', withoutJson(200), 'retry', 'success'],
		['429', response(429), 'retry', 'retry'],
		['500', response(500), 'retry', 'indeterminate'],
		['502', response(502), 'retry', 'indeterminate'],
		['503', response(503), 'retry', 'indeterminate'],
		['408', response(408), 'retry', 'indeterminate'],
		['400', response(400), 'fail', 'fail'],
		['401', response(401), 'fail', 'fail'],
		['403', response(403), 'fail', 'fail'],
		['404', response(404), 'fail', 'fail'],
		['409', response(409), 'fail', 'fail'],
		['302', response(302), 'fail', 'fail'],
		['a lost response', { kind: 'lost', code: 'ECONNRESET' }, 'retry', 'indeterminate'],
		['a refused connection', { kind: 'unsent', code: 'ECONNREFUSED' }, 'retry', 'retry'],
		['a bad certificate', { kind: 'unusable', code: 'CERT_HAS_EXPIRED' }, 'fail', 'fail'],
		['too many bytes', { kind: 'tooLarge', code: '256 MiB' }, 'fail', 'indeterminate'],
	])('after %s', (_, attempt, idempotent, nonIdempotent) => {
		expect(classifyAttempt(attempt, get)).toBe(idempotent);
		expect(classifyAttempt(attempt, post)).toBe(nonIdempotent);
	});

	test('any 2xx is a success of a request whose response nobody needs', () => {
		const abort: ApiRequest = { ...post, idempotent: true, mayAnswerNothing: true };
		expect(classifyAttempt(withoutJson(204), abort)).toBe('success');
	});

	test('a request that must not be repeated is sent again only after a refusal or when it never left', () => {
		fc.assert(
			fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
				expect(classifyAttempt(response(status), post) === 'retry').toBe(status === 429);
			}),
		);
	});
});

describe('what follows', () => {
	const limits = { deadline: 60_000, maxAttempts: 3, notFoundDelaysMs: [1000, 2000] };
	const attempts = fc.oneof(
		fc.integer({ min: 200, max: 599 }).map((status) => response(status)),
		fc.constantFrom<Attempt>(
			{ kind: 'lost', code: 'ECONNRESET' },
			{ kind: 'unsent', code: 'ECONNREFUSED' },
			response(429, { 'retry-after': '0' }),
			response(429, { 'retry-after': '9999999999' }),
		),
	);

	test('never waits past the deadline, never less than a second, and ends', () => {
		fc.assert(
			fc.property(
				fc.array(attempts, { minLength: 200, maxLength: 200 }),
				fc.boolean(),
				(list, idempotent) => {
					let state: RetryState = NO_ATTEMPTS;
					let now = 0;
					const ended = list.some((attempt) => {
						const next = nextAction(state, attempt, { ...post, idempotent }, limits, now, 0.5);
						state = next.state;
						const { action } = next;
						if (action.type !== 'sendAgain' && action.type !== 'reconcile') return true;
						if (action.delayMs === undefined) return true;
						expect(action.delayMs).toBeGreaterThanOrEqual(1000);
						now += action.delayMs;
						expect(now).toBeLessThanOrEqual(limits.deadline);
						return false;
					});
					expect(ended).toBe(true);
				},
			),
		);
	});

	test('a request that must not be repeated is never sent again before somebody has looked, once it may have taken effect', () => {
		fc.assert(
			fc.property(fc.array(attempts, { minLength: 1, maxLength: 10 }), (list) => {
				let state: RetryState = NO_ATTEMPTS;
				for (const attempt of list) {
					const next = nextAction(state, attempt, post, limits, 0, 0);
					state = next.state;
					const ambiguous = classifyAttempt(attempt, post) === 'indeterminate';
					if (ambiguous) expect(next.action.type).toBe('reconcile');
				}
			}),
		);
	});

	test('a 404 is asked again after the delays given, then it is final', () => {
		let state: RetryState = NO_ATTEMPTS;
		const delays = [1, 2, 3].map(() => {
			const next = nextAction(state, response(404), get, limits, 0, 0);
			state = next.state;
			return next.action.type === 'sendAgain' ? next.action.delayMs : next.action.type;
		});
		expect(delays).toEqual([1000, 2000, 'fail']);
	});

	test('a 404 is not asked again past the deadline', () => {
		expect(nextAction(NO_ATTEMPTS, response(404), get, limits, 59_500, 0).action.type).toBe('fail');
	});

	test('a DELETE that finds nothing after an attempt that may have worked has worked', () => {
		const remove: ApiRequest = { method: 'DELETE', path: '/x' };
		const none = { ...limits, notFoundDelaysMs: [] };
		const lost: Attempt = { kind: 'lost', code: 'ECONNRESET' };
		const first = nextAction(NO_ATTEMPTS, lost, remove, none, 0, 0);
		expect(nextAction(first.state, response(404), remove, none, 0, 0).action.type).toBe(
			'returnDeleted',
		);
		expect(nextAction(NO_ATTEMPTS, response(404), remove, none, 0, 0).action.type).toBe('fail');
	});
});

describe('when it is sent again', () => {
	const now = Date.parse('2026-10-05T09:00:00Z');

	test('after 1, 2, 4, ... 30 seconds', () => {
		const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
			retryDelayMs(response(503), attempt, now, 0),
		);
		expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
	});

	test('never before the time that Retry-After asks for nor before a second, and at most a fiftieth after it', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 100_000 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				fc.nat(20),
				(seconds, random, attempt) => {
					const wait = retryDelayMs(
						response(429, { 'retry-after': String(seconds) }),
						attempt + 1,
						now,
						random,
					);
					const asked = Math.max(1, seconds) * 1000;
					expect(wait).toBeGreaterThanOrEqual(asked);
					expect(wait).toBeLessThanOrEqual(asked * 1.02);
				},
			),
		);
	});

	test.each<[string, Record<string, unknown>, number | undefined]>([
		['seconds', { 'retry-after': '7' }, 7000],
		['a number', { 'retry-after': 7 }, 7000],
		['a date', { 'retry-after': 'Mon, 05 Oct 2026 09:00:30 GMT' }, 30_000],
		[
			'a date, on a service whose clock is an hour ahead',
			{ 'retry-after': 'Mon, 05 Oct 2026 10:00:30 GMT', date: 'Mon, 05 Oct 2026 10:00:00 GMT' },
			30_000,
		],
		['a date that is over', { 'retry-after': 'Mon, 05 Oct 2026 08:00:00 GMT' }, 0],
		['nothing', {}, undefined],
		['an empty text', { 'retry-after': '' }, undefined],
		['nonsense', { 'retry-after': 'soon' }, undefined],
		['a negative number', { 'retry-after': '-5' }, undefined],
	])('Retry-After as %s', (_, headers, expected) => {
		expect(retryAfterMs(headers, now)).toBe(expected);
	});
});
