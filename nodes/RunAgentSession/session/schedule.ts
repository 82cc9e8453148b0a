// Computes the times of polls, wakes and timeouts. Pure: times in milliseconds, no clock.

export interface PollLimits {
	/** Minimum time between two polls */
	pollMs: number;
	/** Maximum time between two polls, jitter included */
	maxPollMs: number;
}

/** The wait after a poll, as a share of the session's age. The end is noticed about that late. */
export const SHARE_OF_AGE = 1 / 20;

/** Share added to each wait, so that sessions started together don't poll together */
const JITTER = 1 / 5;

/** Sessions that wait in one process before each of them is polled less often */
export const MAX_UNCROWDED = 500;
/** The longest wait that a crowd causes: the upper end of the API document's 5 to 10 seconds */
const MAX_CROWDED_POLL_MS = 10_000;
/** Share subtracted from a crowd's wait, so that sessions that were polled together drift apart */
const CROWDED_JITTER = 1 / 20;

/**
 * Returns the least wait after a poll in a process in which many sessions wait. It grows with their number, so that all of them together
 * send no more requests, until it's 10 seconds or the maximum.
 */
function crowdedPollMs(waiting: number, random: number, { pollMs, maxPollMs }: PollLimits): number {
	if (waiting <= MAX_UNCROWDED) return 0;
	const wanted = (pollMs * waiting) / MAX_UNCROWDED;
	return Math.min(wanted, maxPollMs, MAX_CROWDED_POLL_MS) * (1 - random * CROWDED_JITTER);
}

/**
 * Returns the wait after a poll: 5% of the session's age between the two limits, jitter included. The defaults are the 5 to 10 seconds of
 * the API document (Polling procedure, 2). A crowd of sessions makes it longer, within the limits.
 * @param random from 0 to 1
 * @param leftMs the remaining time: the last poll happens at its end, unless that's sooner than the minimum
 * @param waiting the number of sessions that wait in this process
 * @returns undefined if there's no time for another poll
 */
export function pollDelay(
	ageMs: number,
	random: number,
	limits: PollLimits,
	leftMs = Infinity,
	waiting = 1,
): number | undefined {
	const { pollMs, maxPollMs } = limits;
	const interval = Math.min(maxPollMs / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const own = Math.min(maxPollMs, Math.max(pollMs, interval) * (1 + random * JITTER));
	const delay = Math.max(own, crowdedPollMs(waiting, random, limits));
	if (delay <= leftMs) return delay;
	return leftMs >= pollMs ? leftMs : undefined;
}

/** First wait after a failed poll. It doubles with each failure, up to the wait after a good one. */
const FIRST_RETRY_MS = 1_000;

/**
 * Returns the wait after a failed poll: 1, 2, 4, ... seconds, at most as long as after a good poll. `Retry-After` makes it longer. The
 * remaining time cuts it, so that the last poll happens at the end of the wait.
 * @returns undefined if there's no time left
 */
export function retryPollDelay(
	failures: number,
	afterGoodPollMs: number,
	retryAfterMs: number,
	leftMs: number,
): number | undefined {
	const own = Math.min(afterGoodPollMs, FIRST_RETRY_MS * 2 ** (failures - 1));
	const delay = Math.max(own, retryAfterMs);
	if (delay <= leftMs) return delay;
	return leftMs > 0 ? leftMs : undefined;
}

/** n8n checks for paused executions every 60 s, 70 s ahead: a shorter pause wakes late. */
export const MIN_PAUSE_MS = 70_000;
const MAX_PAUSE_MS = 10 * 60_000;
/**
 * The pause right after a start, which saves the session's ID. A shorter one is unsafe on n8n 1, which saves the status before the data.
 */
export const FIRST_PAUSE_MS = 5_000;
/** Time that a wake stays in memory after a change, so that requests within a minute of each other don't cost a pause each */
export const ACTIVE_MS = 75_000;
/** The maximum length of a wake */
export const MAX_WAKE_MS = 30 * 60_000;
/** Time that a manual execution polls before its first pause, because a person is watching */
export const MANUAL_WAKE_MS = 30_000;

/** Limits of waiting for the session and for approvers. */
export interface Timeouts {
	giveUpAfterMs: number;
	onGiveUp: 'abort' | 'error';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
	/** True if Needs Approval is connected back to this node: the node then waits for the answer */
	waitsForApprovers?: boolean;
}

/** The journal's data about waiting. Wall-clock times, because they outlive the process. */
export interface WaitState {
	/** The time at which waiting started */
	since: number;
	/** The time of the last change: a decision or message was sent, or a request was seen */
	changedAt?: number;
	/** The time at which each request was first seen pending without a decision, by its key */
	firstSeen?: Record<string, number>;
	/** The requests that approvers were asked about, by their keys */
	asked?: string[];
	/** The start of unusable responses to polls, and the number of wakes with them */
	unusable?: { since: number; wakes: number };
}

/** Returns the time at which the wait for a session times out. */
const giveUpAt = ({ since }: WaitState, { giveUpAfterMs }: Timeouts): number =>
	since + giveUpAfterMs;

/** Returns the time at which a pending request counts as unanswered. Never if approvers may take any time. */
export function unansweredAt(
	{ firstSeen = {}, asked = [] }: WaitState,
	pendingKeys: readonly string[],
	{ ifNobodyAnswers, unansweredAfterMs }: Timeouts,
): number {
	if (ifNobodyAnswers === 'wait') return Infinity;
	const seen = pendingKeys
		.filter((key) => asked.includes(key))
		.map((key) => firstSeen[key] ?? Infinity);
	return Math.min(Infinity, ...seen) + unansweredAfterMs;
}

/** Returns the timeout that has passed, if any: waiting for the session, or for an approver. */
export function passedTimeout(
	state: WaitState,
	pendingKeys: readonly string[],
	timeouts: Timeouts,
	now: number,
): 'giveUp' | 'unanswered' | undefined {
	if (now >= giveUpAt(state, timeouts)) return 'giveUp';
	return now >= unansweredAt(state, pendingKeys, timeouts) ? 'unanswered' : undefined;
}

/**
 * Returns the time at which to wake the execution for an item: after 5% of the time since the last change, at most 10 minutes, no later
 * than the next timeout, and at least 70 s ahead.
 * @param askAt the time at which the next of several approvers has to be asked or reminded
 */
export function nextWakeAt(
	state: WaitState,
	pendingKeys: readonly string[],
	timeouts: Timeouts,
	now: number,
	askAt = Infinity,
): number {
	const quietMs = now - Math.max(state.since, state.changedAt ?? 0);
	const wanted = Math.min(
		now + Math.min(MAX_PAUSE_MS, quietMs * SHARE_OF_AGE),
		giveUpAt(state, timeouts),
		unansweredAt(state, pendingKeys, timeouts),
		askAt,
	);
	return Math.max(now + MIN_PAUSE_MS, wanted);
}
