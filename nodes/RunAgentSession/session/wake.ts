import type { ApiClient } from '../../shared/client/operations';
import { Semaphore } from '../../shared/client/semaphore';
import { MANUAL_WAKE_MS, MAX_WAKE_MS, MAX_WAKE_WITH_LINKS_MS } from './schedule';

/** Requests that a key may have in flight. More polls at once would only wait, and miss their time. */
const MAX_POLLS_AT_ONCE = 25;

interface WakeOptions {
	/** Monotonic time */
	nowMs: number;
	/** True if the execution pauses, false if it keeps running */
	pauses: boolean;
	/** True if a person watches, so that the node polls for a while before it pauses */
	isWatched?: boolean;
	/** True if approvers have links that n8n answers with an error until the execution pauses */
	hasOpenLinks?: boolean;
}

/** One run of the node for all its sessions: how long it polls, and what makes it end sooner. */
export class Wake {
	readonly pauses: boolean;

	readonly isWatched: boolean;

	/** True once items leave: the other sessions continue in the next run */
	isLeaving = false;

	private readonly startedAt: number;

	private readonly options: WakeOptions;

	private readonly polls = new Semaphore(MAX_POLLS_AT_ONCE);

	private readonly sleepers = new Set<() => void>();

	constructor(options: WakeOptions) {
		this.options = options;
		this.pauses = options.pauses;
		this.isWatched = options.isWatched === true && !options.hasOpenLinks;
		this.startedAt = options.nowMs;
	}

	/** Returns the milliseconds for which a pausing run polls a session that was active for `activeMs` more. */
	leftMs(nowMs: number, activeMs: number): number {
		const maxMs = this.options.hasOpenLinks ? MAX_WAKE_WITH_LINKS_MS : MAX_WAKE_MS;
		const watchedMs = this.isWatched ? this.startedAt + MANUAL_WAKE_MS - nowMs : 0;
		return Math.min(Math.max(activeMs, watchedMs), this.startedAt + maxMs - nowMs);
	}

	/** Makes all other sessions end their wait, so that items leave now. */
	leave(): void {
		this.isLeaving = true;
		for (const wakeUp of this.sleepers) wakeUp();
	}

	/** Sleeps for this time, or until items leave. @throws CanceledError after Stop */
	async sleep({ clock, signal }: Pick<ApiClient, 'clock' | 'signal'>, ms: number): Promise<void> {
		if (this.isLeaving) return;
		let wakeUp = () => {};
		const left = new Promise<void>((resolve) => this.sleepers.add((wakeUp = resolve)));
		try {
			await Promise.race([clock.sleep(ms, signal), left]);
		} finally {
			this.sleepers.delete(wakeUp);
		}
	}

	/** Limits the polls at once, in the order of their calls, so that each has its whole time. */
	async whilePolling<T>(poll: () => Promise<T>): Promise<T> {
		return await this.polls.run(poll);
	}
}
