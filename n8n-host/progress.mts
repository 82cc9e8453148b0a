// How far an installation is, from the packages that npm has unpacked.

/** Returns a duration for people. */
export const formatDuration = (seconds: number): string =>
	seconds < 90
		? `about ${Math.ceil(seconds / 10) * 10} s`
		: `about ${Math.round(seconds / 60)} minutes`;

const PROGRESS = /^installing .+: \d+ %/;

export const isProgress = (line: string): boolean => PROGRESS.test(line);

/**
 * Returns a function that describes the progress, from the number of unpacked packages. The time left is that of the packages since the
 * first one, because npm asks for all packages before it unpacks any.
 */
export function trackProgress(
	name: string,
	total: number,
): (unpacked: number, now: number) => string {
	let first: { unpacked: number; at: number } | undefined;
	return (unpacked, now) => {
		const percent = `installing ${name}: ${Math.floor((100 * unpacked) / total)} %`;
		if (unpacked === 0) return percent;
		first ??= { unpacked, at: now };
		const done = unpacked - first.unpacked;
		if (done === 0 || unpacked === total) return percent;
		const seconds = ((now - first.at) / 1000) * ((total - unpacked) / done);
		return `${percent}, ${formatDuration(seconds)} left`;
	};
}
