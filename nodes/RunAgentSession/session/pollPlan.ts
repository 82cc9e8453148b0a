// When to poll next. No clock in here.

export interface PollLimits {
	/** Shortest time between two polls, in milliseconds */
	pollMs: number;
	/** Longest time between two polls, jitter included */
	maxPollMs: number;
}

/** The wait after a reading, in parts of the time that the session has taken so far: its end is noticed about that late. */
export const SHARE_OF_AGE = 1 / 20;

/** Up to a fifth more, never less, so that sessions started together do not poll together. */
const JITTER = 1 / 5;

/**
 * The wait after a poll: a twentieth of the session's age, so that an end is noticed within about a twentieth of the session's
 * length, between the shortest interval and the one whose jitter reaches the longest. Every wait then lies within the two; by
 * default those are the 5 to 10 seconds that the API document recommends (Polling procedure, 2).
 * @param random from 0 to 1
 * @param leftMs the time that is left: the last poll is made at its end, unless that would be sooner than the shortest interval
 * @returns undefined when there is no time for another poll
 */
export function pollDelay(
	ageMs: number,
	random: number,
	{ pollMs, maxPollMs }: PollLimits,
	leftMs = Infinity,
): number | undefined {
	const interval = Math.min(maxPollMs / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const delay = Math.min(maxPollMs, Math.max(pollMs, interval) * (1 + random * JITTER));
	if (delay <= leftMs) return delay;
	return leftMs >= pollMs ? leftMs : undefined;
}
