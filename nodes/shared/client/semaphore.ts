/** Runs at most `allows` pieces of work at once. The others wait for a permit, first come, first served. */
export class Semaphore {
	private free: number;

	private readonly waiting: Array<() => void> = [];

	constructor(permits: number) {
		this.free = permits;
	}

	/** Resolves when there is a permit. Every call needs one call of `release` afterwards. */
	async acquire(): Promise<void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	/** Gives a permit back, to the next in line if there is one. */
	release(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.free++;
	}

	/** Runs `work` with a permit. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		await this.acquire();
		try {
			return await work();
		} finally {
			this.release();
		}
	}
}
