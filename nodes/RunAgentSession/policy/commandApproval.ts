import { AddressApproval, ComparedAddress, hasOpenHost } from './addresses';
import type { ComparedPart } from './comparedCommand';
import { ANY, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { readPlainPattern } from './plainCommand';
import { quoteText } from './quoteText';
import { held, NO, YES, type Reach } from './reach';

// Approves parts of plain commands, word by word.

interface WordPattern {
	glob: Glob;
	/** True if its wildcard is the whole word */
	isAny: boolean;
	/** For an address with wildcards, and the text before it, such as `--url=` */
	address?: { before: string; approval: AddressApproval };
}

const ADDRESS = /^([^\uFDD0\uFDD1]*?)([a-z][a-z\d+.-]*:\/\/.*)$/is;

function readWord(word: string): WordPattern {
	const [, before, address] = ADDRESS.exec(word) ?? [];
	return {
		glob: new Glob(word),
		isAny: word === ANY,
		...(address !== undefined && { address: { before, approval: new AddressApproval(address) } }),
	};
}

export class CommandApproval {
	/** The name of its program. Undefined if it has wildcards, or if the pattern isn't one plain part. */
	readonly program: string | undefined;
	private readonly words: readonly WordPattern[] | undefined;
	/** True if the pattern ends with ` *`, which matches the remaining words */
	private readonly hasRest: boolean = false;
	private readonly assignments: string = '';
	private readonly hasTypedSlash: boolean;
	private readonly raw: Glob;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.raw = new Glob(parsed);
		this.hasTypedSlash = parsed.includes('/');
		const parts = readPlainPattern(parsed);
		if (parts?.length !== 1 || hasOpenHost(pattern)) return;
		const [{ words, assignments }] = parts;
		this.assignments = assignments.join(' ');
		this.hasRest = words.length > 1 && words[words.length - 1] === ANY;
		this.words = (this.hasRest ? words.slice(0, -1) : words).map(readWord);
		if (!hasWildcard(words[0])) this.program = words[0];
	}

	/** @param problem why the command isn't plain */
	reachUnread(text: string, problem: string, budget: MatchBudget): Reach {
		return hasWildcard(this.raw.text) && this.raw.matches(text, budget)
			? held(() => `its wildcards match only plain words, and this contains ${problem}`)
			: NO;
	}

	reach(part: ComparedPart, budget: MatchBudget): Reach {
		const { words, hasRest } = this;
		const count = part.words.length;
		if (!words || count < words.length || (count > words.length && !hasRest)) return NO;
		if (this.assignments !== '' && this.assignments !== part.assignments.join(' ')) return NO;
		for (const [at, pattern] of words.entries())
			if (!matchesWord(pattern, part.words[at], budget)) return NO;
		if (part.folder !== '' && this.hasTypedSlash)
			return held(() => 'its path may be another one in the folder of a cd before');
		if (hasWildcard(this.raw.text) && part.changesFolder && !part.namesFolder)
			return held(() => 'its wildcard needs one folder');
		for (const [at, word] of part.words.entries())
			if (!this.coversWord(at, word, part, budget))
				return held(() => `its wildcard doesn't match ${quoteText(word)}`);
		return YES;
	}

	/** Returns whether the wildcards leave out what they must. They would match the word otherwise. */
	private coversWord(at: number, word: string, part: ComparedPart, budget: MatchBudget): boolean {
		const pattern = this.words?.[at];
		if (!pattern) return part.guards()[at] === undefined;
		const { glob, isAny, address } = pattern;
		if (!hasWildcard(glob.text)) return true;
		if (word.startsWith('-') && !glob.text.startsWith('-')) return false;
		const guards = (isAny ? part.guards() : part.addressGuards())[at];
		if (guards === undefined || glob.matches(word, budget, guards))
			return !address || isApproved(address, word, budget);
		return (
			address !== undefined && isApproved(address, word, budget) && part.guards()[at] === undefined
		);
	}
}

const isApproved = (
	{ before, approval }: Required<WordPattern>['address'],
	word: string,
	budget: MatchBudget,
): boolean =>
	word.startsWith(before) &&
	approval.reach(new ComparedAddress(word.slice(before.length)), budget).reach === 'yes';

const matchesWord = ({ glob, address }: WordPattern, word: string, budget: MatchBudget): boolean =>
	glob.matches(word, budget) || (address !== undefined && isApproved(address, word, budget));
