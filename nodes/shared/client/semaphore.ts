/** Runs at most `limit` tasks at once, first come, first served. */
export class Semaphore {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(limit: number) {
		this.free = limit;
	}

	async acquire(): Promise<void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	release(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.free++;
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
		await this.acquire();
		try {
			return await work();
		} finally {
			this.release();
		}
	}
}
