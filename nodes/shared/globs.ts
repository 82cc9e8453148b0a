// Texts with wildcards. A parsed pattern is a text with two characters that no request can match.

/** Any text */
export const ANY = '\uFDD0';
/** Any folders, as a name of a path */
export const DEEP = ANY + ANY;
/** One character */
const ONE = '\uFDD1';

export const hasWildcard = (text: string): boolean => text.includes(ANY) || text.includes(ONE);

/** Parses `*` and `?`. A backslash before one of them, or before a backslash, makes it literal. `**` and a slash stay two characters. */
export const parsePattern = (pattern: string): string =>
	pattern
		.replace(/[\uFDD0\uFDD1]/g, '\uFFFD')
		.replace(/\\[\\*?]|\*{2,}(?=\/)|\*+|\?/g, (found, at: number) => {
			if (found.startsWith('\\')) return found[1];
			if (found === '?') return ONE;
			return found.length > 1 && pattern[at + found.length] === '/' ? DEEP : ANY;
		});

const MAX_DEEP = 4;

/** Returns a parsed pattern's forms, because two stars and a slash can also be nothing. */
export function listDeepForms(parsed: string): string[] {
	const [first, ...others] = parsed.split(/(?<=^|[/=:])\uFDD0\uFDD0\//);
	const joints = others.length > MAX_DEEP ? [`${ANY}/`] : [`${ANY}/`, ''];
	return others.reduce(
		(all, other) => all.flatMap((form) => joints.map((joint) => form + joint + other)),
		[first],
	);
}

/** Returns a text as rules that deny or ask compare it: some systems don't distinguish cases and forms of a letter. */
export const foldCase = (text: string): string =>
	/^[\0-\x7F]*$/.test(text)
		? text.toLowerCase()
		: text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

export const escapePattern = (text: string): string => text.replace(/[\\*?]/g, '\\$&');

/** `~` and `C:` aren't folders that `..` leaves. */
const ROOT = /^~|:$/;

/** Removes `//`, `./`, `a/../` and a last `/`. */
export function normalizePath(path: string): string {
	if (!path.includes('/')) return path;
	const keptSegments: string[] = [];
	for (const [index, segment] of path.split('/').entries()) {
		const last = keptSegments[keptSegments.length - 1] ?? '..';
		if (segment === '.' || (segment === '' && index > 0)) continue;
		if (segment !== '..') keptSegments.push(segment);
		else if (last === '..' || hasWildcard(last) || ROOT.test(last)) keptSegments.push(segment);
		else if (last !== '') keptSegments.pop();
	}
	return keptSegments.length === 1 && keptSegments[0] === '' ? '/' : keptSegments.join('/') || '.';
}

/** Positions of a text that are 1 if neither a wildcard matches them, nor a text right after a wildcard */
export type Guards = Uint8Array;

/** Compared with a text character by character, with each wildcard at each place */
function matchGuarded(glob: string, text: string, guards: Guards | undefined): boolean {
	/** By place in the pattern: 1 if what is before it matches the text so far */
	let reached = new Uint8Array(glob.length + 1);
	let next = new Uint8Array(glob.length + 1);
	reached[0] = 1;
	for (let at = 0; ; at++) {
		const isLowSurrogate = text[at] >= '\uDC00' && text[at] <= '\uDFFF';
		for (let place = 0; place < glob.length; place++) {
			const token = glob[place];
			if (token === ANY) reached[place + 1] |= reached[place];
			const isTyped = !guards?.[at] || !hasWildcard(glob[place - 1] ?? '');
			if (token === text[at] && isTyped) next[place + 1] |= reached[place];
			if (guards?.[at]) continue;
			if (token === ANY) next[place] |= reached[place];
			if (token === ONE) next[place + 1] |= reached[isLowSurrogate ? place + 1 : place];
		}
		if (at === text.length) return reached[glob.length] === 1;
		[reached, next] = [next, reached.fill(0)];
	}
}

/** Finds each text at its first place, which is enough if the wildcards between them match anything. */
function findInOrder(literals: readonly string[], text: string, start: number, end: number) {
	let from = start;
	for (const literal of literals) {
		const at = text.indexOf(literal, from);
		if (at < 0) return false;
		from = at + literal.length;
	}
	return from <= end;
}

/** A parsed pattern or a part of it, prepared for many comparisons */
export class Glob {
	readonly text: string;
	readonly isLiteral: boolean;
	/** True if it matches texts of one length only */
	private readonly isFixed: boolean;
	/** Texts around the wildcards */
	private readonly head: string;
	private readonly between: readonly string[];
	private readonly tail: string;

	constructor(text: string) {
		this.text = text;
		this.isLiteral = !hasWildcard(text);
		this.isFixed = !text.includes(ANY);
		const [head, ...others] = this.isLiteral ? [text] : text.split(/[\uFDD0\uFDD1]/);
		this.head = head;
		this.tail = others.pop() ?? head;
		this.between = others;
	}

	/** Returns whether a text can match both this and another one. Says yes if it isn't sure. */
	canMeet(other: Glob): boolean {
		if (this.isLiteral && other.isLiteral) return this.text === other.text;
		if (this.isFixed && other.isFixed && this.text.length !== other.text.length) return false;
		return (
			(this.head.startsWith(other.head) || other.head.startsWith(this.head)) &&
			(this.tail.endsWith(other.tail) || other.tail.endsWith(this.tail))
		);
	}

	matches(text: string, guards?: Guards): boolean {
		const { head, tail } = this;
		if (this.isLiteral) return text === this.text;
		if (text.length < head.length + tail.length) return false;
		if (!text.startsWith(head) || !text.endsWith(tail)) return false;
		if (!guards && !this.text.includes(ONE))
			return findInOrder(this.between, text, head.length, text.length - tail.length);
		return matchGuarded(
			this.text.slice(head.length),
			text.slice(head.length),
			guards?.subarray(head.length),
		);
	}
}

/** Stands in a list of the shell, but doesn't end it: `[[:alpha:]]`, `[]a]`, and in zsh `[!/]` */
const INNER_BRACKET =
	/\[([:.=])[^[\]]{1,20}\1\]|(?<=(?<![^\s/])[^[\s/]*\[[!^]?)\]|(?<=\[[^[\]\s/]*)\/(?=[^[\]\s/]*\])/g;

/** Returns a text with one wildcard in place of each `[abc]`. A regular expression would search all of `[[[[` at each bracket. */
function mergeClasses(text: string): string {
	const segments = text.replace(INNER_BRACKET, '_').split(']');
	const rest = segments.pop()!;
	const mergedSegments = segments.map((segment) => {
		const at = segment.indexOf('[', segment.lastIndexOf('/') + 1);
		return at < 0 || at === segment.length - 1 ? `${segment}]` : segment.slice(0, at) + ONE;
	});
	return mergedSegments.join('') + rest;
}

/** Returns a text of the shell with its wildcards. A list that is left, and `{1..3}`, can be anything. */
export function toGlob(token: string): string {
	const start = token.search(/[{]/);
	const end = token.lastIndexOf('}');
	const isExpanded = 0 <= start && start < end && /,|\.\./.test(token.slice(start, end));
	const text = isExpanded ? token.slice(0, start) + ANY + token.slice(end + 1) : token;
	return mergeClasses(text)
		.replace(/(?<![^/])\*{2,}(?![^/])/g, DEEP)
		.replace(/\*+/g, ANY)
		.replace(/\?/g, ONE);
}

/** A name of wildcards only, or of wildcards and dots */
const BARE = /(?<![^\s/=:,{}<>()])\.*[*?\uFDD1][*?.\uFDD1]*(?![^\s/=:,{};|&<>()])/;

/** The same as a word of a command in quotation marks, if no blank and word follow: `trap 'cat "x/"*' EXIT`, not `'select * from x'` */
const BARE_IN_CODE = /[\s<{,](?:[^\s<{,]*\/)?[*?\uFDD1]+(?=\/\w|\s*(?:[;|&}]|$))/;
/** What the shell takes as it is. A comment can have a quotation mark alone. */
const TAKEN = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|(?<![^\s;|&()])#[^\n]*/g;

/** Returns whether the shell, or a program that runs a text in quotation marks, can make any name of a wildcard. */
export function hasBare(text: string): boolean {
	const mask = (taken: string): string => {
		const code = mergeClasses(taken.replace(/['"\\]/g, ''));
		return BARE_IN_CODE.test(code) ? code : taken.replace(/[*?[\]]/g, '_');
	};
	// The text of a `<<` can have a quotation mark alone, too.
	const opened = text.includes('<<') ? text : text.replace(TAKEN, mask);
	return BARE.test(mergeClasses(opened.replace(/['"\\]/g, '')));
}
