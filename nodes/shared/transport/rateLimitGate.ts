import { responseError } from '../base/apiErrors';
import { realClock, withinTime, type Clock } from './clock';
import { Pace } from './pace';
import type { NextAction } from './retryPolicy';

/** A request that waits for its turn. */
export interface Waiting {
	/** When it was asked for first: one that was refused keeps its place */
	since: number;
	/** Later than this it is of no use */
	deadline: number;
	/** Goes before those that are not, and through a closed gate if it cannot wait for it to open */
	urgent?: boolean;
}

interface Ticket extends Waiting {
	hasTurn: boolean;
	/** Called once: with how long it would have to wait, where that is too long */
	settle(tooLongMs?: number): void;
}

/** What may be under way with a key: a service with limits can say so before hundreds of requests are on their way. */
const MOST_UNDER_WAY = 25;
/** Of so many turns one goes to whoever has waited longest, so that urgent requests starve nobody. */
const TURNS_TO_OLDEST = 4;
/** So that no timer is left for long when those that waited have left */
const LONGEST_NAP_MS = 1_000;
/** After as long without a request a key begins as if it were new. */
const IDLE_MS = 5 * 60_000;

const rateLimited = (delayMs: number) =>
	responseError({
		status: 429,
		body: undefined,
		retryAfter: delayMs > 0 ? Math.ceil(delayMs / 1000) : undefined,
	});

/** The gate that all requests with one key go through, as fast as `Pace` allows. */
class RateLimitGate {
	private readonly pace = new Pace();
	private readonly clock: Clock;
	/** In the order in which they were asked for */
	private waiting: Ticket[] = [];
	private underWay = 0;
	private turns = 0;
	private isCalling = false;
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
	async pass<T extends Pick<NextAction, 'holdBackMs'>>(
		request: Waiting,
		signal: AbortSignal | undefined,
		send: () => Promise<T>,
	): Promise<T> {
		this.usedAt = this.clock.now();
		let ticket: Ticket | undefined;
		const turn = new Promise<number | undefined>((settle) => {
			ticket = { ...request, hasTurn: false, settle };
			this.waiting.push(ticket);
			this.waiting.sort((a, b) => a.since - b.since);
		});
		try {
			if (!this.isCalling) void this.callInTime();
			else this.call();
			const tooLongMs = await withinTime(turn, signal);
			if (tooLongMs !== undefined) throw rateLimited(tooLongMs);
			const sentAt = this.clock.now();
			const passed = await send();
			const now = this.clock.now();
			if (passed.holdBackMs !== undefined) this.pace.refuse(sentAt, now, passed.holdBackMs);
			else this.pace.accept(now);
			return passed;
		} finally {
			// Stop may come in the moment in which it was called.
			if (ticket?.hasTurn) this.underWay--;
			else this.waiting = this.waiting.filter((each) => each !== ticket);
			this.call();
		}
	}

	/** Whether there is nothing left to remember */
	isIdle(): boolean {
		return this.waiting.length === 0 && this.clock.now() - this.usedAt > IDLE_MS;
	}

	/** Lets go whose turn it is, and sends away who cannot wait. Returns the time until the next turn. */
	private call(): number {
		const now = this.clock.now();
		const waitOf = (each: Ticket) => this.pace.opensAt(each) - now;
		const isTooLate = (each: Ticket) => now + Math.max(0, waitOf(each)) > each.deadline;
		for (const ticket of this.waiting.filter(isTooLate)) {
			this.waiting.splice(this.waiting.indexOf(ticket), 1);
			ticket.settle(Math.max(0, waitOf(ticket)));
		}
		for (let next = this.next(now); next; next = this.next(now)) {
			this.waiting.splice(this.waiting.indexOf(next), 1);
			this.underWay++;
			this.pace.go(now, this.waiting.length > 0);
			next.hasTurn = true;
			next.settle();
		}
		// Who waits for room is called when somebody leaves.
		return this.waiting
			.map(waitOf)
			.reduce((least, waitMs) => (waitMs > 0 ? Math.min(least, waitMs) : least), Infinity);
	}

	/** Whose turn it is, if it is somebody's. What is urgent needs no room. */
	private next(now: number): Ticket | undefined {
		const isOpen = (each: Ticket) => this.pace.opensAt(each) <= now;
		const urgent = this.waiting.find((each) => each.urgent && isOpen(each));
		const oldest = this.underWay < MOST_UNDER_WAY ? this.waiting.find(isOpen) : undefined;
		if (!urgent || !oldest) return urgent ?? oldest;
		return ++this.turns % TURNS_TO_OLDEST === 0 ? oldest : urgent;
	}

	/** One timer for all, while anybody waits. */
	private async callInTime(): Promise<void> {
		this.isCalling = true;
		for (let waitMs = this.call(); this.waiting.length > 0; waitMs = this.call())
			await this.clock.sleep(Math.min(LONGEST_NAP_MS, Math.max(1, waitMs)));
		this.isCalling = false;
	}
}

/** The gates of this process: each worker of queue mode has its own. */
export class RateLimitGates {
	private readonly gates = new Map<string, RateLimitGate>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** @param key one for each base URL and API key, and no secret: a digest */
	of(key: string): RateLimitGate {
		for (const [each, gate] of this.gates) if (gate.isIdle()) this.gates.delete(each);
		const gate = this.gates.get(key) ?? new RateLimitGate(this.clock);
		this.gates.set(key, gate);
		return gate;
	}
}

/** Shared by all executions and nodes. */
export const processGates = new RateLimitGates(realClock);
