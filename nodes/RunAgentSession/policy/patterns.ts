/** Remaining comparisons of characters for a request, so that no request stalls n8n. */
export interface MatchBudget {
	left: number;
}

/** About a tenth of a second. A session can have a hundred requests. */
export const MATCH_BUDGET = 3_000_000;

/** Each token is `*`, `?`, or one literal character, which may be escaped. */
export type Glob = ReadonlyArray<{ token: string; character: string }>;

/** Text that only the shell knows, such as a variable's value. It can be any text. */
export const UNKNOWN_PART = '\uFFFF';

export interface MatchText {
	characters: readonly string[];
	/** Returns whether the wildcard `glob[part]` can match `characters[at]`. By default, it can. */
	canMatch?: (part: number, at: number) => boolean;
	hasUnknown?: boolean;
}

/** `*` matches any characters, `?` matches one, and a backslash makes the next character literal. */
export const parseGlob = (pattern: string): Glob =>
	[...pattern.matchAll(/\\?([\s\S])/gu)].map(([token, character]) => ({ token, character }));

export const escapeGlob = (text: string): string => text.replace(/[\\*?,\n]|^\s|\s$/g, '\\$&');

export const isWhiteSpace = ({ character }: Glob[number]): boolean => character.trim() === '';

/** Trims a glob, but not its escaped white space. */
export function trimGlob(glob: string): string {
	const started = glob.trimStart();
	const trimmed = started.trimEnd();
	let end = trimmed.length;
	while (trimmed[end - 1] === '\\') end--;
	const isEscaped = (trimmed.length - end) % 2 === 1;
	return isEscaped ? started.slice(0, trimmed.length + 1) : trimmed;
}

/** Returns a literal part of a glob, after its author's text. A backslash at the end of that text stays one. */
export const literalAfter = (before: string, value: string): string => {
	const [backslashes] = /\\*$/.exec(before)!;
	return (backslashes.length % 2 === 1 ? '\\' : '') + escapeGlob(value);
};

/** Matches a text by character. `places` are the glob's places that the text has reached, in ascending order. */
class GlobMatch {
	private places: number[] = [];
	private before: number[] = [];
	private readonly stars: readonly boolean[];
	/** Place from which a star matches the rest of any text */
	private readonly settledAt: number;
	private readonly glob: Glob;
	private readonly text: MatchText;
	private readonly budget: MatchBudget;

	constructor(glob: Glob, text: MatchText, budget: MatchBudget) {
		this.glob = glob;
		this.text = text;
		this.budget = budget;
		this.stars = glob.map(({ token }) => token === '*');
		this.settledAt = !text.canMatch && this.stars[glob.length - 1] ? glob.length : Infinity;
		this.add(0);
	}

	/** Adds a place, and the places after its stars, which can match nothing. */
	private add(place: number): void {
		for (let part = place; ; part++) {
			// A star that matches anything reaches all places that an earlier place reaches.
			if (this.stars[part] && !this.text.canMatch) this.places.length = 0;
			const last = this.places[this.places.length - 1] ?? -1;
			if (part > last) this.places.push(part);
			if (!this.stars[part]) return;
		}
	}

	/** Advances by one character. Returns false if the budget is spent. */
	private step(at: number): boolean {
		[this.before, this.places] = [this.places, this.before];
		this.places.length = 0;
		this.budget.left--;
		for (const part of this.before) {
			if (part === this.glob.length) continue;
			const { token, character } = this.glob[part];
			if (this.stars[part] || token === '?') {
				const isMatch = this.text.canMatch?.(part, at) ?? true;
				if (isMatch) this.add(this.stars[part] ? part : part + 1);
			} else if (character === this.text.characters[at]) this.add(part + 1);
		}
		this.budget.left -= Math.max(0, this.before.length - 2);
		return this.budget.left >= 0;
	}

	/** Skips characters that change nothing: after a star, those that differ from its next character. */
	private skip(start: number): number {
		const [star, next] = this.places;
		const isWaiting = this.places.length === 2 && this.stars[star] && !this.text.canMatch;
		const { token, character } = this.glob[next] ?? {};
		if (!isWaiting || token === '?' || next === this.settledAt) return start;
		const { characters } = this.text;
		const most = Math.min(characters.length, start + this.budget.left);
		let at = start;
		while (at < most && characters[at] !== character && characters[at] !== UNKNOWN_PART) at++;
		this.budget.left -= at - start;
		return at;
	}

	run(): boolean | undefined {
		const { characters, hasUnknown } = this.text;
		if (this.budget.left-- <= 0) return undefined;
		for (let at = this.skip(0); at < characters.length; at = this.skip(at + 1)) {
			if (this.places.length === 0) return false;
			if (this.places[this.places.length - 1] === this.settledAt) return true;
			if (hasUnknown && characters[at] === UNKNOWN_PART) {
				const [first] = this.places;
				for (let part = first; part <= this.glob.length; part++) this.add(part);
			} else if (this.budget.left <= 0 || !this.step(at)) return undefined;
		}
		return this.places[this.places.length - 1] === this.glob.length;
	}
}

/** Returns whether the glob matches the whole text, or undefined if the budget is spent. */
export const matchesGlob = (
	glob: Glob,
	text: MatchText,
	budget: MatchBudget,
): boolean | undefined => new GlobMatch(glob, text, budget).run();
