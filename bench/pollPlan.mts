// The package's own decisions on when to poll, out of the build that is measured.
import { createRequire } from 'node:module';
import type { PollLimits } from '../nodes/RunAgentSession/pollPlan.ts';

const built = createRequire(import.meta.url)('../dist/nodes/RunAgentSession/pollPlan.js') as typeof import('../nodes/RunAgentSession/pollPlan.ts');

export type { PollLimits };
export const { jittered, nextInterval } = built;

/** What the node polls by when nobody changes its options */
export const defaultLimits: PollLimits = { pollMs: 5000, maxPollMs: 10_000 };
