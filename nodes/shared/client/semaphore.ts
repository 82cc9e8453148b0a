/** Runs at most `permits` pieces of work at once. The others wait for a slot, first come, first served. */
export class Semaphore {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(permits: number) {
		this.free = permits;
	}

	/** Resolves when a slot is free. Call `release` afterwards. */
	async acquire(): Promise<void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	/** Frees a slot, for the next in line if there is one. */
	release(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.free++;
	}

	/** Runs `work` in a slot. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		await this.acquire();
		try {
			return await work();
		} finally {
			this.release();
		}
	}
}
