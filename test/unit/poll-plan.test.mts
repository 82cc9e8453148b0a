import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pollDelay } from '../../nodes/RunAgentSession/session/schedule.ts';

const limits = { pollMs: 5000, maxPollMs: 10_000 };
const random = fc.double({ min: 0, max: 1, noNaN: true });
const bounds = fc
	.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }))
	.map(([shortest, more]) => ({ pollMs: shortest * 1000, maxPollMs: (shortest + more) * 1000 }));

describe('the poll interval (rule 3)', () => {
	test('is a twentieth of the age of the session, within the limits less jitter', () => {
		const intervals = [0, 60, 100, 140, 160, 200, 3600].map((seconds) =>
			pollDelay(seconds * 1000, 0, limits)!,
		);
		expect(intervals.map(Math.round)).toEqual([5000, 5000, 5000, 7000, 8000, 8333, 8333]);
	});

	test('with jitter lies between Poll Interval and Max Poll Interval, whatever they are', () => {
		fc.assert(
			fc.property(bounds, fc.nat(10 * 3600_000), random, (own, age, chance) => {
				const wait = pollDelay(age, chance, own);
				expect(wait).toBeGreaterThanOrEqual(own.pollMs);
				expect(wait).toBeLessThanOrEqual(own.maxPollMs);
			}),
		);
	});

	test('is jittered upwards only, by a fifth at most, and really spread', () => {
		expect([0, 0.5, 1].map((chance) => pollDelay(0, chance, limits))).toEqual([5000, 5500, 6000]);
	});
});

describe('the last poll', () => {
	test('never lies beyond the deadline nor sooner after the one before than the shortest interval', () => {
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
