// The request rate of one key. Pure decisions: times are plain numbers, and no function waits.

/** Share of the measured rate, so that the first guess stays below the limit */
const INITIAL_SHARE = 0.9;
/** Remaining share of the rate after another 429 */
const DECREASE = 0.8;
/** Requests per second, added for each request that waits, or that others wait behind */
const INCREASE = 0.02;
/** While the rate is a guess (slow start, RFC 5681): 300 requests at once against 50 per second are done in half the time. */
const GUESS_INCREASE = 0.2;
/** A rate measured on fewer requests is a guess. */
const MIN_MEASURED = 10;
const MIN_GUESS_RATE = 1;
const MIN_RATE = 1 / 60;
const WINDOW_MS = 10_000;
const MAX_MEASURED = 1_000;
/** The longest `Retry-After` that pauses the whole key: the usual window of a limit, with jitter */
const MAX_KEY_PAUSE_MS = 61_200;
const MIN_KEY_PAUSE_MS = 1_000;
/** The delay of a late timer that later requests may make up for */
const MAX_CATCH_UP_MS = 50;

/**
 * Turns successes and 429s into a rate (AIMD: Chiu and Jain 1989, RFC 5681, 3.1). Before a 429 there's none: limits are undocumented.
 * The first rate is accepted requests divided by their time and the requested wait. This fits a token bucket and a fixed window alike.
 * A 429 of a request in flight when the pause began doesn't count (RFC 6582). The rate grows only while requests wait (RFC 7661).
 * `Retry-After` pauses the key (RFC 9110, 10.2.3). One over a minute may concern one request alone, so the others continue, slower.
 */
export class RateController {
	/** Undefined before the first 429 */
	private rate: number | undefined;
	private growth = INCREASE;
	private pausedUntil = -Infinity;
	private nextAt = -Infinity;
	private acceptedAt: number[] = [];

	/** Returns a time. An urgent request ignores a pause, and then a rate, that would outlast its deadline. */
	nextSendAt({ deadline, urgent }: { deadline: number; urgent?: boolean }): number {
		const allowedAt = Math.max(this.pausedUntil, this.nextAt);
		if (!urgent || allowedAt <= deadline) return allowedAt;
		return this.nextAt <= deadline ? this.nextAt : -Infinity;
	}

	/** @param isQueueing true if the request has waited, or others are queued */
	onSend(nowMs: number, isQueueing: boolean): void {
		if (this.rate === undefined) return;
		if (isQueueing) this.rate += this.growth;
		this.nextAt = Math.max(this.nextAt, nowMs - MAX_CATCH_UP_MS) + 1000 / this.rate;
	}

	onSuccess(nowMs: number): void {
		if (this.rate !== undefined) return;
		// Cut once per MAX_MEASURED requests, because removing the first of a long list moves all others.
		if (this.acceptedAt.push(nowMs) >= 2 * MAX_MEASURED)
			this.acceptedAt = this.acceptedAt.slice(-MAX_MEASURED);
	}

	/** Lowers the rate after a 429, and pauses the key. */
	onThrottled(sentAt: number, nowMs: number, waitMs: number): void {
		const wasInFlight = sentAt < this.pausedUntil;
		const pauseMs = waitMs > MAX_KEY_PAUSE_MS ? MIN_KEY_PAUSE_MS : waitMs;
		this.pausedUntil = Math.max(this.pausedUntil, nowMs + pauseMs);
		if (this.rate === undefined) return this.measureRate(nowMs, pauseMs);
		if (wasInFlight) return;
		this.rate = Math.max(MIN_RATE, this.rate * DECREASE);
		this.growth = INCREASE;
	}

	private measureRate(nowMs: number, pauseMs: number): void {
		const isMeasured = (at: number) => at > nowMs - WINDOW_MS;
		const measured = this.acceptedAt.slice(-MAX_MEASURED).filter(isMeasured);
		this.acceptedAt = [];
		const seconds = (nowMs - (measured[0] ?? nowMs) + pauseMs) / 1000;
		const isGuess = measured.length < MIN_MEASURED;
		this.growth = isGuess ? GUESS_INCREASE : INCREASE;
		const minRate = isGuess ? MIN_GUESS_RATE : MIN_RATE;
		this.rate = Math.max(minRate, (INITIAL_SHARE * measured.length) / seconds);
	}
}
