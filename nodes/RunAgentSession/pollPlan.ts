// When to poll next. Seconds and milliseconds as plain numbers, no clock in here.

export interface PollLimits {
	/** Shortest time between two polls */
	pollMs: number;
	/** What it grows to while nothing changes */
	maxPollMs: number;
}

const GROWTH = 1.5;

/** The interval after a poll: back to the shortest when something changed, half as long again when nothing did. */
export function nextInterval(
	previousMs: number,
	changed: boolean,
	{ pollMs, maxPollMs }: PollLimits,
): number {
	return changed ? pollMs : Math.min(Math.max(pollMs, maxPollMs), previousMs * GROWTH);
}

/** Up to a fifth more, never less, so that sessions started together do not poll together. `random` is from 0 to 1. */
export const jittered = (intervalMs: number, random: number) => intervalMs * (1 + random / 5);

/**
 * How long to wait before the next poll, or undefined when there is none any more before `deadline`. The last one is made at
 * the deadline itself, unless that would be sooner after the one before than the shortest interval.
 */
export function waitBeforePoll(
	intervalMs: number,
	random: number,
	nowMs: number,
	deadline: number,
	{ pollMs }: PollLimits,
): number | undefined {
	const wait = jittered(intervalMs, random);
	const left = deadline - nowMs;
	if (wait <= left) return wait;
	return left >= pollMs ? left : undefined;
}
