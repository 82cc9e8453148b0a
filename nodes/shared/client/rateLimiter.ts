import { throwIfAborted } from '../errors';
import { getOrAdd } from '../values';
import { RateLimitError } from './attemptError';
import { realClock, withTimeout, type Clock } from './clock';

/** Runs at most `limit` tasks at once, first come, first served. */
export class Semaphore {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(limit: number) {
		this.free = limit;
	}

	async acquire(): Promise<void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	release(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.free++;
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
		await this.acquire();
		try {
			return await work();
		} finally {
			this.release();
		}
	}
}

/** Times are on the monotonic clock. */
export interface QueuedRequest {
	/** Time of its first queueing. After a 429 it keeps its place. */
	since: number;
	deadline: number;
	/** Goes before the others, and through a pause that would outlast its deadline */
	urgent?: boolean;
}

interface Ticket extends QueuedRequest {
	queuedAt: number;
	resolve(): void;
	reject(error: RateLimitError): void;
}

export interface Slot {
	/** @param pauseMs the pause that a 429 asked for */
	release(pauseMs?: number): void;
}

/** Few enough that a service can state its limits before hundreds of requests are on their way */
const MAX_IN_FLIGHT = 25;
/** Every fourth slot goes to the oldest request, so that urgent ones can't starve the rest. */
const SLOTS_TO_OLDEST = 4;
/** Longest timer, so that none outlives the queue for long */
const MAX_TICK_MS = 1_000;
/** A key that is idle for this long starts over as if it were new. */
const MAX_IDLE_MS = 5 * 60_000;

/** Queues requests by age and urgency, at most `MAX_IN_FLIGHT` at once, at a rate that `RateController` learns from 429s. */
class RateLimiter {
	private readonly controller = new RateController();
	/** Doesn't stop with any execution */
	private readonly clock: Clock;
	/** Oldest first */
	private queued: Ticket[] = [];
	private readonly inFlight = new Set<Ticket>();
	private urgentSlots = 0;
	private isTimerRunning = false;
	private usedAt: number;

	constructor(clock: Clock) {
		this.clock = clock;
		this.usedAt = clock.monotonicMs();
	}

	/**
	 * Waits until the request may be sent.
	 * @throws RateLimitError if it can't be sent before its deadline, or CanceledError if the execution is stopped before that
	 */
	async acquire(request: QueuedRequest, signal: AbortSignal | undefined): Promise<Slot> {
		this.usedAt = this.clock.monotonicMs();
		const ticket: Ticket = { ...request, queuedAt: this.usedAt, resolve() {}, reject() {} };
		const turn = new Promise<void>((resolve, reject) => Object.assign(ticket, { resolve, reject }));
		let sentAt: number | undefined;
		this.enqueue(ticket);
		try {
			if (this.isTimerRunning) this.dispatch();
			else void this.runTimer();
			// Most requests may go at once, and waiting costs a promise and a listener.
			if (!this.inFlight.has(ticket)) await withTimeout(signal, undefined, async () => await turn);
			throwIfAborted(signal);
			sentAt = this.clock.monotonicMs();
		} finally {
			if (sentAt === undefined) this.leave(ticket);
		}
		return { release: (pauseMs) => this.release(ticket, sentAt, pauseMs) };
	}

	/** Learns from the response, which asked for a pause if it was a 429. */
	private release(ticket: Ticket, sentAt: number, pauseMs: number | undefined): void {
		const now = this.clock.monotonicMs();
		if (pauseMs === undefined) this.controller.onSuccess(now);
		else this.controller.onThrottled(sentAt, now, pauseMs);
		this.leave(ticket);
	}

	isIdle(): boolean {
		return this.queued.length === 0 && this.clock.monotonicMs() - this.usedAt > MAX_IDLE_MS;
	}

	private enqueue(ticket: Ticket): void {
		const last = this.queued[this.queued.length - 1] as Ticket | undefined;
		this.queued.push(ticket);
		if (last && last.since > ticket.since) this.queued.sort((a, b) => a.since - b.since);
	}

	/** Frees the slot, or the place in the queue, because Stop may come at any time. */
	private leave(ticket: Ticket): void {
		if (!this.inFlight.delete(ticket))
			this.queued = this.queued.filter((queued) => queued !== ticket);
		this.dispatch();
	}

	/** Rejects late requests, and sends those that may go. Returns the milliseconds until the next dispatch. */
	private dispatch(): number {
		const now = this.clock.monotonicMs();
		const waitMs = (ticket: Ticket) => Math.max(0, this.controller.nextSendAt(ticket) - now);
		const isLate = (ticket: Ticket) => now + waitMs(ticket) > ticket.deadline;
		const late = this.queued.filter(isLate);
		if (late.length > 0) this.queued = this.queued.filter((ticket) => !isLate(ticket));
		for (const ticket of late) ticket.reject(new RateLimitError(waitMs(ticket)));
		for (let next = this.nextTicket(now); next; next = this.nextTicket(now)) {
			this.queued.splice(this.queued.indexOf(next), 1);
			this.inFlight.add(next);
			this.controller.onSend(now, next.queuedAt < now || this.queued.length > 0);
			next.resolve();
		}
		return this.queued.reduce((tickMs, ticket) => {
			// A request that may go already waits for a slot only: it's dispatched when another one leaves.
			const nextMs = waitMs(ticket) || ticket.deadline - now + 1;
			return Math.min(tickMs, nextMs);
		}, MAX_TICK_MS);
	}

	/** Returns the next request. Urgent ones need no free slot. */
	private nextTicket(now: number): Ticket | undefined {
		const mayGo = (ticket: Ticket) => this.controller.nextSendAt(ticket) <= now;
		const urgent = this.queued.find((ticket) => ticket.urgent && mayGo(ticket));
		const hasSlot = this.inFlight.size < MAX_IN_FLIGHT;
		const oldest = hasSlot ? this.queued.find(mayGo) : undefined;
		if (!urgent || !oldest) return urgent ?? oldest;
		return ++this.urgentSlots % SLOTS_TO_OLDEST === 0 ? oldest : urgent;
	}

	private async runTimer(): Promise<void> {
		this.isTimerRunning = true;
		for (let tickMs = this.dispatch(); this.queued.length > 0; tickMs = this.dispatch())
			await this.clock.sleep(Math.max(1, tickMs));
		this.isTimerRunning = false;
	}
}

/** Holds one rate limiter per key. In queue mode, each worker has its own. */
export class RateLimiters {
	private readonly limiters = new Map<string, RateLimiter>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** @param key represents a base URL and an API key: a fingerprint, no secret */
	get(key: string): RateLimiter {
		for (const [each, limiter] of this.limiters) if (limiter.isIdle()) this.limiters.delete(each);
		return getOrAdd(this.limiters, key, () => new RateLimiter(this.clock));
	}
}

/** Spares the service requests beyond the limits that this process knows of. */
export const processRateLimiters = new RateLimiters(realClock);

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
