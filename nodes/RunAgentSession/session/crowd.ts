// Counts the sessions that wait in this process, in all executions and modes.

let waiting = 0;

export const countWaiting = (): number => waiting;

/** Counts a session while `work` waits for it. */
export async function whileWaiting<T>(work: () => Promise<T>): Promise<T> {
	waiting++;
	try {
		return await work();
	} finally {
		waiting--;
	}
}
