// Simulated time, for everything that waits: it moves on to the next timer whenever everybody waits.
import type { Clock as ServiceClock } from '../../local-service/clock.mts';
import { CanceledError } from '../../nodes/shared/errors.ts';
import type { Clock } from '../../nodes/shared/client/clock.ts';

interface Timer {
	at: number;
	wake: () => void;
}

export type VirtualClock = ReturnType<typeof createVirtualClock>;

/** Returns the same time as the local mock service takes it. Setting its speed changes what the service says of it, and nothing else. */
export function serviceTime({ now }: Pick<Clock, 'now'>): ServiceClock {
	let speed = 1;
	return {
		now,
		wallNow: now,
		toWall: (time) => time,
		speed: () => speed,
		setSpeed: (next) => void (speed = next),
	};
}

/** Returns a clock for a local mock service that nobody waits for: it stands still until it is advanced. */
export function createServiceClock(
	start = Date.UTC(2026, 9, 5, 9),
): ServiceClock & Pick<VirtualClock, 'advance'> {
	const virtual = createVirtualClock(start);
	return { ...serviceTime(virtual), advance: virtual.advance };
}

export function createVirtualClock(start = 0) {
	let now = start;
	let wallOffset = 0;
	let busy = 0;
	const timers: Timer[] = [];
	const sleeps: number[] = [];

	/** A binary heap would do no better for what the tests have. */
	function add(timer: Timer): void {
		let [low, high] = [0, timers.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (timers[middle].at > timer.at) low = middle + 1;
			else high = middle;
		}
		timers.splice(low, 0, timer);
	}

	function remove(timer: Timer): void {
		const index = timers.indexOf(timer);
		if (index >= 0) timers.splice(index, 1);
	}

	const clock: Clock = {
		now: () => now + wallOffset,
		monotonicMs: () => now,
		sleep: async (ms, signal) =>
			await new Promise<void>((resolve, reject) => {
				if (signal?.aborted) return reject(new CanceledError());
				sleeps.push(ms);
				const timer = { at: now + Math.max(0, ms), wake: resolve };
				add(timer);
				signal?.addEventListener('abort', () => {
					remove(timer);
					reject(new CanceledError());
				});
			}),
	};
	return {
		...clock,
		/** Length of each wait, in milliseconds */
		sleeps: sleeps as readonly number[],
		/** A signal that stops what goes with it at a time */
		abortAt(at: number): AbortSignal {
			const controller = new AbortController();
			if (at <= now) controller.abort();
			else add({ at, wake: () => controller.abort() });
			return controller.signal;
		},
		/** Lets time pass at once, past timers that are due */
		advance: (ms: number) => void (now += ms),
		/** Sets the wall clock forward or back. Timers and the monotonic time don't change. */
		shiftWall: (ms: number) => void (wallOffset += ms),
		/** Time stands still for as long as `work` takes. */
		async whileBusy<T>(work: () => Promise<T>): Promise<T> {
			busy++;
			return await work().finally(() => busy--);
		},
		/**
		 * Lets time pass until `work` is done.
		 * @param quietTurns turns of the event loop after which everybody waits. Code that isn't ours needs more.
		 */
		async run<T>(work: Promise<T>, quietTurns = 1): Promise<T> {
			let isDone = false;
			const done = work.finally(() => (isDone = true));
			done.catch(() => {});
			for (let quiet = 0; !isDone;) {
				await new Promise((resolve) => setImmediate(resolve));
				quiet = busy > 0 ? 0 : quiet + 1;
				if (isDone || quiet < quietTurns) continue;
				const next = timers.pop();
				if (!next) continue;
				quiet = 0;
				now = Math.max(now, next.at);
				next.wake();
				// Timers due at the same time fire at the same time.
				while (timers.length > 0 && timers[timers.length - 1].at <= now) timers.pop()!.wake();
			}
			return await done;
		},
		/** Replacements for the globals, for code that takes no clock */
		timers: {
			setTimeout(work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): object {
				const timer = { at: now + Math.max(0, ms), wake: () => work(...given) };
				add(timer);
				const handle = { timer, ref: () => handle, unref: () => handle, hasRef: () => true };
				return handle;
			},
			clearTimeout: (handle?: object) => remove((handle as { timer?: Timer } | undefined)?.timer!),
		},
		/** Removes all timers. */
		removeTimers: () => void timers.splice(0),
	};
}
