import { sleep } from 'n8n-workflow';

/** Thrown out of a wait or a request when the execution is stopped. */
export class Stopped extends Error {
	constructor() {
		super('The execution was canceled');
	}
}

export function throwIfStopped(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new Stopped();
}

/** Waits, and throws `Stopped` at once when the signal comes. n8n's own `sleep` knows signals only from 2.34 on. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	throwIfStopped(signal);
	if (!signal) return await sleep(ms);
	let onAbort: () => void = () => {};
	const stopped = new Promise<never>((_, reject) => {
		onAbort = () => reject(new Stopped());
		signal.addEventListener('abort', onAbort);
	});
	try {
		await Promise.race([sleep(ms), stopped]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}
