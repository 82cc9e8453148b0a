// Times at which a paused execution resumes, and timeouts.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	nextWakeAt,
	passedTimeout,
	retryPollDelay,
	type Timeouts,
	type WaitState,
} from '../../nodes/RunAgentSession/session/schedule.ts';
import { requestKey } from '../../nodes/shared/client/session.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const defaults: Timeouts = {
	giveUpAfterMs: 24 * HOUR,
	onGiveUp: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: 24 * HOUR,
};
const anyTimeouts: fc.Arbitrary<Timeouts> = fc.record({
	giveUpAfterMs: fc.nat(48 * HOUR),
	onGiveUp: fc.constantFrom('abort', 'error'),
	ifNobodyAnswers: fc.constantFrom('wait', 'deny', 'abort'),
	unansweredAfterMs: fc.nat(48 * HOUR),
});
const time = fc.nat(72 * HOUR);
const anyState: fc.Arbitrary<WaitState> = fc.record(
	{
		since: fc.constant(0),
		changedAt: time,
		firstSeen: fc.record({ one: time, other: time }),
		asked: fc.subarray(['one', 'other']),
	},
	{ requiredKeys: ['since'] },
);

describe('the next wake (rule 18)', () => {
	test('comes after 5% of the time since the last change, at least 70 s and at most 10 minutes', () => {
		const waits = [0, 5, 23, 24, 60, 199, 200, 600].map(
			(minutes) =>
				(nextWakeAt({ since: 0 }, [], defaults, minutes * MINUTE) - minutes * MINUTE) / SECOND,
		);
		expect(waits).toEqual([70, 70, 70, 72, 180, 597, 600, 600]);
	});

	test('counts from the last change, not from the start', () => {
		const state = { since: 0, changedAt: 10 * HOUR };
		expect(nextWakeAt(state, [], defaults, 11 * HOUR)).toBe(11 * HOUR + 3 * MINUTE);
	});

	test('is never before 70 s nor after 10 minutes, for any timeouts', () => {
		fc.assert(
			fc.property(anyState, anyTimeouts, time, (state, timeouts, now) => {
				const wait = nextWakeAt(state, ['one', 'other'], timeouts, now) - now;
				expect(wait).toBeGreaterThanOrEqual(70 * SECOND);
				expect(wait).toBeLessThanOrEqual(10 * MINUTE);
			}),
		);
	});

	test('comes within 70 s of Give Up After', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 48 * HOUR }), (giveUpAfterMs) => {
				const timeouts = { ...defaults, giveUpAfterMs };
				let now = 0;
				while (passedTimeout({ since: 0 }, [], timeouts, now) === undefined)
					now = nextWakeAt({ since: 0 }, [], timeouts, now);
				expect(now).toBeGreaterThanOrEqual(giveUpAfterMs);
				expect(now - giveUpAfterMs).toBeLessThan(70 * SECOND);
			}),
		);
	});
});

describe('the timeouts (rule 21)', () => {
	const state: WaitState = { since: 0, firstSeen: { one: 5 * HOUR }, asked: ['one'] };
	const deny: Timeouts = { ...defaults, ifNobodyAnswers: 'deny', unansweredAfterMs: 2 * HOUR };

	test('If Nobody Answers counts from when a request was first seen', () => {
		const at = (now: number) => passedTimeout(state, ['one'], deny, now);
		expect([5 * HOUR, 7 * HOUR - 1, 7 * HOUR].map(at)).toEqual([
			undefined,
			undefined,
			'unanswered',
		]);
		expect(nextWakeAt(state, ['one'], deny, 7 * HOUR - 80 * SECOND)).toBe(7 * HOUR);
	});

	test('a request that is no longer pending, or that no approver was asked about, never times out', () => {
		expect(passedTimeout(state, [], deny, 20 * HOUR)).toBeUndefined();
		expect(passedTimeout(state, ['other'], deny, 20 * HOUR)).toBeUndefined();
		const seen = { since: 0, firstSeen: { other: HOUR } };
		expect(passedTimeout({ ...seen, asked: ['one'] }, ['other'], deny, 20 * HOUR)).toBeUndefined();
		expect(passedTimeout(seen, ['other'], deny, 20 * HOUR)).toBeUndefined();
	});

	test('with "wait" only Give Up After ends the wait', () => {
		expect(passedTimeout(state, ['one'], defaults, 23 * HOUR)).toBeUndefined();
		expect(passedTimeout(state, ['one'], defaults, 24 * HOUR)).toBe('giveUp');
		const soon = { ...defaults, unansweredAfterMs: HOUR };
		expect(passedTimeout(state, ['one'], soon, 23 * HOUR)).toBeUndefined();
	});

	test('a request whose metadata ages is the same request, and order does not count', () => {
		const request = { id: 'p1', type: 'permission', permission: 'bash', patterns: ['ls'] };
		expect(requestKey({ ...request, metadata: { age: 1 } })).toBe(
			requestKey({ metadata: { age: 2 }, ...request }),
		);
		expect(requestKey({ ...request, patterns: ['rm'] })).not.toBe(requestKey(request));
	});
});

describe('the wait after a failed poll (rule 6)', () => {
	test('doubles from 1 s up to the wait after a good poll', () => {
		const waits = [1, 2, 3, 4, 5].map((failures) => retryPollDelay(failures, 6_000, 0, Infinity));
		expect(waits).toEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
	});

	test('honors Retry-After, limited to the remaining time, so that the last poll is at the end', () => {
		expect(retryPollDelay(1, 5_000, 30_000, 60_000)).toBe(30_000);
		expect(retryPollDelay(1, 5_000, 2_000_000, 60_000)).toBe(60_000);
		expect(retryPollDelay(1, 5_000, 0, 400)).toBe(400);
		expect(retryPollDelay(1, 5_000, 0, 0)).toBeUndefined();
	});
});
