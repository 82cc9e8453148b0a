import type { Clock } from './clock';

/** Lets a 429 slow down everything that shares it: nobody sends before the time the service asked for is over. */
export class Pace {
	private notBefore = 0;

	/** @param untilMs a time as the clock gives it */
	slowDown(untilMs: number): void {
		this.notBefore = Math.max(this.notBefore, untilMs);
	}

	/** Milliseconds from `nowMs` until sending is allowed; 0 when it is. */
	waitMs(nowMs: number): number {
		return Math.max(0, this.notBefore - nowMs);
	}

	async ready(clock: Clock): Promise<void> {
		for (let wait = this.waitMs(clock.now()); wait > 0; wait = this.waitMs(clock.now()))
			await clock.pause(wait);
	}
}
