// The package's own decisions on when to poll.
import { pollDelay, type PollLimits } from '../nodes/RunAgentSession/pollPlan.ts';

export { pollDelay, type PollLimits };

/** What the node polls by when nobody changes its options */
export const defaultLimits: PollLimits = { pollMs: 5000, maxPollMs: 10_000 };

/** The longest wait after a poll of a session of this age, in milliseconds */
export const longestWait = (ageMs: number): number => pollDelay(ageMs, 1, defaultLimits);
