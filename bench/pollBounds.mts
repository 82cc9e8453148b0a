// Returns the polls that a poll policy needs for a session, with the best and worst jitter.
import { pollDelay } from '../nodes/RunAgentSession/session/schedule.ts';
import type { Stretch } from './sessionCourse.mts';

interface Bounds {
	fewest: number;
	most: number;
}

/** The jitters that are tried: 0, 0.05, ... 1 */
const LUCK = Array.from({ length: 21 }, (_, step) => step / 20);

/**
 * The fewest and the most polls that see the end of a stretch, each poll being made when the policy says. Requests take no time
 * here. Every jitter is tried for every poll. All ways are followed at once, poll by poll; those that come to the same moment have
 * the same future, and continue as one.
 * @param from the age of the session when the stretch begins, in milliseconds
 */
function pollBounds({ end }: Stretch, from = 0): Bounds {
	const bounds: Bounds = { fewest: end <= 0 ? 0 : Infinity, most: 0 };
	let ways = end <= 0 ? [] : [0];
	for (let polls = 1; ways.length > 0; polls++) {
		const next = new Set<number>();
		for (const before of ways) {
			for (const luck of LUCK) {
				const at = Math.round(before + pollDelay(from + before, luck)!);
				if (at < end) {
					next.add(at);
					continue;
				}
				bounds.fewest = Math.min(bounds.fewest, polls);
				bounds.most = polls;
			}
		}
		ways = [...next];
	}
	return bounds;
}

/** The requests that the policy needs for a session: its start, the polls that see the end of each stretch, and the decisions. */
export function requestBounds(stretches: Stretch[]): Bounds {
	const decisions = stretches.length - 1;
	let age = 0;
	const bounds = stretches.map((stretch) => {
		const from = age;
		age += stretch.end;
		return pollBounds(stretch, from);
	});
	const sum = (figures: number[]) =>
		figures.reduce((total, figure) => total + figure, 1 + decisions);
	return {
		fewest: sum(bounds.map(({ fewest }) => fewest)),
		most: sum(bounds.map(({ most }) => most)),
	};
}
