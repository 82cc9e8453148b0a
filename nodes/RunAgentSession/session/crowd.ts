// Counts the sessions that wait in this process, in all executions and modes.

let waiting = 0;

export const countWaiting = (): number => waiting;

export async function countedAsWaiting<T>(work: () => Promise<T>): Promise<T> {
	waiting++;
	try {
		return await work();
	} finally {
		waiting--;
	}
}
