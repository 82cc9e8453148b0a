// When to poll next. Times in milliseconds as plain numbers, no clock in here.

export interface PollLimits {
	/** Shortest time between two polls */
	pollMs: number;
	/** Longest time between two polls, jitter included */
	maxPollMs: number;
}

/** Up to a fifth more, never less, so that sessions started together do not poll together. */
const JITTER = 1 / 5;
const SHARE_OF_AGE = 1 / 20;

/**
 * The wait after a poll: a twentieth of the session's age, so that an end is noticed within about a twentieth of the session's
 * length, between the shortest interval and the one whose jitter reaches the longest. Every wait then lies within the two; by
 * default those are the 5 to 10 seconds that the API document recommends (Polling procedure, 2).
 * @param random from 0 to 1
 */
export function pollDelay(
	ageMs: number,
	random: number,
	{ pollMs, maxPollMs }: PollLimits,
): number {
	const longest = Math.max(pollMs, maxPollMs);
	const interval = Math.min(longest / (1 + JITTER), ageMs * SHARE_OF_AGE);
	return Math.min(longest, Math.max(pollMs, interval) * (1 + random * JITTER));
}

/**
 * How long to wait before the next poll, or undefined when there is none in the time that is left. The last one is made at its
 * end, unless that would be sooner after the one before than the shortest interval.
 */
export function delayBeforePoll(
	ageMs: number,
	random: number,
	leftMs: number,
	limits: PollLimits,
): number | undefined {
	const delay = pollDelay(ageMs, random, limits);
	if (delay <= leftMs) return delay;
	return leftMs >= limits.pollMs ? leftMs : undefined;
}
