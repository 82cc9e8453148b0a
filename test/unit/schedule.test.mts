// When a session is polled next, as pure functions.
import { describe, expect, test } from '@jest/globals';
import {
	isPollDue,
	MIN_PAUSE_MS,
	nextWakeAt,
	passedTimeout,
	type Timeouts,
} from '../../nodes/RunAgentSession/session/schedule.ts';

const HOUR = 3_600_000;
const timeouts: Timeouts = {
	maxWaitMs: 24 * HOUR,
	onMaxWait: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: HOUR,
};

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
