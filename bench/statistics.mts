// Statistics of several rounds.

/** The one in the middle: a round in which the machine was busy with something else does not count. */
export function median(figures: number[]): number {
	const sorted = figures.toSorted((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Calls `work` and says how many milliseconds it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
	const begin = performance.now();
	const result = await work();
	return { result, ms: performance.now() - begin };
}
