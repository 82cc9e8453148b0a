// How fast requests of a key may follow each other. Decisions only: times in milliseconds come as plain numbers, nothing waits here.
//
// Before the first 429 nothing is spaced, for the service's limits are not documented. From then on:
// - The first rate is 0.9 of what was accepted: the latest requests over their time and the wait that the service asks for, which
//   is when it accepts again. That is the rate of a token bucket and of a fixed window alike.
// - Additive increase, multiplicative decrease (Chiu and Jain 1989; RFC 5681, 3.1): 0.8 of the rate at each further 429, then a
//   fiftieth more each second. A rate told from a handful of requests is a guess, so it grows by a fifth a second until the next
//   429 (slow start, RFC 5681): 300 requests at once against 50 a second are over in half the time.
// - What was on its way when the gate closed tells nothing new (one decrease a window, RFC 6582), and what nobody waits for does
//   not make the rate grow (RFC 7661).
// - `Retry-After` holds back everything with the key (RFC 9110, 10.2.3) for up to a minute, the usual window of a limit. A longer
//   one is obeyed by the request that met it; the others go on, slower, and each finds out whether it was meant for all.

const FIRST_SHARE = 0.9;
const DECREASE = 0.8;
const INCREASE = 0.02;
const INCREASE_OF_GUESS = 0.2;
/** From as many accepted requests on, their rate is more than a guess. */
const TRUSTED = 10;
/** The least that a guess begins with, a second, and the least there is */
const LEAST_GUESS = 1;
const LEAST_RATE = 1 / 60;
/** Accepted requests that tell the first rate: the latest within this time, so many of them at most */
const WINDOW_MS = 10_000;
const MOST_COUNTED = 1_000;
const LONGEST_CLOSURE_MS = 61_200;
const SHORTEST_CLOSURE_MS = 1_000;
/** What a late timer may make up for */
const CATCH_UP_MS = 50;

export class Pace {
	/** Requests a second; undefined before the first 429 */
	private rate: number | undefined;
	/** What is added to the rate with each request that others wait behind */
	private growth = INCREASE;
	private closedUntil = -Infinity;
	private nextAt = -Infinity;
	/** When the latest requests were accepted, before the first 429 */
	private accepted: number[] = [];

	/** When the next request may go */
	opensAt({ deadline, urgent }: { deadline: number; urgent?: boolean }): number {
		// What is urgent goes through a closed gate if it cannot wait for it to open.
		const passes = urgent && deadline < this.closedUntil;
		return passes ? this.nextAt : Math.max(this.closedUntil, this.nextAt);
	}

	/** A request goes. @param others whether more of them wait */
	go(nowMs: number, others: boolean): void {
		if (this.rate === undefined) return;
		if (others) this.rate += this.growth;
		this.nextAt = Math.max(this.nextAt, nowMs - CATCH_UP_MS) + 1000 / this.rate;
	}

	/** The service took a request. */
	accept(nowMs: number): void {
		if (this.rate !== undefined) return;
		if (this.accepted.push(nowMs) > MOST_COUNTED) this.accepted.shift();
	}

	/**
	 * The service refused a request with 429.
	 * @param sentAt when the request had its turn
	 * @param waitMs how long the service asks to wait
	 */
	refuse(sentAt: number, nowMs: number, waitMs: number): void {
		const knownBefore = sentAt < this.closedUntil;
		const closureMs = waitMs > LONGEST_CLOSURE_MS ? SHORTEST_CLOSURE_MS : waitMs;
		this.closedUntil = Math.max(this.closedUntil, nowMs + closureMs);
		if (this.rate === undefined) this.startAt(nowMs, closureMs);
		else if (!knownBefore) {
			this.rate = Math.max(LEAST_RATE, this.rate * DECREASE);
			this.growth = INCREASE;
		}
	}

	private startAt(nowMs: number, closureMs: number): void {
		const counted = this.accepted.filter((at) => at > nowMs - WINDOW_MS);
		this.accepted = [];
		const seconds = (nowMs - (counted[0] ?? nowMs) + closureMs) / 1000;
		const isGuess = counted.length < TRUSTED;
		this.growth = isGuess ? INCREASE_OF_GUESS : INCREASE;
		const least = isGuess ? LEAST_GUESS : LEAST_RATE;
		this.rate = Math.max(least, (FIRST_SHARE * counted.length) / seconds);
	}
}
