// The package's own decisions on when to poll.
import { jittered, nextInterval, type PollLimits } from '../nodes/RunAgentSession/pollPlan.ts';

export { jittered, nextInterval, type PollLimits };

/** What the node polls by when nobody changes its options */
export const defaultLimits: PollLimits = { pollMs: 5000, maxPollMs: 10_000 };
