import { foldCase, hasWildcard } from './globs';

// Paths are plain text: brackets, spaces and `&` are characters of file names.

/** `~` and `C:` aren't folders that `..` leaves. */
const ROOT = /^~|:$/;
const DRIVE = /^[a-z]:$/i;
/** Another notation of a path: `file:///x`, and `C:x` in the drive's current folder */
const OTHER_NOTATION = /^(?:file:|[a-z]:(?!\/))/i;

/** Removes `//`, `./`, `a/../` and a last `/`. */
export function normalizePath(path: string): string {
	if (!path.includes('/')) return path;
	const kept: string[] = [];
	for (const [index, segment] of path.split('/').entries()) {
		const last = kept[kept.length - 1] ?? '..';
		if (segment === '.' || (segment === '' && index > 0)) continue;
		if (segment !== '..') kept.push(segment);
		else if (last === '..' || hasWildcard(last) || ROOT.test(last)) kept.push(segment);
		else if (last !== '') kept.pop();
	}
	return kept.length === 1 && kept[0] === '' ? '/' : kept.join('/') || '.';
}

/** `/`, `~`, `C:`, `file:/` or `../` at the start, all of which has to be typed */
const OUT = /^(?:\/|~|[a-z]:|[a-z][a-z\d+.-]*:\/|(?:\.\.(?:\/|$))+)/i;
const UNTYPED = /\p{Cc}|(?<![^/])\.\.(?![^/])/gu;
/** The name that follows `..` or `~`: only the system knows the absolute path. */
const NAME_OUTSIDE = /^(?:~[^/]*|\.\.)(?:\/\.\.)*\/([^/]+)/;

const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Returns a path as denials compare it: some systems don't distinguish cases, `key.`, `key ` and `key::$DATA`. */
export const foldPath = (path: string): string =>
	normalizePath(
		foldCase(path.replace(INVISIBLE, ''))
			.split('/')
			.map((segment, at) => {
				const name = at === 0 && DRIVE.test(segment) ? segment : segment.replace(/:.*$/s, '');
				return /^\.+$/.test(name) ? name : name.replace(/(?<![. ])[. ]+$/, '');
			})
			.join('/')
			.trim(),
	);

export type ComparedPath = ReturnType<typeof comparePath>;

/** Returns a request's path in the forms that rules compare. */
export function comparePath(given: string) {
	const text = normalizePath(given.replaceAll('\\', '/'));
	const folded = foldPath(text);
	const guards = new Uint8Array(text.length);
	guards.fill(1, 0, OUT.exec(text)?.[0].length ?? 0);
	for (const { index } of text.matchAll(UNTYPED)) guards[index] = 1;
	const hasOtherNotation = OTHER_NOTATION.test(text);
	return { text, folded, guards, hasOtherNotation, nameOutside: NAME_OUTSIDE.exec(folded)?.[1] };
}
