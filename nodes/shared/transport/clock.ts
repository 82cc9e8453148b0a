import { sleep } from 'n8n-workflow';

import { CanceledError } from '../base/errors';
import { LIMITS } from '../base/limits';

/** Time as the nodes see it. Everything that waits or needs the time takes one, so that a test can bring its own. */
export interface Clock {
	/** Milliseconds since 1970 */
	now(): number;
	/** @throws CanceledError at once when the execution is stopped */
	sleep(ms: number): Promise<void>;
	/** @throws CanceledError when the execution was stopped */
	throwIfAborted(): void;
	/** The result of `work`. @throws CanceledError at once when the execution is stopped, whatever becomes of it */
	untilAborted<T>(work: Promise<T>): Promise<T>;
}

/**
 * The real time. `sleep` of n8n-workflow ends early with a signal only from n8n 2.34 on; before that the race does, and an idle
 * timer is left.
 */
export function clockWith(signal: AbortSignal | undefined): Clock {
	const throwIfAborted = () => {
		if (signal?.aborted) throw new CanceledError();
	};
	// One listener for all that wait: a signal goes through its listeners whenever one is added.
	const waiting = new Set<() => void>();
	const abortAll = () => {
		for (const abort of waiting) abort();
	};
	const untilAborted = async <T>(work: Promise<T>): Promise<T> => {
		throwIfAborted();
		if (!signal) return await work;
		return await new Promise<T>((resolve, reject) => {
			const abort = () => reject(new CanceledError());
			if (waiting.size === 0) signal.addEventListener('abort', abortAll);
			waiting.add(abort);
			void work.then(resolve, reject).finally(() => {
				waiting.delete(abort);
				if (waiting.size === 0) signal.removeEventListener('abort', abortAll);
			});
		});
	};
	return {
		now: Date.now,
		throwIfAborted,
		untilAborted,
		async sleep(ms) {
			throwIfAborted();
			const timer = new AbortController();
			const slept = sleep(Math.min(ms, LIMITS.timerMs), timer.signal);
			await untilAborted(slept).catch((error: unknown) => {
				timer.abort();
				throw error;
			});
		},
	};
}
