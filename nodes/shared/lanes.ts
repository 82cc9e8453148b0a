/** Lets at most so many pieces of work run at once; the others wait their turn, in order. */
export class Lanes {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(count: number) {
		this.free = count;
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
 * Calls `work` for every item, at most `limit` at once, in order. Results keep the items' order. A call that throws does not
 * keep the others from being made; all are awaited, so that nothing goes on behind the caller's back.
 */
export async function settleConcurrently<T, R>(
	items: readonly T[],
	limit: number,
	work: (item: T, index: number) => Promise<R>,
): Promise<Array<PromiseSettledResult<R>>> {
	const lanes = new Lanes(limit);
	return await Promise.allSettled(
		items.map(async (item, index) => await lanes.run(async () => await work(item, index))),
	);
}
