import type { Clock } from './clock';

/** Lets a 429 slow down everything that shares the gate: nobody sends before the time that the service asked for. */
export class RateLimitGate {
	private notBefore = 0;

	/** @param untilMs a time as the clock gives it */
	closeUntil(untilMs: number): void {
		this.notBefore = Math.max(this.notBefore, untilMs);
	}

	/** Milliseconds from `nowMs` until sending is allowed; 0 when it is. */
	delayMs(nowMs: number): number {
		return Math.max(0, this.notBefore - nowMs);
	}

	/** Waits until sending is allowed. @throws CanceledError when the execution is stopped */
	async pass(clock: Clock): Promise<void> {
		for (let delay = this.delayMs(clock.now()); delay > 0; delay = this.delayMs(clock.now()))
			await clock.sleep(delay);
	}
}
