import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_UNCROWDED, pollDelay } from '../../nodes/RunAgentSession/session/schedule.ts';

const limits = { pollMs: 5000, maxPollMs: 10_000 };
const random = fc.double({ min: 0, max: 1, noNaN: true });
const bounds = fc
	.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }))
	.map(([shortest, more]) => ({ pollMs: shortest * 1000, maxPollMs: (shortest + more) * 1000 }));

describe('the poll interval (rule 3)', () => {
	test("is 5% of the session's age, within the limits minus jitter", () => {
		const intervals = [0, 60, 100, 140, 160, 200, 3600].map((seconds) =>
			pollDelay(seconds * 1000, 0, limits)!,
		);
		expect(intervals.map(Math.round)).toEqual([5000, 5000, 5000, 7000, 8000, 8333, 8333]);
	});

	test('with jitter lies between Poll Interval and Max Poll Interval, for any limits', () => {
		fc.assert(
			fc.property(bounds, fc.nat(10 * 3600_000), random, (own, age, chance) => {
				const wait = pollDelay(age, chance, own);
				expect(wait).toBeGreaterThanOrEqual(own.pollMs);
				expect(wait).toBeLessThanOrEqual(own.maxPollMs);
			}),
		);
	});

	test('has only upward jitter, by at most a fifth, and really varies', () => {
		expect([0, 0.5, 1].map((chance) => pollDelay(0, chance, limits))).toEqual([5000, 5500, 6000]);
	});
});

describe('the poll interval with many sessions', () => {
	const age = fc.nat(10 * 3600_000);
	const waiting = fc.nat(20_000);
	const delay = (...[ageMs, chance, own, count]: [number, number, typeof limits, number]) =>
		pollDelay(ageMs, chance, own, Infinity, count)!;

	test('lies between Poll Interval and Max Poll Interval, for any limits', () => {
		fc.assert(
			fc.property(bounds, age, random, waiting, (own, ageMs, chance, count) => {
				const wait = delay(ageMs, chance, own, count);
				expect(wait).toBeGreaterThanOrEqual(own.pollMs);
				expect(wait).toBeLessThanOrEqual(own.maxPollMs);
			}),
		);
	});

	test('is the usual one up to 500, and then grows with their number, to at most 10 s', () => {
		fc.assert(
			fc.property(
				bounds,
				age,
				random,
				waiting,
				fc.nat(5_000),
				(own, ageMs, chance, count, more) => {
					const [usual, some, others] = [1, count, count + more].map((each) =>
						delay(ageMs, chance, own, each),
					);
					if (count <= MAX_UNCROWDED) expect(some).toBe(usual);
					expect(some).toBeGreaterThanOrEqual(usual);
					expect(others).toBeGreaterThanOrEqual(some);
					expect(others).toBeLessThanOrEqual(Math.max(usual, 10_000));
				},
			),
		);
	});

	test('keeps the requests of 500 sessions up to 1,000, and is spread over half a second', () => {
		expect([500, 501, 750, 1_000, 5_000].map((count) => delay(0, 0, limits, count))).toEqual([
			5_000, 5_010, 7_500, 10_000, 10_000,
		]);
		expect([0, 0.5, 1].map((chance) => delay(0, chance, limits, 5_000))).toEqual([
			10_000, 9_750, 9_500,
		]);
	});

	test('is limited to the remaining time', () => {
		expect(pollDelay(0, 0, limits, 7_000, 5_000)).toBe(7_000);
		expect(pollDelay(0, 0, limits, 5_000, 5_000)).toBe(5_000);
		expect(pollDelay(0, 0, limits, 4_999, 5_000)).toBeUndefined();
	});
});

describe('the last poll', () => {
	test('is never after the deadline, nor sooner after the previous poll than the shortest interval', () => {
		fc.assert(
			fc.property(
				fc.nat(3600_000),
				random,
				fc.integer({ min: -1000, max: 30_000 }),
				(age, chance, left) => {
					const delay = pollDelay(age, chance, limits, left);
					if (delay === undefined) {
						expect(left).toBeLessThan(limits.pollMs);
					} else {
						expect(delay).toBeGreaterThanOrEqual(limits.pollMs);
						expect(delay).toBeLessThanOrEqual(left);
					}
				},
			),
		);
	});
});
