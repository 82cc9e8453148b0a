import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	isRepeatable,
	judge,
	waitMs,
	type Method,
	type Outcome,
	type Verdict,
} from '../../nodes/shared/resend.ts';
import { retryAfterMs } from '../../nodes/shared/retryAfter.ts';
import { operations } from '../../openapi/contract.mts';

const answer = (status: number, headers = {}): Outcome => ({
	kind: 'answer',
	status,
	headers,
	body: undefined,
});

describe('what may be sent again', () => {
	test('is what the API document calls idempotent, and shared previews and analytics, for every operation', () => {
		const unrepeatable = operations
			.filter(({ method, path }) => !isRepeatable(method as Method, path.replace(/\{\w+\}/g, 'x')))
			.map(({ method, path }) => `${method} ${path}`);
		expect(unrepeatable).toEqual([
			'POST /agent/sessions',
			'POST /agent/sessions/{sessionId}/messages',
			'POST /agent/sessions/{sessionId}/interactions/{interactionId}/resolve',
			'POST /files',
			'POST /products',
		]);
	});

	test('a POST that nobody has thought of is not repeated', () => {
		fc.assert(
			fc.property(fc.webPath(), (path) => {
				fc.pre(!/abort$|^\/shared-previews$|^\/analytics\/query$/.test(path));
				expect(isRepeatable('POST', path)).toBe(false);
			}),
		);
	});

	test.each<[string, Outcome, Verdict, Verdict]>([
		['200', answer(200), 'done', 'done'],
		['202', answer(202), 'done', 'done'],
		['429', answer(429), 'again', 'again'],
		['500', answer(500), 'again', 'unclear'],
		['502', answer(502), 'again', 'unclear'],
		['503', answer(503), 'again', 'unclear'],
		['408', answer(408), 'again', 'unclear'],
		['400', answer(400), 'final', 'final'],
		['401', answer(401), 'final', 'final'],
		['403', answer(403), 'final', 'final'],
		['404', answer(404), 'final', 'final'],
		['409', answer(409), 'final', 'final'],
		['302', answer(302), 'final', 'final'],
		['a lost answer', { kind: 'lost', code: 'ECONNRESET' }, 'again', 'unclear'],
		['a web page', { kind: 'malformed', status: 200, found: 'a web page' }, 'again', 'unclear'],
		['a refused connection', { kind: 'unsent', code: 'ECONNREFUSED' }, 'again', 'again'],
		['a bad certificate', { kind: 'unusable', code: 'CERT_HAS_EXPIRED' }, 'final', 'final'],
	])('after %s', (_, outcome, repeatable, unrepeatable) => {
		expect(judge(outcome, true)).toBe(repeatable);
		expect(judge(outcome, false)).toBe(unrepeatable);
	});

	test('an unrepeatable request is sent again only after a refusal or when it never left', () => {
		fc.assert(
			fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
				expect(judge(answer(status), false) === 'again').toBe(status === 429);
			}),
		);
	});
});

describe('when it is sent again', () => {
	const now = Date.parse('2026-10-05T09:00:00Z');

	test('after 1, 2, 4, ... 30 seconds', () => {
		const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => waitMs(answer(503), attempt, now, 0));
		expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
	});

	test('never before the time that Retry-After asks for, and at most a fiftieth after it', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 100_000 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				fc.nat(20),
				(seconds, random, attempt) => {
					const wait = waitMs(
						answer(429, { 'retry-after': String(seconds) }),
						attempt + 1,
						now,
						random,
					);
					expect(wait).toBeGreaterThanOrEqual(seconds * 1000);
					expect(wait).toBeLessThanOrEqual(seconds * 1020);
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
