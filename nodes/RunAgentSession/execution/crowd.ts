import type { Batch } from './batch';

// Counts the sessions that wait in this process, in all executions.

let waiting = 0;
const counts = new WeakMap<Batch, number>();

export const countWaiting = (): number => waiting;

/** Notes how many sessions of a batch wait now. */
export function noteWaiting(batch: Batch, count: number): void {
	waiting += count - (counts.get(batch) ?? 0);
	counts.set(batch, count);
}
