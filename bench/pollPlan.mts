// The package's own decisions on when to poll.
import {
	pollDelay as delayWithin,
	type PollLimits,
} from '../nodes/RunAgentSession/session/schedule.ts';

export type { PollLimits };

/** The wait after a poll where there is time for another */
export const pollDelay = (ageMs: number, random: number, limits: PollLimits): number =>
	delayWithin(ageMs, random, limits)!;

/** The node's default poll policy */
export const defaultLimits: PollLimits = { pollMs: 5000, maxPollMs: 10_000 };
