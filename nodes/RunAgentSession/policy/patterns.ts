/** What may still be spent on comparing, counted in single comparisons of a character, so that no request can stall n8n. */
export interface MatchBudget {
	left: number;
}

/** For the rules of one reading: about a fifth of a second */
export const MATCH_BUDGET = 10_000_000;

/** A glob taken apart: each part is `*`, `?`, or the one character that it stands for. */
export type Glob = ReadonlyArray<{ token: string; character: string }>;

/** A text by its characters, and where no wildcard reaches: only what the glob says literally matches there. */
export interface GuardedText {
	characters: readonly string[];
	guarded?: readonly boolean[];
}

/** `*` stands for any characters (slashes and spaces too), `?` for one, `\` makes the next character plain. */
export const parseGlob = (pattern: string): Glob =>
	[...pattern.matchAll(/\\?([\s\S])/gu)].map(([token, character]) => ({ token, character }));

/** The text so that a glob matches nothing but it. */
export const escapeGlob = (text: string): string => text.replace(/[\\*?,\n]/g, '\\$&');

/** Whether the glob matches all of the text; undefined when the effort is spent before that is known. */
export function matchesGlob(
	glob: Glob,
	{ characters, guarded = [] }: GuardedText,
	effort: MatchBudget,
): boolean | undefined {
	// A call costs something even where there is nothing to compare.
	effort.left--;
	let part = 0;
	let at = 0;
	let star = -1;
	let starAt = 0;
	while (at < characters.length) {
		if (effort.left-- <= 0) return undefined;
		const token = glob[part]?.token;
		if (token === '*') {
			star = part++;
			// What is left of the glob matches anything: no need to walk there. A star alone says so in so many words.
			if (part === glob.length) return part === 1 || guarded.indexOf(true, at) < 0;
			starAt = at;
		} else if (
			token === '?' ? !guarded[at] : token !== undefined && glob[part].character === characters[at]
		) {
			part++;
			at++;
		} else if (star >= 0 && !guarded[starAt]) {
			part = star + 1;
			at = ++starAt;
		} else {
			return false;
		}
	}
	while (glob[part]?.token === '*') part++;
	return part === glob.length;
}
