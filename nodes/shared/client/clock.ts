import { sleep } from 'n8n-workflow';

import { CanceledError } from '../errors';

/** Time as the nodes see it. Everything that waits or needs the time takes one, so that a test can bring its own. */
export interface Clock {
	/** Returns milliseconds since 1970, for what people read and what is saved. It jumps when someone sets the system clock. */
	now(): number;
	/** Returns milliseconds that only ever grow, for deadlines, ages and waits. They mean nothing outside of this process. */
	monotonicMs(): number;
	/**
	 * Waits.
	 * @param signal of the execution; without one the wait continues after Stop
	 * @throws CanceledError at once when the execution is stopped
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const TIMED_OUT = Object.assign(new Error('It took too long'), { code: 'ETIMEDOUT' });

/** The reason to end a timer, and work that nobody waits for any more. Without one, each abort makes an error with a stack. */
const WORK_DONE = new Error('The time is not needed any more');

/** Longest delay of a timer. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const abortCallbacks = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls back when the execution is stopped. One listener for all: a signal goes through its listeners whenever one is added. */
function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	let callbacks = abortCallbacks.get(signal);
	if (!callbacks) {
		const all = new Set<() => void>();
		abortCallbacks.set(signal, (callbacks = all));
		signal.addEventListener('abort', () => all.forEach((each) => each()));
	}
	callbacks.add(callback);
	return () => callbacks.delete(callback);
}

/**
 * Returns the result of `work`, unless Stop comes first or the timeout has passed. `sleep` of n8n-workflow ends with a signal only from
 * n8n 2.34 on. Before that an idle timer is left and must hold nothing of the result, so no function here sees `work`.
 * @param ms how long it may take; without a limit by default
 * @param work gets a signal that is aborted when the call is over, however it ends
 * @throws TIMED_OUT for work that takes longer
 * @throws CanceledError at once when the execution is stopped, whatever becomes of the work
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

/** The real time. */
export const realClock: Clock = {
	now: () => Date.now(),
	monotonicMs: () => Math.floor(performance.now()),
	async sleep(ms, signal) {
		const wait = Math.min(ms, MAX_TIMER_MS);
		await withTimeout(signal, undefined, async (over) => await sleep(wait, over));
	},
};
