import { sleep } from 'n8n-workflow';

import { CanceledError } from '../errors/errors';
import { LIMITS } from '../limits';

/** Time as the nodes see it. Everything that waits or needs the time takes one, so that a test can bring its own. */
export interface Clock {
	/** Milliseconds since 1970 */
	now(): number;
	/** @throws CanceledError at once when the execution is stopped */
	sleep(ms: number): Promise<void>;
	/** @throws CanceledError when the execution was stopped */
	throwIfAborted(): void;
}

/**
 * The real time. `sleep` of n8n-workflow ends early with a signal only from n8n 2.34 on; before that the race does, and an idle
 * timer is left.
 */
export function clockWith(signal: AbortSignal | undefined): Clock {
	const throwIfAborted = () => {
		if (signal?.aborted) throw new CanceledError();
	};
	return {
		now: Date.now,
		throwIfAborted,
		async sleep(ms) {
			throwIfAborted();
			const delay = Math.min(ms, LIMITS.timerMs);
			if (!signal) return await sleep(delay);
			let onAbort: () => void = () => {};
			const aborted = new Promise<never>((_, reject) => {
				onAbort = () => reject(new CanceledError());
				signal.addEventListener('abort', onAbort);
			});
			try {
				await Promise.race([aborted, sleep(delay, signal)]);
			} finally {
				signal.removeEventListener('abort', onAbort);
			}
		},
	};
}
