// How many polls a poll policy needs for a session, by its luck with the jitter alone.
import { jittered, nextInterval, type PollLimits } from './pollPlan.mts';
import type { Stretch } from './sessionCourse.mts';

export interface Bounds {
	fewest: number;
	most: number;
}

/** The jitters that are tried: 0, 0.05, ... 1 */
const LUCK = Array.from({ length: 21 }, (_, step) => step / 20);

/**
 * The fewest and the most polls that see the end of a stretch, each poll being made when the policy says. Requests take no time
 * here.
 *
 * The longest waits are not always the best: one that lasts a little longer may see a change, after which the policy looks
 * again sooner. So every jitter is tried for every poll. All ways are followed at once, poll by poll; those that come to the
 * same moment with the same interval have the same future, and go on as one.
 */
export function pollBounds({ changes, end }: Stretch, limits: PollLimits): Bounds {
	const bounds: Bounds = { fewest: end <= 0 ? 0 : Infinity, most: 0 };
	let ways = end <= 0 ? [] : [{ at: 0, interval: limits.pollMs }];
	for (let polls = 1; ways.length > 0; polls++) {
		const next = new Map<string, { at: number; interval: number }>();
		for (const { at: before, interval } of ways) {
			for (const luck of LUCK) {
				const at = Math.round(before + jittered(interval, luck));
				if (at >= end) {
					bounds.fewest = Math.min(bounds.fewest, polls);
					bounds.most = polls;
					continue;
				}
				const changed = changes.some((moment) => moment > before && moment <= at);
				const way = { at, interval: nextInterval(interval, changed, limits) };
				next.set(`${way.at} ${way.interval}`, way);
			}
		}
		ways = [...next.values()];
	}
	return bounds;
}

/** The requests that the policy needs for a session: its start, the polls that see the end of each stretch, and the decisions. */
export function requestBounds(stretches: Stretch[], limits: PollLimits): Bounds {
	const decisions = stretches.length - 1;
	const bounds = stretches.map((stretch) => pollBounds(stretch, limits));
	const sum = (figures: number[]) =>
		figures.reduce((total, figure) => total + figure, 1 + decisions);
	return {
		fewest: sum(bounds.map(({ fewest }) => fewest)),
		most: sum(bounds.map(({ most }) => most)),
	};
}
