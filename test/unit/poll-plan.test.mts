import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextInterval, jittered, waitBeforePoll } from '../../nodes/RunAgentSession/pollPlan.ts';

const limits = { pollMs: 5000, maxPollMs: 10_000 };
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the poll interval (rule 3)', () => {
	test('grows to the longest while nothing changes and falls back when something does', () => {
		const grown = [1, 2, 3].reduce<number[]>(
			(all) => [...all, nextInterval(all.at(-1)!, false, limits)],
			[5000],
		);
		expect(grown).toEqual([5000, 7500, 10_000, 10_000]);
		expect(nextInterval(10_000, true, limits)).toBe(5000);
	});

	test('stays between the shortest and the longest', () => {
		fc.assert(
			fc.property(
				fc.array(fc.boolean()),
				fc.integer({ min: 1, max: 60 }),
				fc.integer({ min: 0, max: 60 }),
				(changes, shortest, more) => {
					const bounds = { pollMs: shortest * 1000, maxPollMs: (shortest + more) * 1000 };
					let interval = bounds.pollMs;
					for (const changed of changes) {
						interval = nextInterval(interval, changed, bounds);
						expect(interval).toBeGreaterThanOrEqual(bounds.pollMs);
						expect(interval).toBeLessThanOrEqual(bounds.maxPollMs);
					}
				},
			),
		);
	});

	test('is jittered upwards only, by a fifth at most, and really spread', () => {
		expect(jittered(5000, 0)).toBe(5000);
		expect(jittered(5000, 0.5)).toBe(5500);
		expect(jittered(5000, 1)).toBe(6000);
	});
});

describe('the last poll', () => {
	test('never lies beyond the deadline nor sooner after the one before than the shortest interval', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 5000, max: 10_000 }),
				random,
				fc.integer({ min: -1000, max: 30_000 }),
				(interval, chance, left) => {
					const wait = waitBeforePoll(interval, chance, 0, left, limits);
					if (wait === undefined) {
						expect(left).toBeLessThan(limits.pollMs);
					} else {
						expect(wait).toBeGreaterThanOrEqual(limits.pollMs);
						expect(wait).toBeLessThanOrEqual(left);
					}
				},
			),
		);
	});
});
