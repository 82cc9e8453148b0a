/** The remaining comparisons of single characters for a request, so that no request can stall n8n. */
export interface MatchBudget {
	left: number;
}

/** Comparisons for one request. They take about a tenth of a second. A session can have a hundred requests. */
export const MATCH_BUDGET = 3_000_000;

/** A parsed glob: each token is `*`, `?`, or one literal character, which may be escaped. */
export type Glob = ReadonlyArray<{ token: string; character: string }>;

/** A part of a text that only the shell knows, such as the value of a variable. It can be any text. */
export const UNKNOWN_PART = '\uFFFF';

export interface MatchText {
	characters: readonly string[];
	/** Returns whether the wildcard `glob[part]` can match `characters[at]`. By default, every wildcard matches everything. */
	canMatch?: (part: number, at: number) => boolean;
	/** True if `UNKNOWN_PART` in the text can be any text */
	hasUnknown?: boolean;
}

/** Returns the glob's tokens. `*` matches any characters, `?` matches one, and `\` makes the next character literal. */
export const parseGlob = (pattern: string): Glob =>
	[...pattern.matchAll(/\\?([\s\S])/gu)].map(([token, character]) => ({ token, character }));

/** Returns a glob that matches the text and nothing else. */
export const escapeGlob = (text: string): string => text.replace(/[\\*?,\n]/g, '\\$&');

/** Returns a value as a literal part of a glob, after its author's text. A backslash at the end of that text stays one. */
export const literalAfter = (before: string, value: string): string => {
	const [backslashes] = /\\*$/.exec(before)!;
	return (backslashes.length % 2 === 1 ? '\\' : '') + escapeGlob(value);
};

/** A match in progress: the places in the glob that the text has reached so far, in ascending order. */
class GlobMatch {
	private places: number[] = [];
	private before: number[] = [];
	private readonly stars: readonly boolean[];
	/** Places after which a star matches the rest of any text */
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

	/** Advances by one character. Returns whether the budget lasted. */
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

	/** Returns the end of the characters that change nothing. After a star, these are the characters that differ from its next one. */
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

	/** Returns whether the glob matches, or undefined if the budget is spent. */
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

/** Returns whether the glob matches the whole text, or undefined if the budget is spent first. */
export const matchesGlob = (
	glob: Glob,
	text: MatchText,
	budget: MatchBudget,
): boolean | undefined => new GlobMatch(glob, text, budget).run();
