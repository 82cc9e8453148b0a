import type { Guards } from './globs';
import { findRunningWords } from './programs';

// The places of a command that no wildcard of an approval matches.

/** Leads out of the folder, as `C:\x` and `\\server` of Windows do. A space is in quotation marks, where it counts as a letter. */
const OUTSIDE =
	/(?<![\p{L}\p{N}\p{M}._/)\]}*\s])\/|(?<![\p{L}\p{N}\p{M}\s])~|(?<![\p{L}\p{N}\p{M}.\s])\.\.(?![\p{L}\p{N}\p{M}.])|(?<![\p{L}\p{N}\p{M}])(?:[a-z]:\\|\\\\)/giu;
/** Glued to a short option: `-I/x`, `-C..`, `-I~/x`, `-IC:\x` */
const GLUED = /^-[\p{L}\p{N}]*(\/|~|\.\.(?![\p{L}\p{N}\p{M}.])|:\\|\\\\)/u;
/** Begins an address on another machine. A letter alone is a drive, and `file://` is here. */
const SCHEME = /(?<![a-z\d+.-])(?![a-z\d+.-]*file)[a-z][a-z\d+.-]+:\/\/(?!\/)/gi;
/** Returns the places that lead out of the folder, or by which the program runs others. */
function guardWord(word: string, isRunning: boolean): Guards | undefined {
	const guards = new Uint8Array(word.length).fill(isRunning ? 1 : 0);
	const text = word.replace(SCHEME, (found) => 'x'.repeat(found.length));
	for (const { 0: found, index } of text.matchAll(OUTSIDE))
		guards.fill(1, index, index + found.length);
	const [glued = '', out = ''] = GLUED.exec(text) ?? [];
	guards.fill(1, glued.length - out.length, glued.length);
	return guards.includes(1) ? guards : undefined;
}

/** Returns the guarded places of each word. */
export function guardWords(words: readonly string[]): Array<Guards | undefined> {
	const running = findRunningWords(words);
	return words.map((word, at) => guardWord(word, running.has(at)));
}
