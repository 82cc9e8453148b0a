import { Semaphore } from '../../shared/client/semaphore';

/** Calls `work` for each item, at most `concurrency` at once. Waits for all calls, so that none continues unnoticed after an error. */
export async function settleConcurrently<T, R>(
	items: readonly T[],
	concurrency: number,
	work: (item: T, index: number) => Promise<R>,
): Promise<Array<PromiseSettledResult<R>>> {
	const semaphore = new Semaphore(concurrency);
	const all = items.map(async (item, index) => await semaphore.run(() => work(item, index)));
	return await Promise.allSettled(all);
}
