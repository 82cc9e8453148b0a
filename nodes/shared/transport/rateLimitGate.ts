import { responseError } from '../base/apiErrors';
import { AdaptiveRate, type Waiting } from './adaptiveRate';
import { clockWith, type Clock } from './clock';

interface Ticket extends Waiting {
	/** Called once: with how long it would have to wait, where that is too long */
	settle(tooLongMs?: number): void;
}

/** How a request ended that had its turn */
export interface Passed {
	isAnswered: boolean;
	/** After a 429: for how long it concerns every request with this key */
	holdBackMs?: number;
}

const rateLimited = (delayMs: number) =>
	responseError({ status: 429, body: undefined, retryAfter: Math.ceil(delayMs / 1000) });

/** The gate that all requests with one key go through. Waits as `AdaptiveRate` decides. */
export class RateLimitGate {
	private readonly rate = new AdaptiveRate<Ticket>();
	private readonly clock: Clock;
	private isCalling = false;
	private usedAt: number;

	/** @param clock is not stopped with any execution */
	constructor(clock: Clock) {
		this.clock = clock;
		this.usedAt = clock.now();
	}

	/**
	 * Calls `send` when the request may be sent, and learns from how it ended.
	 * @param clock that of the execution: after Stop the request leaves the queue
	 * @throws CanceledError when the execution is stopped before its turn
	 * @throws WorkspaceAutomationError where it would have to wait for longer than it can
	 */
	async pass<T extends Passed>(request: Waiting, clock: Clock, send: () => Promise<T>): Promise<T> {
		this.usedAt = this.clock.now();
		let ticket: Ticket | undefined;
		const turn = new Promise<number | undefined>((settle) => {
			ticket = { ...request, settle };
			this.rate.enter(ticket);
		});
		this.call();
		if (this.rate.size > 0 && !this.isCalling) void this.callInTime();
		const passing = async () => {
			const tooLongMs = await clock.untilAborted(turn);
			if (tooLongMs !== undefined) throw rateLimited(tooLongMs);
			const sentAt = this.clock.now();
			const passed = await send();
			const now = this.clock.now();
			if (passed.holdBackMs !== undefined) this.rate.refuse(sentAt, now, passed.holdBackMs);
			else if (passed.isAnswered) this.rate.accept(now);
			return passed;
		};
		return await passing().finally(() => {
			this.rate.leave(ticket!);
			this.call();
		});
	}

	/** Whether there is nothing left to remember */
	isIdle(): boolean {
		return this.rate.size === 0 && this.clock.now() - this.usedAt > IDLE_MS;
	}

	private call(): number {
		const now = this.clock.now();
		const { go, tooLate, waitMs } = this.rate.take(now);
		for (const ticket of go) ticket.settle();
		for (const ticket of tooLate) ticket.settle(this.rate.delayMs(now));
		return waitMs;
	}

	/** One timer for all, while anybody waits. */
	private async callInTime(): Promise<void> {
		this.isCalling = true;
		for (let waitMs = this.call(); this.rate.size > 0; waitMs = this.call())
			await this.clock.sleep(Math.min(LONGEST_NAP_MS, Math.max(1, waitMs)));
		this.isCalling = false;
	}
}

/** So that no timer is left for long when those that waited have left */
const LONGEST_NAP_MS = 1_000;
/** After as long without a request a key begins as if it were new. */
const IDLE_MS = 5 * 60_000;

/** The gates of this process: each worker of queue mode has its own. */
export class RateLimitGates {
	private readonly gates = new Map<string, RateLimitGate>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** @param key one for each base URL and API key, and no secret: a hash */
	of(key: string): RateLimitGate {
		for (const [each, gate] of this.gates) if (gate.isIdle()) this.gates.delete(each);
		let gate = this.gates.get(key);
		if (!gate) this.gates.set(key, (gate = new RateLimitGate(this.clock)));
		return gate;
	}
}

/** Shared by all executions and nodes. */
export const processGates = new RateLimitGates(clockWith(undefined));
