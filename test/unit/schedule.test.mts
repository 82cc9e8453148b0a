// When a session is polled next, as pure functions.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	isPollDue,
	MAX_POLL_MS,
	MIN_PAUSE_MS,
	MIN_POLL_MS,
	nextWakeAt,
	passedTimeout,
	pollDelay,
	retryPollDelay,
	type Timeouts,
} from '../../nodes/RunAgentSession/session/schedule.ts';

const HOUR = 3_600_000;
const share = fc.double({ min: 0, max: 1, noNaN: true });
const timeouts: Timeouts = {
	maxWaitMs: 24 * HOUR,
	onMaxWait: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: HOUR,
};

describe('while the execution keeps running', () => {
	test.each([
		[0, 5_000],
		[100_000, 5_000],
		[150_000, 7_500],
		[HOUR, MAX_POLL_MS / 1.2],
	])('a session of %i ms is polled again after %i ms, plus jitter', (ageMs, delay) => {
		expect(pollDelay(ageMs, 0)).toBeCloseTo(delay);
	});

	test('every delay is from 5 to 10 seconds, jitter included, in any crowd', () => {
		fc.assert(
			fc.property(fc.nat(24 * HOUR), share, fc.nat(100_000), (ageMs, random, waiting) => {
				const delay = pollDelay(ageMs, random, Infinity, waiting)!;
				expect(delay).toBeGreaterThanOrEqual(MIN_POLL_MS);
				expect(delay).toBeLessThanOrEqual(MAX_POLL_MS);
			}),
		);
	});

	test.each([
		[60_000, 5_000],
		[5_000, 5_000],
		[4_999, undefined],
	])('with %i ms left, the next poll comes after %p ms', (leftMs, delay) => {
		expect(pollDelay(0, 0, leftMs)).toBe(delay);
	});

	test('failed polls are retried after 1, 2 and 4 s, and Retry-After is cut to the time left', () => {
		expect([1, 2, 3, 4].map((failures) => retryPollDelay(failures, 5_000, 0, HOUR))).toEqual([
			1_000, 2_000, 4_000, 5_000,
		]);
		expect(retryPollDelay(1, 5_000, 40_000, HOUR)).toBe(40_000);
		expect(retryPollDelay(1, 5_000, HOUR, 30_000)).toBe(30_000);
		expect(retryPollDelay(1, 5_000, 0, 0)).toBeUndefined();
	});
});

describe('while the execution pauses', () => {
	test('a wake comes after 5% of the time since a change, from 70 s to 10 minutes', () => {
		const wakeAfter = (now: number, changedAt?: number) =>
			nextWakeAt({ since: 0, changedAt }, [], timeouts, now) - now;
		expect(wakeAfter(0)).toBe(MIN_PAUSE_MS);
		expect(wakeAfter(HOUR)).toBe(HOUR / 20);
		expect(wakeAfter(10 * HOUR)).toBe(600_000);
		expect(wakeAfter(10 * HOUR, 10 * HOUR)).toBe(MIN_PAUSE_MS);
	});

	test('no wake comes long after a timeout', () => {
		const now = 24 * HOUR - 200_000;
		expect(nextWakeAt({ since: 0 }, [], timeouts, now)).toBe(24 * HOUR);
	});

	test('Max Wait 0 is no limit', () => {
		const endless = { ...timeouts, maxWaitMs: Infinity };
		expect(passedTimeout({ since: 0 }, [], endless, 1_000 * HOUR)).toBeUndefined();
		expect(passedTimeout({ since: 0 }, [], timeouts, 24 * HOUR)).toBe('maxWait');
	});

	test('a session is polled at its turn, and a little earlier if n8n wakes the execution anyway', () => {
		expect(isPollDue({ since: 0, nextPollAt: 100_000 }, 60_000)).toBe(false);
		expect(isPollDue({ since: 0, nextPollAt: 100_000 }, 70_000)).toBe(true);
		expect(isPollDue({ since: 0 }, 0)).toBe(true);
	});
});
