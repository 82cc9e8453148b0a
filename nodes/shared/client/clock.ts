import { sleep } from 'n8n-workflow';

import { CanceledError } from '../errors';

/** Time as the nodes see it. Everything that waits or needs the time takes one, so that a test can bring its own. */
export interface Clock {
	/** Milliseconds since 1970 */
	now(): number;
	/**
	 * Waits.
	 * @param signal of the execution; without one the wait goes on after Stop
	 * @throws CanceledError at once when the execution is stopped
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const TIMED_OUT = Object.assign(new Error('It took too long'), { code: 'ETIMEDOUT' });

/** Why a timer ends early. Without a reason of ours each would make an error with a stack. */
const WORK_DONE = new Error('The time is not needed any more');

/** What a timer takes; a longer delay would fire at once. */
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
 * The result of `work`, unless Stop comes first, or the time is over. `sleep` of n8n-workflow ends with a signal only from n8n
 * 2.34 on; before that an idle timer is left, and must hold nothing of the result: so no function here sees `work`.
 * @param ms how long it may take; for ever without
 * @param work gets a signal that comes when it fails, or is not waited for any more
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
	const [timer, over] = [new AbortController(), new AbortController()];
	if (ms !== undefined)
		void sleep(Math.min(ms, MAX_TIMER_MS), timer.signal).then(
			() => fail(TIMED_OUT),
			() => {},
		);
	work(over.signal).then((value) => settle?.resolve(value), fail);
	if (signal?.aborted) fail(new CanceledError());
	try {
		return await result.catch((error: unknown) => {
			over.abort(WORK_DONE);
			throw error;
		});
	} finally {
		settle = undefined;
		timer.abort(WORK_DONE);
		ignore();
	}
}

/** The real time. */
export const realClock: Clock = {
	now: () => Date.now(),
	async sleep(ms, signal) {
		const wait = Math.min(ms, MAX_TIMER_MS);
		await withTimeout(signal, undefined, async (over) => await sleep(wait, over));
	},
};
