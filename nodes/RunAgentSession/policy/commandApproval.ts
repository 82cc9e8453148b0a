import { quoteText } from '../../shared/values';
import { approveAddresses } from './addressRules';
import { compareAddress, hasOpenHost } from './addresses';
import { ANY, Glob, hasWildcard, parsePattern, type Guards, type MatchBudget } from './globs';
import { held, NO, YES, type Matcher } from './matcher';
import { readPlainPattern } from './plainCommand';

// Approves parts of plain commands, word by word.

/** A host with a user, before the path: `git@host:path` */
const REMOTE = /^[^/:@]+@[^/:@]+:/;
/** An address, and what is typed before it, such as `--url=` */
const ADDRESS = /^([^\uFDD0\uFDD1]*?)([a-z][a-z\d+.-]*:\/\/.*)$/is;

/** Compares a word of a pattern. */
function typedWord(typed: string) {
	const glob = new Glob(typed);
	const [, before, place] = ADDRESS.exec(typed) ?? [];
	const address = place === undefined ? undefined : approveAddresses(place);
	const hasAddress = (word: string, budget: MatchBudget) =>
		address !== undefined &&
		word.startsWith(before) &&
		address.covers(compareAddress(word.slice(before.length)), budget);
	return {
		matches: (word: string, budget: MatchBudget): boolean =>
			glob.matches(word, budget) || hasAddress(word, budget),
		/** Returns whether the wildcards leave out what they must. They would match the word otherwise. */
		covers(word: string, guards: Guards | undefined, budget: MatchBudget): boolean {
			if (!hasWildcard(typed)) return true;
			if (word.startsWith('-') && !typed.startsWith('-')) return false;
			if (address) return guards === undefined && hasAddress(word, budget);
			const [remote = ''] = REMOTE.exec(word) ?? [];
			const isOtherHost = word.includes('://') || !typed.startsWith(remote);
			if (typed !== ANY && isOtherHost) return false;
			return guards === undefined || glob.matches(word, budget, guards);
		},
	};
}

export function approveCommands(pattern: string): Matcher {
	const parsed = parsePattern(pattern);
	const raw = new Glob(parsed);
	const hasWildcards = hasWildcard(parsed);
	const parts = readPlainPattern(parsed) ?? [];
	// A pattern with an operator is exact text only.
	const isPart = parts.length === 1 && !hasOpenHost(pattern);
	const { words: typed, assignments } = isPart ? parts[0] : { words: [], assignments: [] };
	// ` *` at the end matches the remaining words.
	const hasRest = typed.length > 1 && typed[typed.length - 1] === ANY;
	const words = (hasRest ? typed.slice(0, -1) : typed).map(typedWord);
	const set = assignments.join(' ');

	return {
		// Without one, if the program has wildcards, or the pattern isn't one plain part
		key: isPart && !hasWildcard(typed[0]) ? typed[0] : undefined,
		reach({ command, text = '' }, budget) {
			if (!command) return NO;
			const { problem, words: given, guards } = command;
			if (problem !== undefined)
				return hasWildcards && raw.matches(text, budget)
					? held(`its wildcards match only plain words, and this contains ${problem}`)
					: NO;
			const { length } = given;
			if (!isPart || length < words.length || (length > words.length && !hasRest)) return NO;
			if (set !== '' && set !== command.assignments.join(' ')) return NO;
			if (!words.every((word, at) => word.matches(given[at], budget))) return NO;
			if (command.isAfterChange && parsed.includes('/'))
				return held('its path may be another one in the folder of a cd before');
			if (hasWildcards && command.changesFolder && !command.namesFolder)
				return held('its wildcard needs one folder');
			const other = given.find((word, at) => {
				const guarded = guards()[at];
				return at < words.length ? !words[at].covers(word, guarded, budget) : guarded !== undefined;
			});
			return other === undefined ? YES : held(`its wildcard doesn't match ${quoteText(other)}`);
		},
	};
}
