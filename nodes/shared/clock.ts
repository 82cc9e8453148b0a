import { sleep } from 'n8n-workflow';

/** Thrown out of a wait or a request when the execution is stopped. */
export class Stopped extends Error {
	constructor() {
		super('The execution was canceled');
	}
}

/** Time as the nodes see it. Everything that waits or looks at the time takes one, so that a test can bring its own. */
export interface Clock {
	/** Milliseconds since 1970 */
	now(): number;
	/** @throws Stopped at once when the execution is stopped */
	pause(ms: number): Promise<void>;
	/** @throws Stopped when the execution was stopped */
	throwIfStopped(): void;
}

/** The real time. `sleep` ends early with the signal only from n8n 2.34 on; before that the race does, and an idle timer is left. */
export function clockWith(signal: AbortSignal | undefined): Clock {
	const throwIfStopped = () => {
		if (signal?.aborted) throw new Stopped();
	};
	return {
		now: Date.now,
		throwIfStopped,
		async pause(ms) {
			throwIfStopped();
			if (!signal) return await sleep(ms);
			let onAbort: () => void = () => {};
			const stopped = new Promise<never>((_, reject) => {
				onAbort = () => reject(new Stopped());
				signal.addEventListener('abort', onAbort);
			});
			try {
				await Promise.race([stopped, sleep(ms, signal)]);
			} finally {
				signal.removeEventListener('abort', onAbort);
			}
		},
	};
}
