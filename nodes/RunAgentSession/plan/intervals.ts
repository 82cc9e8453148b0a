// Waits between tries, as pure functions. Milliseconds.

/** The API document's interval (Polling procedure, 2) */
export const MIN_POLL_MS = 5_000;
export const MAX_POLL_MS = 10_000;

/** The wait after a reading, as a share of the time since the session's start or last change */
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
 * Returns the wait while the execution keeps running: 5% of the session's age, from 5 to 10 seconds.
 * @param random from 0 to 1
 * @param waiting sessions that wait in this process
 */
export function pollDelayMs(ageMs: number, random: number, waiting = 1): number {
	const interval = Math.min(MAX_POLL_MS / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const own = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, interval) * (1 + random * JITTER));
	return Math.max(own, crowdedPollMs(waiting, random));
}

const FIRST_RETRY_MS = 1_000;

/** Returns the wait after failed polls: 1, 2, 4, ... s, up to that of a good poll, and no less than `Retry-After`. */
export const retryPollMs = (failures: number, goodMs: number, retryAfterMs: number): number =>
	Math.max(retryAfterMs, Math.min(goodMs, FIRST_RETRY_MS * 2 ** (failures - 1)));

/** n8n checks for paused executions every 60 s, 70 s ahead: a shorter pause wakes late. */
export const MIN_PAUSE_MS = 70_000;
export const MAX_PAUSE_MS = 10 * 60_000;

/** Returns the wait while the execution pauses: 5% of the time since the session's last change, from 70 s to 10 minutes. */
export const pausedDelayMs = (quietMs: number): number =>
	Math.max(MIN_PAUSE_MS, Math.min(MAX_PAUSE_MS, quietMs * SHARE_OF_AGE));

const FIRST_START_MS = 5_000;
const MAX_START_MS = 60_000;

/** Returns the wait after a start that provably wasn't taken: `Retry-After`, otherwise 5, 10, 20, ... s up to a minute. */
export const startDelayMs = (failures: number, retryAfterMs: number | undefined): number =>
	Math.max(
		1_000,
		retryAfterMs ?? Math.min(MAX_START_MS, FIRST_START_MS * 2 ** (Math.min(failures, 10) - 1)),
	);
