import { attemptError } from './attemptError';
import { realClock, withTimeout, type Clock } from './clock';

// How much goes on at once, and how fast one thing follows another.

/** Runs at most so many pieces of work at once; the others wait their turn, in order. */
export class Semaphore {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(concurrency: number) {
		this.free = concurrency;
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.free++;
		}
	}
}

/**
 * Calls `work` for every item, at most `concurrency` at once, in order. Results keep the items' order. A call that throws does
 * not keep the others from being made; all are awaited, so that nothing goes on unnoticed.
 */
export async function settleConcurrently<T, R>(
	items: readonly T[],
	concurrency: number,
	work: (item: T, index: number) => Promise<R>,
): Promise<Array<PromiseSettledResult<R>>> {
	const limiter = new Semaphore(concurrency);
	const all = items.map(async (item, index) => await limiter.run(() => work(item, index)));
	return await Promise.allSettled(all);
}

const FIRST_SHARE = 0.9;
const DECREASE = 0.8;
const INCREASE = 0.02;
const INCREASE_OF_GUESS = 0.2;
/** From as many accepted requests on, their rate is more than a guess. */
const TRUSTED = 10;
/** The least that a guess begins with, a second, and the least there is */
const MIN_GUESS = 1;
const MIN_RATE = 1 / 60;
/** Accepted requests that tell the first rate: the latest within this time, so many of them at most */
const WINDOW_MS = 10_000;
const MAX_COUNTED = 1_000;
const MAX_KEY_PAUSE_MS = 61_200;
const MIN_KEY_PAUSE_MS = 1_000;
/** What a late timer may make up for */
const CATCH_UP_MS = 50;

/**
 * How fast requests of a key may follow each other. Decisions only: times in milliseconds come as plain numbers, nothing waits here.
 *
 * Before the first 429 nothing is spaced, for the service's limits are not documented. From then on:
 * - The first rate is 0.9 of what was accepted: the latest requests over their time and the wait that the service asks for, which
 *   is when it accepts again. That is the rate of a token bucket and of a fixed window alike.
 * - Additive increase, multiplicative decrease (Chiu and Jain 1989; RFC 5681, 3.1): 0.8 of the rate at each further 429, then a
 *   fiftieth more each second. A rate told from a handful of requests is a guess, so it grows by a fifth a second until the next
 *   429 (slow start, RFC 5681): 300 requests at once against 50 a second are over in half the time.
 * - What was on its way when the gate closed tells nothing new (one decrease a window, RFC 6582), and what nobody waits for does
 *   not make the rate grow (RFC 7661).
 * - `Retry-After` holds back everything with the key (RFC 9110, 10.2.3) for up to a minute, the usual window of a limit. A longer
 *   one is obeyed by the request that met it; the others go on, slower, and each finds out whether it was meant for all.
 */
export class RateController {
	/** Requests a second; undefined before the first 429 */
	private rate: number | undefined;
	/** What is added to the rate with each request that others wait behind */
	private growth = INCREASE;
	private pausedUntil = -Infinity;
	private nextAt = -Infinity;
	/** When the latest requests were accepted, before the first 429 */
	private accepted: number[] = [];

	/** When the next request may go */
	nextSendAt({ deadline, urgent }: { deadline: number; urgent?: boolean }): number {
		// What is urgent goes through a closed gate if it cannot wait for it to open.
		const passes = urgent && deadline < this.pausedUntil;
		return passes ? this.nextAt : Math.max(this.pausedUntil, this.nextAt);
	}

	/** A request goes. @param others whether more of them wait */
	onSend(nowMs: number, others: boolean): void {
		if (this.rate === undefined) return;
		if (others) this.rate += this.growth;
		this.nextAt = Math.max(this.nextAt, nowMs - CATCH_UP_MS) + 1000 / this.rate;
	}

	/** The service took a request. */
	onSuccess(nowMs: number): void {
		if (this.rate !== undefined) return;
		if (this.accepted.push(nowMs) > MAX_COUNTED) this.accepted.shift();
	}

	/**
	 * The service refused a request with 429.
	 * @param sentAt when the request had its turn
	 * @param waitMs how long the service asks to wait
	 */
	onThrottled(sentAt: number, nowMs: number, waitMs: number): void {
		const knownBefore = sentAt < this.pausedUntil;
		const closureMs = waitMs > MAX_KEY_PAUSE_MS ? MIN_KEY_PAUSE_MS : waitMs;
		this.pausedUntil = Math.max(this.pausedUntil, nowMs + closureMs);
		if (this.rate !== undefined) {
			if (knownBefore) return;
			this.rate = Math.max(MIN_RATE, this.rate * DECREASE);
			this.growth = INCREASE;
			return;
		}
		const counted = this.accepted.filter((at) => at > nowMs - WINDOW_MS);
		this.accepted = [];
		const seconds = (nowMs - (counted[0] ?? nowMs) + closureMs) / 1000;
		const isGuess = counted.length < TRUSTED;
		this.growth = isGuess ? INCREASE_OF_GUESS : INCREASE;
		const least = isGuess ? MIN_GUESS : MIN_RATE;
		this.rate = Math.max(least, (FIRST_SHARE * counted.length) / seconds);
	}
}

/** A request that waits for its turn. */
export interface QueuedRequest {
	/** When it was asked for first: one that was refused keeps its place */
	since: number;
	/** Later than this it is of no use */
	deadline: number;
	/** Goes before those that are not, and through a closed gate if it cannot wait for it to open */
	urgent?: boolean;
}

interface Ticket extends QueuedRequest {
	/** Called once: with how long it would have to wait, where that is too long */
	settle(tooLongMs?: number): void;
}

/** What may be under way with a key: a service with limits can say so before hundreds of requests are on their way. */
const MAX_IN_FLIGHT = 25;
/** Of so many turns one goes to whoever has waited longest, so that urgent requests starve nobody. */
const TURNS_TO_OLDEST = 4;
/** So that no timer is left for long when those that waited have left */
const MAX_TICK_MS = 1_000;
/** After as long without a request a key begins as if it were new. */
const IDLE_MS = 5 * 60_000;

/** The gate that all requests with one key go through, as fast as `Pace` allows. */
class RateLimiter {
	private readonly controller = new RateController();
	private readonly clock: Clock;
	/** In the order in which they were asked for */
	private queued: Ticket[] = [];
	private readonly inFlight = new Set<Ticket>();
	private turns = 0;
	private isTimerRunning = false;
	private usedAt: number;

	/** @param clock is not stopped with any execution */
	constructor(clock: Clock) {
		this.clock = clock;
		this.usedAt = clock.now();
	}

	/**
	 * Calls `send` when the request may be sent, and learns from how it ended.
	 * @param signal of the execution: after Stop the request leaves the queue
	 * @throws CanceledError when the execution is stopped before its turn
	 * @throws WorkspaceAutomationError where it would have to wait for longer than it can
	 */
	async schedule<T extends { pauseMs?: number }>(
		request: QueuedRequest,
		signal: AbortSignal | undefined,
		send: () => Promise<T>,
	): Promise<T> {
		this.usedAt = this.clock.now();
		const ticket: Ticket = { ...request, settle() {} };
		const turn = new Promise<number | undefined>((settle) => (ticket.settle = settle));
		this.queued.push(ticket);
		this.queued.sort((a, b) => a.since - b.since);
		try {
			if (this.isTimerRunning) this.dispatch();
			else void this.runTimer();
			const tooLongMs = await withTimeout(signal, undefined, async () => await turn);
			if (tooLongMs !== undefined) {
				const headers = tooLongMs > 0 ? { 'retry-after': Math.ceil(tooLongMs / 1000) } : {};
				throw attemptError({ kind: 'response', status: 429, headers, body: undefined }, {}, 0);
			}
			const sentAt = this.clock.now();
			const passed = await send();
			const now = this.clock.now();
			if (passed.pauseMs !== undefined) this.controller.onThrottled(sentAt, now, passed.pauseMs);
			else this.controller.onSuccess(now);
			return passed;
		} finally {
			// Stop may come in the moment in which it was called.
			this.inFlight.delete(ticket);
			this.queued = this.queued.filter((each) => each !== ticket);
			this.dispatch();
		}
	}

	/** Whether there is nothing left to remember */
	isIdle(): boolean {
		return this.queued.length === 0 && this.clock.now() - this.usedAt > IDLE_MS;
	}

	/** Sends away who cannot wait, and lets go whose turn it is. Returns the time until the next turn, or until it is looked again. */
	private dispatch(): number {
		const now = this.clock.now();
		const waitOf = (ticket: Ticket) => Math.max(0, this.controller.nextSendAt(ticket) - now);
		this.queued = this.queued.filter((ticket) => {
			const isInTime = now + waitOf(ticket) <= ticket.deadline;
			if (!isInTime) ticket.settle(waitOf(ticket));
			return isInTime;
		});
		for (;;) {
			// What is urgent needs no room. Who waits for room is called when somebody leaves.
			const urgent = this.queued.find((ticket) => ticket.urgent && waitOf(ticket) === 0);
			const hasRoom = this.inFlight.size < MAX_IN_FLIGHT;
			const oldest = hasRoom ? this.queued.find((ticket) => waitOf(ticket) === 0) : undefined;
			const isOldest = urgent && oldest && ++this.turns % TURNS_TO_OLDEST === 0;
			const next = isOldest ? oldest : (urgent ?? oldest);
			if (!next) break;
			this.queued.splice(this.queued.indexOf(next), 1);
			this.inFlight.add(next);
			this.controller.onSend(now, this.queued.length > 0);
			next.settle();
		}
		const waits = this.queued.map(waitOf).filter((waitMs) => waitMs > 0);
		return waits.reduce((least, waitMs) => Math.min(least, waitMs), MAX_TICK_MS);
	}

	/** One timer for all, while anybody waits. */
	private async runTimer(): Promise<void> {
		this.isTimerRunning = true;
		for (let waitMs = this.dispatch(); this.queued.length > 0; waitMs = this.dispatch())
			await this.clock.sleep(Math.max(1, waitMs));
		this.isTimerRunning = false;
	}
}

/** The gates of this process: each worker of queue mode has its own. */
export class RateLimiters {
	private readonly limiters = new Map<string, RateLimiter>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** @param key one for each base URL and API key, and no secret: a digest */
	get(key: string): RateLimiter {
		for (const [each, gate] of this.limiters) if (gate.isIdle()) this.limiters.delete(each);
		const gate = this.limiters.get(key) ?? new RateLimiter(this.clock);
		this.limiters.set(key, gate);
		return gate;
	}
}

/** Shared by all executions and nodes. */
export const processRateLimiters = new RateLimiters(realClock);
