import type { IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { readPauseState } from './pause';

// One run at a time. n8n 1 can execute a paused node twice at once: an answer from the approval page resumes it, and its timer fires as
// well. Both runs have the same context, so the second one must not have an effect.

interface Claim {
	at: number;
	/** How often a repeated run was sent back to its pause */
	repeats: number;
}

const claims = new Map<string, Claim>();

/** n8n 1 sets its timers 70 s ahead; the second run comes within that time. */
const CLAIM_MS = 10 * 60_000;
/** A repeated run that comes back this often is a copy of an execution that has ended. */
const MAX_REPEATS = 3;

/**
 * Claims this run of the node for this execution. The context counts the runs, so the second of two runs with the same context finds the
 * claim of the first.
 * @returns `repeated` for a second run, which has to pause again, and `abandoned` if it comes back again and again
 */
export function claimRun(context: IExecuteFunctions): 'claimed' | 'repeated' | 'abandoned' {
	const now = realClock.now();
	for (const [key, { at }] of claims) if (now > at + CLAIM_MS) claims.delete(key);
	const state = readPauseState(context.getContext('node'));
	const { runs = 0 } = state;
	const key = [context.getExecutionId(), context.getNode().id, runs].join();
	const earlier = claims.get(key);
	if (earlier) return ++earlier.repeats > MAX_REPEATS ? 'abandoned' : 'repeated';
	claims.set(key, { at: now, repeats: 0 });
	state.runs = runs + 1;
	return 'claimed';
}
