import { describe, expect, test } from '@jest/globals';
import { RateController, type QueuedRequest } from '../../nodes/shared/client/rateLimiter.ts';

const request = (changes: Partial<QueuedRequest> = {}): QueuedRequest => ({
	since: 0,
	deadline: Infinity,
	...changes,
});

/** A pace after `accepted` requests within `tookMs` and a 429 that asks to wait `waitMs` */
function refusedAfter(accepted: number, tookMs: number, waitMs: number): RateController {
	const pace = new RateController();
	for (let index = 0; index < accepted; index++)
		pace.onSuccess((tookMs * index) / Math.max(1, accepted - 1));
	pace.onThrottled(0, tookMs, waitMs);
	return pace;
}

/** Requests a second, of those between the third and the last: the first may catch up on timers that were late */
function getRate(pace: RateController, count: number, from: number): number {
	const turns: number[] = [];
	for (let now = from; turns.length < count; turns.push(now)) {
		now = Math.max(now, pace.nextSendAt(request()));
		pace.onSend(now, turns.length + 1 < count);
	}
	return (1000 * (count - 3)) / (turns.at(-1)! - turns[2]);
}

describe('the rate', () => {
	test('is nine tenths of the accepted requests until the service accepts again', () => {
		// A bucket of 10 that gets 10 a second, and a window of 60 a minute
		expect(getRate(refusedAfter(10, 50, 1_000), 6, 2_000)).toBeCloseTo(0.9 * (10 / 1.05), 0);
		expect(getRate(refusedAfter(60, 1_000, 59_000), 6, 61_000)).toBeCloseTo(0.95, 1);
	});

	test('falls to eight tenths at each further 429, once for all requests in flight', () => {
		const pace = refusedAfter(100, 1_000, 1_000);
		const before = getRate(pace, 20, 2_000);
		for (const sentAt of [2_500, 2_501, 2_502]) pace.onThrottled(sentAt, 2_200, 1_000);
		expect(getRate(pace, 20, 3_200) / before).toBeCloseTo(0.8, 1);
	});

	test('grows slowly while requests wait', () => {
		const busy = refusedAfter(100, 1_000, 1_000);
		const first = getRate(busy, 10, 2_000);
		getRate(busy, 500, 3_000);
		const later = getRate(busy, 10, 100_000);
		expect(later / first).toBeGreaterThan(1.05);
		expect(later / first).toBeLessThan(1.4);
	});

	test("doesn't grow while no request waits", () => {
		const pace = refusedAfter(10, 0, 40_000);
		const intervalAt = (now: number) => {
			pace.onSend(now, false);
			return pace.nextSendAt(request()) - now;
		};
		const first = intervalAt(100_000);
		for (let now = 200_000; now <= 1_000_000; now += 100_000)
			expect(intervalAt(now)).toBeCloseTo(first, 3);
	});

	test('that is based on a few requests is a guess that soon grows', () => {
		const pace = refusedAfter(2, 5_000, 1_000);
		expect(getRate(pace, 5, 7_000)).toBeLessThan(2);
		getRate(pace, 60, 20_000);
		expect(getRate(pace, 5, 100_000)).toBeGreaterThan(8);
	});
});

describe('a closed gate', () => {
	test('is closed by a Retry-After of more than a minute and its jitter for a second only', () => {
		expect(refusedAfter(10, 0, 61_200).nextSendAt(request())).toBe(61_200);
		expect(refusedAfter(10, 0, 61_201).nextSendAt(request())).toBe(1_000);
		expect(refusedAfter(10, 0, 3_600_000).nextSendAt(request())).toBe(1_000);
	});

	test('makes an urgent request wait for what ends at its deadline, and for nothing that ends later', () => {
		const pace = refusedAfter(10, 0, 40_000);
		pace.onSend(1_000, false);
		const urgent = (deadline: number) => pace.nextSendAt(request({ urgent: true, deadline }));
		const byRate = urgent(39_999);
		expect(byRate).toBeGreaterThan(1_000);
		expect(byRate).toBeLessThan(10_000);
		expect(urgent(40_000)).toBe(40_000);
		expect(urgent(byRate)).toBe(byRate);
		expect(urgent(byRate - 1)).toBe(-Infinity);
	});
});
