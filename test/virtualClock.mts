// Simulated time for many things that wait side by side: it moves on to the next timer whenever everybody waits.
import { CanceledError } from '../nodes/shared/base/errors.ts';
import type { Clock } from '../nodes/shared/transport/clock.ts';

interface Timer {
	at: number;
	wake: () => void;
}

export function createVirtualClock(start = 0) {
	let now = start;
	let busy = 0;
	const timers: Timer[] = [];

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

	const sleep = async (ms: number) =>
		await new Promise<void>((wake) => add({ at: now + Math.max(0, ms), wake }));

	return {
		now: () => now,
		sleep,
		/** A clock for one execution, which `signal` stops */
		clockFor(signal?: AbortSignal): Clock {
			const throwIfAborted = () => {
				if (signal?.aborted) throw new CanceledError();
			};
			const untilAborted = async <T,>(work: Promise<T>): Promise<T> => {
				throwIfAborted();
				if (!signal) return await work;
				let onAbort = () => {};
				const aborted = new Promise<never>((_, reject) => {
					onAbort = () => reject(new CanceledError());
					signal.addEventListener('abort', onAbort);
				});
				return await Promise.race([work, aborted]).finally(() =>
					signal.removeEventListener('abort', onAbort),
				);
			};
			return {
				now: () => now,
				throwIfAborted,
				untilAborted,
				sleep: async (ms) => await untilAborted(sleep(ms)),
			};
		},
		/** Time stands still for as long as `work` takes. */
		async whileBusy<T>(work: () => Promise<T>): Promise<T> {
			busy++;
			return await work().finally(() => busy--);
		},
		/** Lets time pass until `work` is done. */
		async run<T>(work: Promise<T>): Promise<T> {
			let isDone = false;
			const done = work.finally(() => (isDone = true));
			done.catch(() => {});
			while (!isDone) {
				await new Promise((resolve) => setImmediate(resolve));
				if (isDone || busy > 0) continue;
				const next = timers.pop();
				if (!next) continue;
				now = Math.max(now, next.at);
				next.wake();
				// What is due at the same moment happens at the same moment.
				while (timers.length > 0 && timers[timers.length - 1].at <= now) timers.pop()!.wake();
			}
			return await done;
		},
	};
}

export type VirtualClock = ReturnType<typeof createVirtualClock>;
