// The request rate of one key. Pure decisions: times are plain numbers, and no function waits.

/** Share of the measured rate to start with, so that the first guess stays below the limit */
const INITIAL_SHARE = 0.9;
/** Multiplicative decrease: the remaining share of the rate after another 429 */
const DECREASE = 0.8;
/** Additive increase, in requests per second, for each request that waits, or that others wait behind */
const INCREASE = 0.02;
/** The same while the rate is a guess */
const GUESS_INCREASE = 0.2;
/** A rate measured on fewer requests is a guess. */
const MIN_MEASURED = 10;
/** The lowest rates in requests per second: of a guess, and at all */
const MIN_GUESS_RATE = 1;
const MIN_RATE = 1 / 60;
/** The first rate is measured on the requests of this time, at most this many of them. */
const WINDOW_MS = 10_000;
const MAX_MEASURED = 1_000;
/** The longest `Retry-After` that pauses the whole key: the usual window of a limit, with jitter */
const MAX_KEY_PAUSE_MS = 61_200;
const MIN_KEY_PAUSE_MS = 1_000;
/** The delay of a late timer that later requests may make up for */
const MAX_CATCH_UP_MS = 50;

/**
 * Turns successes and 429s into a rate, by additive increase and multiplicative decrease (AIMD: Chiu and Jain 1989; RFC 5681, 3.1).
 *
 * Before the first 429 there is no rate, because the service doesn't document its limits. From then on:
 * - The first rate is 0.9 of the measured one: the latest accepted requests, divided by the time that they took and the wait that
 *   the service asks for. This fits a token bucket and a fixed window alike.
 * - Another 429 leaves 0.8 of the rate. Each second adds a fiftieth, or a fifth while the rate is a guess (slow start, RFC 5681):
 *   300 requests at once against 50 per second are done in half the time.
 * - Requests that were in flight when the pause began tell nothing new (one decrease per window, RFC 6582). The rate only grows
 *   while requests wait (RFC 7661).
 * - `Retry-After` pauses everything with the key (RFC 9110, 10.2.3), for up to a minute. A longer one applies to the request that
 *   got it. The others continue, slower, and find out whether it was meant for all.
 */
export class RateController {
	/** Requests per second; undefined before the first 429 */
	private rate: number | undefined;
	/** Added to the rate with each request that waits, or that others wait behind */
	private growth = INCREASE;
	private pausedUntil = -Infinity;
	private nextAt = -Infinity;
	/** Times of the latest accepted requests, before the first 429 */
	private acceptedAt: number[] = [];

	/** Returns when the next request may be sent. An urgent one ignores a pause, and then a rate, that would outlast its deadline. */
	nextSendAt({ deadline, urgent }: { deadline: number; urgent?: boolean }): number {
		const allowedAt = Math.max(this.pausedUntil, this.nextAt);
		if (!urgent || allowedAt <= deadline) return allowedAt;
		return this.nextAt <= deadline ? this.nextAt : -Infinity;
	}

	/** Counts a request that is sent now. @param isQueueing whether it has waited, or others are queued */
	onSend(nowMs: number, isQueueing: boolean): void {
		if (this.rate === undefined) return;
		if (isQueueing) this.rate += this.growth;
		this.nextAt = Math.max(this.nextAt, nowMs - MAX_CATCH_UP_MS) + 1000 / this.rate;
	}

	/** Counts a request that the service didn't throttle. */
	onSuccess(nowMs: number): void {
		if (this.rate !== undefined) return;
		// Cut once per MAX_MEASURED requests, because removing the first of a long list moves all others.
		if (this.acceptedAt.push(nowMs) >= 2 * MAX_MEASURED)
			this.acceptedAt = this.acceptedAt.slice(-MAX_MEASURED);
	}

	/**
	 * Lowers the rate after a 429, and pauses the key.
	 * @param sentAt when the request was sent
	 * @param waitMs how long the service asks to wait
	 */
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
