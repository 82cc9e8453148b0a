import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OperationId } from '../../nodes/shared/client/operations.ts';
import { OPERATIONS } from '../../nodes/shared/client/operationTable.ts';
import { allowedPlaceholders } from '../../nodes/shared/client/overrides.ts';
import {
	nextAction,
	NO_ATTEMPTS,
	classifyAttempt,
	isHtmlPage,
	retryAfterMs,
	retryDelayMs,
	type AttemptOutcome,
	type Moment,
	type RetryState,
} from '../../nodes/shared/client/retryPolicy.ts';
import type { ApiRequest, Attempt, ResponseAttempt } from '../../nodes/shared/client/apiTypes.ts';
import { apiWith } from '../support/apiWith.mts';

const response = (status: number, headers = {}, body: unknown = {}): Attempt => ({
	kind: 'response',
	status,
	headers,
	body,
});
/** A time at which both clocks agree */
const at = (ms: number): Moment => ({ monotonicMs: ms, wallMs: ms });
const withText = (status: number, text: string): Attempt => ({
	kind: 'response',
	status,
	headers: {},
	body: undefined,
	text,
});
const held = (code: string) => ({ error: { code, message: 'No', doc_url: 'https://x' } });
const read: ApiRequest = { method: 'GET', effect: 'read', path: '/x' };
const idempotent: ApiRequest = {
	method: 'PATCH',
	effect: { message: 'Not known', description: 'Look.', isIdempotent: true },
	path: '/x',
};
const once: ApiRequest = {
	method: 'POST',
	effect: { message: 'Not known', description: 'Look.' },
	path: '/x',
};
const operations = Object.keys(OPERATIONS) as OperationId[];

describe('non-idempotent operations', () => {
	const expected = [
		'createAgentSession',
		'sendAgentMessage',
		'resolveInteraction',
		'answerQuestion',
		'createFile',
		'createProduct',
	];

	test.each(operations)(
		'%s is retried after a lost response only if it is idempotent, with any method of an override',
		async (operation) => {
			const values = Object.fromEntries(allowedPlaceholders(operation).map((name) => [name, 'x']));
			for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
				const { api, sent, clock } = await apiWith(
					{ code: 'ECONNRESET' },
					{ [operation]: { method } },
				);
				const reconcile = async () => 'unknown' as const;
				await clock.run(api.call(operation, values, { reconcile }).catch(() => {}));
				const changing = sent.filter((request) => request.method === method);
				expect(changing.length > 1).toBe(!expected.includes(operation));
			}
		},
	);
});

describe('the proof of an attempt', () => {
	test.each<[string, Attempt, AttemptOutcome, AttemptOutcome?]>([
		['200 with JSON', response(200), 'succeeded'],
		['202 with JSON', response(202), 'succeeded'],
		['an empty 204', withText(204, ''), 'succeeded', 'unknown'],
		['an empty 200', withText(200, ' \n'), 'succeeded', 'unknown'],
		['a web page', withText(200, '<!doctype html>'), 'unknown'],
		['text', withText(200, 'OK'), 'unknown'],
		['JSON that is cut off', withText(200, '{"sta'), 'unknown'],
		['a body that broke off', { ...withText(200, ''), broken: 'ECONNRESET' } as Attempt, 'unknown'],
		['302', response(302), 'unknown'],
		['429', response(429), 'notExecuted'],
		['500', response(500), 'unknown'],
		['408', response(408), 'unknown'],
		['400', response(400), 'rejected'],
		['425', response(425), 'notExecuted'],
		[
			'a 409 of another request that holds it',
			response(409, {}, held('resource_locked')),
			'notExecuted',
		],
		['a 409 of a conflict', response(409, {}, held('conflict')), 'rejected'],
		['a 409 of a domain in use', response(409, {}, held('domain_in_use')), 'rejected'],
		['404', response(404), 'rejected'],
		['a lost response', { kind: 'lost', code: 'ECONNRESET' }, 'unknown'],
		['a refused connection', { kind: 'unsent', code: 'ECONNREFUSED' }, 'notExecuted'],
		['a bad certificate', { kind: 'unusable', code: 'CERT_HAS_EXPIRED' }, 'rejected'],
		['too many bytes', { kind: 'tooLarge', code: '256 MiB' }, 'unknown'],
	])('%s', (_, attempt, evidence, ofRead = evidence) => {
		expect([classifyAttempt(attempt, idempotent), classifyAttempt(attempt, read)]).toEqual([
			evidence,
			ofRead,
		]);
	});
});

test('an empty body proves nothing where the API document shows one', () => {
	expect(classifyAttempt(withText(204, ''), { ...idempotent, needsBody: true })).toBe('unknown');
});

test('a 425 of a request that must not be done twice is a refusal', () => {
	expect(classifyAttempt(response(425), once)).toBe('rejected');
});

test.each<[string, object, boolean]>([
	['<!doctype html>', {}, true],
	['\ufeff \n<html>', {}, true],
	['<?xml version="1.0"?><Error/>', {}, true],
	['Oops <b>404</b>', { 'content-type': 'text/html; charset=utf-8' }, true],
	['Not found', { 'content-type': 'text/html' }, false],
	['a < b', { 'content-type': 'text/html' }, false],
	['a <b> c', {}, false],
	['', { 'content-type': 'text/html' }, false],
])('%j with %j: a page of a proxy or a login is %s', (text, headers, isPage) => {
	expect(isHtmlPage({ ...withText(404, text), headers } as ResponseAttempt)).toBe(isPage);
});

test('a page proves nothing with any status except 429 and 407, which prove that nothing ran', () => {
	for (let status = 200; status < 600; status++) {
		const outcome = classifyAttempt(withText(status, '<p>'), idempotent);
		const proven = { 407: 'rejected', 429: 'notExecuted' }[status];
		expect(outcome).toBe(proven ?? 'unknown');
	}
});

test.each([403, 404])(
	'a page with %d after a DELETE with a lost response is no proof that it is deleted',
	async (status) => {
		const id = '123e4567-e89b-42d3-a456-426614174000';
		const page = { status, body: '<!doctype html><p>Please sign in' };
		const removing = async (...answers: object[]) => {
			const { api, clock } = await apiWith([{ code: 'ECONNRESET' }, page, ...answers]);
			const calling = api.call('deleteCustomDomain', { customDomainId: id });
			return await clock.run(calling.catch((error: Error) => error));
		};
		expect(await removing()).toMatchObject({
			message: 'The custom domain may have been deleted',
			description: expect.stringContaining('A proxy or login page answered'),
			context: expect.not.objectContaining({ httpStatus: expect.anything() }),
		});
		expect(await removing({ status: 404, body: {} })).toMatchObject({ status: 204 });
	},
);

describe('the next action', () => {
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
				fc.constantFrom(read, idempotent, once),
				(list, request) => {
					let state: RetryState = NO_ATTEMPTS;
					let now = 0;
					const ended = list.some((attempt) => {
						const next = nextAction(state, attempt, request, limits, at(now), 0.5);
						state = next.state;
						if (next.type !== 'retry' && next.type !== 'reconcile') return true;
						if (next.delayMs === undefined) return true;
						expect(next.delayMs).toBeGreaterThanOrEqual(1000);
						now += next.delayMs;
						expect(now).toBeLessThanOrEqual(limits.deadline);
						return false;
					});
					expect(ended).toBe(true);
				},
			),
		);
	});

	test('never repeats a non-idempotent request without a reconciliation, once it may have taken effect', () => {
		fc.assert(
			fc.property(fc.array(attempts, { minLength: 1, maxLength: 10 }), (list) => {
				let state: RetryState = NO_ATTEMPTS;
				for (const attempt of list) {
					const next = nextAction(state, attempt, once, limits, at(0), 0);
					state = next.state;
					const ambiguous = classifyAttempt(attempt, idempotent) === 'unknown';
					if (ambiguous) expect(next.type).toBe('reconcile');
				}
			}),
		);
	});

	test('a 404 is not retried past the deadline', () => {
		expect(nextAction(NO_ATTEMPTS, response(404), read, limits, at(59_500), 0).type).toBe('fail');
	});
});

describe('the time of a retry', () => {
	const now = Date.parse('2026-10-05T09:00:00Z');

	test('is after 1, 2, 4, ... 30 seconds', () => {
		const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
			retryDelayMs(response(503), attempt, now, 0),
		);
		expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
	});

	test('is never before Retry-After nor before a second, and at most a fiftieth after it', () => {
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
		['a date of asctime', { 'retry-after': 'Mon Oct  5 09:00:30 2026' }, 30_000],
		['a date of RFC 850', { 'retry-after': 'Monday, 05-Oct-26 09:00:30 GMT' }, 30_000],
		[
			'two dates of asctime',
			{ 'retry-after': 'Mon Oct  5 10:00:30 2026', date: 'Mon Oct  5 10:00:00 2026' },
			30_000,
		],
		['an empty text', { 'retry-after': '' }, undefined],
		['nonsense', { 'retry-after': 'soon' }, undefined],
		['a negative number', { 'retry-after': '-5' }, undefined],
	])('follows Retry-After as %s', (_, headers, expected) => {
		expect(retryAfterMs(headers, now)).toBe(expected);
	});
});

test.each(['America/New_York', 'Asia/Tokyo'])(
	'a date of asctime is GMT for an n8n in %s',
	(zone) => {
		const { TZ } = process.env;
		process.env.TZ = zone;
		const waitMs = retryAfterMs(
			{ 'retry-after': 'Mon Oct  5 09:00:30 2026' },
			Date.parse('2026-10-05T09:00:00Z'),
		);
		if (TZ === undefined) delete process.env.TZ;
		else process.env.TZ = TZ;
		expect(waitMs).toBe(30_000);
	},
);

test.each<[string, Attempt]>([
	['a 403', response(403)],
	['a response that is no JSON', { kind: 'unusable', code: 'x' } as Attempt],
])('%s is not retried after a lost response, and proves nothing about it', (_, attempt) => {
	const state = { ...NO_ATTEMPTS, mayHaveTakenEffect: true };
	const remove = { ...idempotent, method: 'DELETE' } as const;
	const limits = { notFoundDelaysMs: [1_000] };
	expect(nextAction(state, attempt, remove, limits, at(0), 0)).toEqual({
		type: 'reconcile',
		state,
	});
	expect(nextAction(NO_ATTEMPTS, attempt, remove, limits, at(0), 0).type).toBe('fail');
});

test.each<[string, Attempt, boolean]>([
	['a 429', response(429), true],
	['a 503', response(503), false],
	['a lost response', { kind: 'lost', code: 'ECONNRESET' }, false],
])('%s pauses the key: %s', (_, attempt, isPaused) => {
	const { state, ...action } = nextAction(NO_ATTEMPTS, attempt, read, {}, at(0), 0);
	expect(action).toEqual({
		type: 'retry',
		delayMs: 1_000,
		pauseMs: isPaused ? 1_000 : undefined,
	});
	expect(state).toMatchObject(isPaused ? { throttled: 1, failures: 0 } : { failures: 1 });
});

test('a page with status 429 is no proof that nothing happened', () => {
	const page = withText(429, '<!doctype html>');
	expect(classifyAttempt(page, once)).toBe('unknown');
	expect(classifyAttempt(page, idempotent)).toBe('notExecuted');
});

test('a response that was too large is not requested again', () => {
	const attempt = { kind: 'tooLarge', limitBytes: 1, status: 200 } as unknown as Attempt;
	expect(nextAction(NO_ATTEMPTS, attempt, read, {}, at(0), 0).type).toBe('fail');
});

test('a wait beyond the deadline pauses other requests with the key for a second only', () => {
	const asked = response(429, { 'retry-after': '60' });
	const action = nextAction(NO_ATTEMPTS, asked, read, { deadline: 30_000 }, at(0), 0);
	expect(action).toMatchObject({ type: 'fail', pauseMs: 1_000 });
});
