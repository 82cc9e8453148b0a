// Texts with wildcards. A parsed pattern is a text with two characters that no request can match.

/** Any text */
export const ANY = '\uFDD0';
/** One character */
export const ONE = '\uFDD1';

export const hasWildcard = (text: string): boolean => text.includes(ANY) || text.includes(ONE);

/** Parses `*` and `?`. A backslash before one of them, or before a backslash, makes it literal. */
export const parsePattern = (pattern: string): string =>
	pattern
		.replace(/[\uFDD0\uFDD1]/g, '\uFFFD')
		.replace(/\\[\\*?]|\*+|\?/g, (found) =>
			found.startsWith('\\') ? found[1] : found === '?' ? ONE : ANY,
		);

/** Returns a text as rules that deny or ask compare it: some systems don't distinguish cases and forms of a letter. */
export const foldCase = (text: string): string =>
	/^[\0-\x7F]*$/.test(text)
		? text.toLowerCase()
		: text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

export const escapePattern = (text: string): string => text.replace(/[\\*?]/g, '\\$&');

/** Remaining comparisons of characters for all rules of a poll, so that no request stalls n8n. */
export interface MatchBudget {
	left: number;
}

export const MATCH_BUDGET = 400_000;

/** From then on no pattern matches, and what was compared decides nothing. */
export const isSpent = ({ left }: MatchBudget): boolean => left < 0;

/** Returns true if the comparison can be paid. */
function pay(budget: MatchBudget, cost: number): boolean {
	budget.left -= cost;
	return !isSpent(budget);
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
function findInOrder(literals: readonly string[], text: string): boolean {
	let from = 0;
	for (const literal of literals) {
		const at = text.indexOf(literal, from);
		if (at < 0) return false;
		from = at + literal.length;
	}
	return true;
}

/** A parsed pattern or a part of it, prepared for many comparisons */
export class Glob {
	readonly text: string;
	readonly isLiteral: boolean;
	/** Texts around the wildcards. Most patterns never need them. */
	private literals: readonly string[] | undefined;

	constructor(text: string) {
		this.text = text;
		this.isLiteral = !hasWildcard(text);
	}

	/** Returns whether a text can match both this and another text with wildcards. Says yes if it isn't sure. */
	canMeet(other: string, budget: MatchBudget): boolean {
		if (!pay(budget, 1)) return false;
		const [one, two] = [this.text, other].map((text) => text.split(/[\uFDD0\uFDD1]/));
		const [head, otherHead] = [one[0], two[0]];
		const [tail, otherTail] = [one.pop()!, two.pop()!];
		const isPrefix = head.startsWith(otherHead) || otherHead.startsWith(head);
		return isPrefix && (tail.endsWith(otherTail) || otherTail.endsWith(tail));
	}

	matches(text: string, budget: MatchBudget, guards?: Guards): boolean {
		if (!pay(budget, 1)) return false;
		if (this.isLiteral) return text === this.text;
		const [head, ...others] = (this.literals ??= this.text.split(/[\uFDD0\uFDD1]/));
		const tail = others.pop()!;
		if (text.length < head.length + tail.length) return false;
		if (!text.startsWith(head) || !text.endsWith(tail)) return false;
		const rest = text.slice(head.length);
		if (!guards && !this.text.includes(ONE))
			return (
				pay(budget, rest.length >> 4) &&
				findInOrder(others, rest.slice(0, rest.length - tail.length))
			);
		const glob = this.text.slice(head.length);
		if (!pay(budget, rest.length * glob.length)) return false;
		return matchGuarded(glob, rest, guards?.subarray(head.length));
	}
}
