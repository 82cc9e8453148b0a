import { AddressApproval } from './addressRules';
import { ComparedAddress, hasOpenHost } from './addresses';
import type { ComparedCommand } from './comparedCommand';
import { ANY, Glob, hasWildcard, parsePattern, type Guards, type MatchBudget } from './globs';
import { held, NO, YES, type ComparedText, type Matcher, type Reach } from './matcher';
import { readPlainPattern } from './plainCommand';
import { quoteText } from './quoteText';

// Approves parts of plain commands, word by word.

/** A host with a user, before the path: `git@host:path` */
const REMOTE = /^[^/:@]+@[^/:@]+:/;

/** A word of a pattern */
class TypedWord {
	readonly glob: Glob;
	/** The text before an address, such as `--url=` */
	private readonly before: string = '';
	private readonly address: AddressApproval | undefined;

	constructor(word: string) {
		this.glob = new Glob(word);
		const [, before, address] = /^([^\uFDD0\uFDD1]*?)([a-z][a-z\d+.-]*:\/\/.*)$/is.exec(word) ?? [];
		if (address === undefined) return;
		this.before = before;
		this.address = new AddressApproval(address);
	}

	matches(word: string, budget: MatchBudget): boolean {
		return this.glob.matches(word, budget) || this.hasAddress(word, budget);
	}

	private hasAddress(word: string, budget: MatchBudget): boolean {
		const { before, address } = this;
		if (address === undefined || !word.startsWith(before)) return false;
		return address.covers(new ComparedAddress(word.slice(before.length)), budget);
	}

	/** Returns whether the wildcards leave out what they must. They would match the word otherwise. */
	covers(word: string, guards: Guards | undefined, budget: MatchBudget): boolean {
		const { glob } = this;
		const { text } = glob;
		if (!hasWildcard(text)) return true;
		if (word.startsWith('-') && !text.startsWith('-')) return false;
		if (this.address) return guards === undefined && this.hasAddress(word, budget);
		const [remote = ''] = REMOTE.exec(word) ?? [];
		const isOtherHost = word.includes('://') || !text.startsWith(remote);
		if (text !== ANY && isOtherHost) return false;
		return guards === undefined || glob.matches(word, budget, guards);
	}
}

export class CommandApproval implements Matcher {
	/** The name of its program. Undefined if it has wildcards, or if the pattern isn't one plain part. */
	readonly key: string | undefined;
	private readonly words: readonly TypedWord[] | undefined;
	/** True if the pattern ends with ` *`, which matches the remaining words */
	private readonly hasRest: boolean = false;
	private readonly assignments: string = '';
	private readonly raw: Glob;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.raw = new Glob(parsed);
		const parts = readPlainPattern(parsed);
		if (parts?.length !== 1 || hasOpenHost(pattern)) return;
		const [{ words, assignments }] = parts;
		this.assignments = assignments.join(' ');
		this.hasRest = words.length > 1 && words[words.length - 1] === ANY;
		this.words = (this.hasRest ? words.slice(0, -1) : words).map((word) => new TypedWord(word));
		if (!hasWildcard(words[0])) this.key = words[0];
	}

	reach({ command, text = '' }: ComparedText, budget: MatchBudget): Reach {
		const { raw } = this;
		if (!command) return NO;
		const { problem } = command;
		if (problem === undefined) return this.reachPart(command, budget);
		return hasWildcard(raw.text) && raw.matches(text, budget)
			? held(() => `its wildcards match only plain words, and this contains ${problem}`)
			: NO;
	}

	private reachPart(part: ComparedCommand, budget: MatchBudget): Reach {
		const { words, hasRest, assignments, raw } = this;
		const count = part.words.length;
		if (!words || count < words.length || (count > words.length && !hasRest)) return NO;
		if (assignments !== '' && assignments !== part.assignments.join(' ')) return NO;
		if (!words.every((word, at) => word.matches(part.words[at], budget))) return NO;
		if (part.isAfterChange && raw.text.includes('/'))
			return held(() => 'its path may be another one in the folder of a cd before');
		if (hasWildcard(raw.text) && part.changesFolder && !part.namesFolder)
			return held(() => 'its wildcard needs one folder');
		const guards = part.guards();
		const other = part.words.find((word, at) =>
			at < words.length ? !words[at].covers(word, guards[at], budget) : guards[at] !== undefined,
		);
		return other === undefined ? YES : held(() => `its wildcard doesn't match ${quoteText(other)}`);
	}
}
