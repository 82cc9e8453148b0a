/** Runs at most so many pieces of work at once; the others wait their turn, in order. */
export class Limiter {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(concurrency: number) {
		this.free = concurrency;
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.free++;
		}
	}
}

/**
 * Calls `work` for every item, at most `concurrency` at once, in order. Results keep the items' order. A call that throws does
 * not keep the others from being made; all are awaited, so that nothing goes on unnoticed.
 */
export async function settleConcurrently<T, R>(
	items: readonly T[],
	concurrency: number,
	work: (item: T, index: number) => Promise<R>,
): Promise<Array<PromiseSettledResult<R>>> {
	const limiter = new Limiter(concurrency);
	const all = items.map(async (item, index) => await limiter.run(() => work(item, index)));
	return await Promise.allSettled(all);
}
