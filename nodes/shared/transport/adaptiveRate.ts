// When each request of a key may be sent. Decisions only: times in milliseconds come as plain numbers, nothing here waits.
//
// Before the first 429 nothing is spaced, for the service's limits are not documented. But what is under way is bounded, so that a
// service with limits can say so before hundreds of requests are on their way (slow start, RFC 5681; its first window, RFC 6928):
// - 10 at first, and two for each that ends while as many are: the number doubles with every round trip.
// - 100 at most. Thousands that come due together would hold up everything else in the process.
// - Whoever has waited for 10 s goes anyway: a service that does not answer is no limit.
// From the first 429 on requests are spaced:
// - The first rate is 0.9 of what was accepted: the requests of the last 5 to 10 seconds over their time and the wait that the
//   service asks for, which is when it accepts again. That is the rate of a token bucket and of a fixed window alike.
// - Additive increase, multiplicative decrease (Chiu and Jain 1989; RFC 5681, 3.1): 0.8 of the rate at each further 429, then a
//   fiftieth of what is left more each second. A rate told from a handful of requests is a guess, so it grows by a fifth a second
//   until the next 429 (slow start, RFC 5681).
// - What was on its way when the gate closed tells nothing new (one decrease a window, RFC 6582), and what nobody waits for does
//   not make the rate grow (RFC 7661).
// - `Retry-After` holds back everything with the key (RFC 9110, 10.2.3) for up to a minute, the usual window of a limit. A longer
//   one is obeyed by the request that met it; the others go on, slower, and each finds out whether it was meant for all.

/** A request that waits for its turn. */
export interface Waiting {
	/** When it was asked for first: one that was refused keeps its place */
	since: number;
	/** Later than this it is of no use */
	deadline: number;
	/** Goes before those that are not, and through a closed gate if it cannot wait for it to open */
	urgent?: boolean;
}

export interface Turns<T> {
	/** Those whose turn it is, in order */
	go: T[];
	/** Those that cannot be sent before their deadline */
	tooLate: T[];
	/** Milliseconds until the next may go; `Infinity` when nobody waits */
	waitMs: number;
}

const FIRST_UNDER_WAY = 10;
const MOST_UNDER_WAY = 100;
const PATIENCE_MS = 10_000;
const FIRST_SHARE = 0.9;
const DECREASE = 0.8;
const INCREASE = 0.02;
const INCREASE_OF_GUESS = 0.2;
/** From as many accepted requests on, their rate is more than a guess. */
const TRUSTED = 10;
/** The least that a guess begins with, a second, and the least there is */
const LEAST_GUESS = 1;
const LEAST_RATE = 1 / 60;
const WINDOW_MS = 5_000;
export const LONGEST_CLOSURE_MS = 61_200;
const SHORTEST_CLOSURE_MS = 1_000;
/** What a late timer may make up for */
const CATCH_UP_MS = 50;
/** Of so many turns one goes to whoever has waited longest, so that urgent requests starve nobody. */
const TURNS_TO_OLDEST = 4;

export class AdaptiveRate<T extends Waiting> {
	private readonly waiting: T[] = [];
	/** Of these, who is urgent or could not wait for `PATIENCE_MS` */
	private readonly hurried = new Set<T>();
	private readonly underWay = new Set<T>();
	/** How many may be under way before the first 429 */
	private room = FIRST_UNDER_WAY;
	/** Requests a second; undefined before the first 429 */
	private rate: number | undefined;
	/** By how much the rate grows in a second */
	private growth = 0;
	private isGuess = false;
	private closedUntil = -Infinity;
	private nextAt = -Infinity;
	private turns = 0;
	private accepted = { since: -Infinity, count: 0 };
	private acceptedBefore = this.accepted;

	/** How many wait for their turn */
	get size(): number {
		return this.waiting.length;
	}

	enter(request: T): void {
		let place = this.waiting.length;
		while (place > 0 && this.waiting[place - 1].since > request.since) place--;
		this.waiting.splice(place, 0, request);
		if (request.urgent || request.deadline < request.since + PATIENCE_MS) this.hurried.add(request);
	}

	/** It waits no more, or has ended; to be told after its `accept` or `refuse`. */
	leave(request: T): void {
		const isRoomUsed = this.underWay.size >= this.room;
		if (!this.underWay.delete(request)) this.quit(request);
		else if (isRoomUsed) this.room = Math.min(MOST_UNDER_WAY, this.room + 1);
	}

	private quit(request: T): void {
		this.hurried.delete(request);
		const index = this.waiting.indexOf(request);
		if (index >= 0) this.waiting.splice(index, 1);
	}

	/** Takes out of the queue what may go now, to `leave` when it has ended, and what cannot be sent in time. */
	take(nowMs: number): Turns<T> {
		if (this.rate === undefined) return this.takeUnspaced(nowMs);
		const isTooLate = (each: T) => Math.max(nowMs, this.opensAt(each)) > each.deadline;
		const tooLate = this.waiting.filter(isTooLate);
		for (const request of tooLate) this.quit(request);
		const go: T[] = [];
		for (let next = this.next(nowMs); next; next = this.next(nowMs)) {
			this.quit(next);
			this.underWay.add(next);
			go.push(next);
		}
		const opensAt = this.waiting.reduce(
			(soonest, each) => Math.min(soonest, this.opensAt(each)),
			Infinity,
		);
		return { go, tooLate, waitMs: opensAt - nowMs };
	}

	/** Milliseconds for which everything but the urgent is held back */
	delayMs(nowMs: number): number {
		return Math.max(0, this.closedUntil - nowMs, this.nextAt - nowMs);
	}

	/** Before the first 429. Whoever is in a hurry goes; of the others, first come, first served, nobody needs to be looked at but the first. */
	private takeUnspaced(nowMs: number): Turns<T> {
		const go: T[] = [];
		const start = (request: T) => {
			this.quit(request);
			this.underWay.add(request);
			go.push(request);
		};
		for (const request of this.hurried) start(request);
		for (let [first] = this.waiting; first; [first] = this.waiting) {
			const waitMs = first.since + PATIENCE_MS - nowMs;
			if (this.underWay.size >= this.room && waitMs > 0) return { go, tooLate: [], waitMs };
			start(first);
		}
		return { go, tooLate: [], waitMs: Infinity };
	}

	private opensAt({ deadline, urgent }: T): number {
		const passes = urgent && deadline < this.closedUntil;
		return passes ? this.nextAt : Math.max(this.closedUntil, this.nextAt);
	}

	/** Whose turn it is, if it is somebody's */
	private next(nowMs: number): T | undefined {
		const ready = this.waiting.filter((each) => this.opensAt(each) <= nowMs);
		const oldest = ready[0];
		if (!oldest) return undefined;
		const isTurnOfOldest = ++this.turns % TURNS_TO_OLDEST === 0;
		this.useTurn(nowMs);
		return isTurnOfOldest ? oldest : (ready.find(({ urgent }) => urgent) ?? oldest);
	}

	private useTurn(nowMs: number): void {
		if (this.rate === undefined) return;
		if (this.waiting.length > 1)
			this.rate += this.isGuess ? INCREASE_OF_GUESS : this.growth / this.rate;
		this.nextAt = Math.max(this.nextAt, nowMs - CATCH_UP_MS) + 1000 / this.rate;
	}

	/** The service took a request. */
	accept(nowMs: number): void {
		if (this.rate !== undefined) return;
		if (nowMs - this.accepted.since >= WINDOW_MS) {
			const fresh = nowMs - this.accepted.since < 2 * WINDOW_MS;
			const now = { since: nowMs, count: 0 };
			this.acceptedBefore = fresh ? this.accepted : now;
			this.accepted = now;
		}
		this.accepted.count++;
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
		else if (knownBefore) return;
		else {
			this.rate = Math.max(LEAST_RATE, this.rate * DECREASE);
			this.isGuess = false;
		}
		this.growth = this.rate! * INCREASE;
	}

	private startAt(nowMs: number, closureMs: number): void {
		const { accepted, acceptedBefore } = this;
		const same = accepted === acceptedBefore;
		const count = accepted.count + (same ? 0 : acceptedBefore.count);
		const seconds = (Math.min(nowMs - acceptedBefore.since, 3 * WINDOW_MS) + closureMs) / 1000;
		const rate = (FIRST_SHARE * count) / seconds;
		this.isGuess = count < TRUSTED;
		this.rate = Math.max(rate, this.isGuess ? LEAST_GUESS : LEAST_RATE);
	}
}
