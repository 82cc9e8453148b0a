import { sleep } from 'n8n-workflow';

import { CanceledError } from '../errors';
import { getOrAdd } from '../values';

/** Everything that waits or needs the time takes a clock, so that a test can bring its own. */
export interface Clock {
	/** Returns milliseconds since 1970, for display and storage. Jumps when someone sets the system clock. */
	now(): number;
	/** Returns milliseconds that never decrease, for deadlines, ages and waits. They mean nothing outside of this process. */
	monotonicMs(): number;
	/** Continues after Stop if there's no signal. @throws CanceledError at once when the execution is stopped */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const TIMED_OUT = Object.assign(new Error('It took too long'), { code: 'ETIMEDOUT' });

/** Shared reason to abort, because each abort without one creates an error with a stack */
const WORK_DONE = new Error('The time is not needed any more');

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Spares a signal a listener for each of the callbacks under way. */
const abortCallbacks = new WeakMap<AbortSignal, Set<() => void>>();

/** Adds one listener for all callbacks, because a signal goes through its listeners whenever one is added. */
function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	const callbacks = getOrAdd(abortCallbacks, signal, () => {
		const all = new Set<() => void>();
		signal.addEventListener('abort', () => all.forEach((each) => each()));
		return all;
	});
	callbacks.add(callback);
	return () => callbacks.delete(callback);
}

/**
 * Limits the time for `work`. Before n8n 2.34, `sleep` ignores its signal. No function here sees `work`, so idle timers don't hold its result.
 * @param work gets a signal that is aborted when the call is over, however it ends
 * @throws TIMED_OUT after `ms`, or CanceledError at once when the execution is stopped, even if `work` continues
 */
export async function withTimeout<T>(
	signal: AbortSignal | undefined,
	ms: number | undefined,
	work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
	let settle: { resolve(value: T): void; reject(error: unknown): void } | undefined;
	const result = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
	const fail = (error: unknown) => settle?.reject(error);
	const ignore = onAbort(signal, () => fail(new CanceledError()));
	const over = new AbortController();
	if (ms !== undefined)
		void sleep(Math.min(ms, MAX_TIMER_MS), over.signal).then(
			() => fail(TIMED_OUT),
			() => {},
		);
	work(over.signal).then((value) => settle?.resolve(value), fail);
	if (signal?.aborted) fail(new CanceledError());
	try {
		return await result;
	} finally {
		settle = undefined;
		over.abort(WORK_DONE);
		ignore();
	}
}

export const realClock: Clock = {
	now: () => Date.now(),
	monotonicMs: () => Math.floor(performance.now()),
	async sleep(ms, signal) {
		const wait = Math.min(ms, MAX_TIMER_MS);
		await withTimeout(signal, undefined, async (over) => await sleep(wait, over));
	},
};
