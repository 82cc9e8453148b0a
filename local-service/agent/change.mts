// What an edit would change, as agents put it into the metadata of a request.
import type { Change } from './directives.mts';

const toLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Returns the number of lines that two texts have in common at their start. */
function countCommon(one: readonly string[], other: readonly string[]): number {
	const at = one.findIndex((line, index) => line !== other[index]);
	return at < 0 ? one.length : at;
}

const range = (lines: readonly string[]) => `${lines.length > 0 ? 1 : 0},${lines.length}`;

/** A unified diff with all lines of both texts. */
function toDiff(path: string, before: string, after: string): string {
	const [old, current] = [toLines(before), toLines(after)];
	const start = countCommon(old, current);
	const end = countCommon(old.slice(start).reverse(), current.slice(start).reverse());
	const signed = (sign: string, lines: string[]) => lines.map((line) => sign + line);
	return [
		`--- a/${path}`,
		`+++ b/${path}`,
		`@@ -${range(old)} +${range(current)} @@`,
		...signed(' ', old.slice(0, start)),
		...signed('-', old.slice(start, old.length - end)),
		...signed('+', current.slice(start, current.length - end)),
		...signed(' ', old.slice(old.length - end)),
		'',
	].join('\n');
}

/** The metadata of a request for an edit of its first pattern. */
export function showChange({ form, before, after }: Change, [filePath = '']: readonly string[]) {
	switch (form) {
		case 'diff':
			return { filePath, diff: toDiff(filePath, before, after) };
		case 'texts':
			return { filePath, before, after };
		case 'content':
			return { filePath, content: after };
	}
}
