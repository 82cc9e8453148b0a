/**
 * Where the match of a sticky expression ends that starts at `start`.
 * @returns an offset in `text`; `start` itself where nothing matches
 */
export function endOf(sticky: RegExp, text: string, start: number): number {
	sticky.lastIndex = start;
	return sticky.test(text) ? sticky.lastIndex : start;
}
