import type { RequestRecord } from '../requests/record';

// Pure functions: times in milliseconds, no clock.

/** The API document's interval (Polling procedure, 2) */
export const MIN_POLL_MS = 5_000;
export const MAX_POLL_MS = 10_000;

/** The wait after a poll, as a share of the session's age. The end is noticed about that late. */
const SHARE_OF_AGE = 1 / 20;

/** Share added to each wait, so that sessions started together don't poll together */
const JITTER = 1 / 5;

/** Sessions that wait in one process before each of them is polled less often */
const MAX_UNCROWDED = 500;
/** Share subtracted from a crowd's wait, so that sessions that were polled together drift apart */
const CROWDED_JITTER = 1 / 20;

/** Grows with the number of sessions that wait, so that together they send no more requests, until it's 10 seconds. */
function crowdedPollMs(waiting: number, random: number): number {
	if (waiting <= MAX_UNCROWDED) return 0;
	const wanted = (MIN_POLL_MS * waiting) / MAX_UNCROWDED;
	return Math.min(wanted, MAX_POLL_MS) * (1 - random * CROWDED_JITTER);
}

/**
 * Returns 5% of the session's age, from 5 to 10 seconds.
 * @param leftMs the remaining time: the last poll happens at its end, unless that's sooner than the minimum
 * @returns undefined if there's no time for another poll
 */
export function pollDelay(
	ageMs: number,
	random: number,
	leftMs = Infinity,
	waiting = 1,
): number | undefined {
	const interval = Math.min(MAX_POLL_MS / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const own = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, interval) * (1 + random * JITTER));
	const delay = Math.max(own, crowdedPollMs(waiting, random));
	if (delay <= leftMs) return delay;
	return leftMs >= MIN_POLL_MS ? leftMs : undefined;
}

/** Time for which responses may be refusals, or unusable, in a row */
export const MAX_UNUSABLE_MS = 3 * 60_000;

const FIRST_RETRY_MS = 1_000;

/** Returns 1, 2, 4, ... s, up to a good poll's wait. `Retry-After` makes it longer, `leftMs` cuts it. Undefined if no time is left. */
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
/** Saves the session's ID right after a start. A shorter pause is unsafe on n8n 1, which saves the status before the data. */
export const FIRST_PAUSE_MS = 5_000;
/** Time that the node keeps polling after a change, so that requests within a minute of each other don't cost a pause each */
export const ACTIVE_MS = 75_000;
export const MAX_WAKE_MS = 30 * 60_000;
/** A person who watches a manual execution waits this long before it pauses. */
export const MANUAL_WAKE_MS = 5 * 60_000;
/** n8n answers links with an error while the execution runs. */
export const MAX_WAKE_WITH_LINKS_MS = 15_000;

export interface Timeouts {
	/** Infinity for no limit */
	maxWaitMs: number;
	onMaxWait: 'abort' | 'letRun';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
	/** Answers a question if nobody does, with `deny` */
	answerIfNobodyAnswers?: string;
}

/** Wall-clock times, because they outlive the process */
export interface WaitState {
	since: number;
	/** The time of the last change: a decision or message was sent, or a request was seen */
	changedAt?: number;
	/** The time of the next poll, if the execution pauses until then */
	nextPollAt?: number;
	unusable?: { since: number; wakes: number };
}

export const maxWaitAt = ({ since }: WaitState, { maxWaitMs }: Timeouts): number =>
	since + maxWaitMs;

/** Returns the time at which a request counts as unanswered. Infinity if there's none. */
export function unansweredAt(
	requests: readonly RequestRecord[],
	{ ifNobodyAnswers, unansweredAfterMs }: Timeouts,
): number {
	if (ifNobodyAnswers === 'wait') return Infinity;
	const asked = requests.flatMap(({ interaction, decision, askedAt }) =>
		interaction && !decision && askedAt !== undefined ? [askedAt] : [],
	);
	return Math.min(Infinity, ...asked) + unansweredAfterMs;
}

export function passedTimeout(
	state: WaitState,
	requests: readonly RequestRecord[],
	timeouts: Timeouts,
	now: number,
): 'maxWait' | 'unanswered' | undefined {
	if (now >= maxWaitAt(state, timeouts)) return 'maxWait';
	return now >= unansweredAt(requests, timeouts) ? 'unanswered' : undefined;
}

/** Returns the next wake: after 5% of the time since a change, at most 10 minutes, no later than a timeout, at least 70 s ahead. */
export function nextWakeAt(
	state: WaitState,
	requests: readonly RequestRecord[],
	timeouts: Timeouts,
	now: number,
	askAt = Infinity,
): number {
	const quietMs = now - Math.max(state.since, state.changedAt ?? 0);
	const wanted = Math.min(
		now + Math.min(MAX_PAUSE_MS, quietMs * SHARE_OF_AGE),
		maxWaitAt(state, timeouts),
		unansweredAt(requests, timeouts),
		askAt,
	);
	return Math.max(now + MIN_PAUSE_MS, wanted);
}

/** Share of the shortest pause by which a session may be polled early, because n8n wakes all sessions of an execution together */
const EARLY_MS = MIN_PAUSE_MS / 2;

export const isPollDue = ({ nextPollAt = 0 }: WaitState, now: number): boolean =>
	now >= nextPollAt - EARLY_MS;
