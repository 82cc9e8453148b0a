import {
	ANY,
	foldCase,
	Glob,
	hasWildcard,
	listDeepForms,
	normalizePath,
	parsePattern,
	type Guards,
} from '../../shared/globs';
import { quoteText } from '../../shared/values';
import { approveAddresses, compareAddress, denyAddresses, hasOpenHost } from './addresses';
import { denyPaths } from './paths';
import { readPlainPattern } from './plainCommand';
import { programName } from './programs';
import { doubt, held, NO, YES, type Reach } from './rule';
import { numberSignals, splitWord, ZEROS, type ComparedCommand, type Words } from './words';

// Rules about commands. An approval compares the parts of plain commands word by word. A denial knows no programs: it looks for the
// words and paths of its pattern, and asks wherever they stand.

/** A host with a user, before the path: `git@host:path` */
const REMOTE_HOST = /^[^/:@]+@[^/:@]+:/;
/** An address, and what is typed before it, such as `--url=` */
const ADDRESS = /^([^\uFDD0\uFDD1]*?)([a-z][a-z\d+.-]*:\/\/.*)$/is;

/** Compares a word of a pattern. */
function compileWord(patternWord: string) {
	const globs = listDeepForms(patternWord).map((form) => new Glob(form));
	const [, before, place] = ADDRESS.exec(patternWord) ?? [];
	const address = place === undefined ? undefined : approveAddresses(place);
	const hasAddress = (word: string) =>
		address !== undefined &&
		word.startsWith(before) &&
		address.covers(compareAddress(word.slice(before.length)));
	return {
		matches: (word: string): boolean =>
			globs.some((glob) => glob.matches(word)) || hasAddress(word),
		/** Returns whether the wildcards leave out what they must. They would match the word otherwise. */
		covers(word: string, guards: Guards | undefined): boolean {
			if (!hasWildcard(patternWord)) return true;
			if (word.startsWith('-') && !patternWord.startsWith('-')) return false;
			if (address) return guards === undefined && hasAddress(word);
			const [remote = ''] = REMOTE_HOST.exec(word) ?? [];
			const isOtherHost = word.includes('://') || !patternWord.startsWith(remote);
			if (patternWord !== ANY && isOtherHost) return false;
			return guards === undefined || globs.some((glob) => glob.matches(word, guards));
		},
	};
}

export function approveCommands(pattern: string) {
	const parsed = parsePattern(pattern);
	const raw = new Glob(parsed);
	const hasWildcards = hasWildcard(parsed);
	const parts = readPlainPattern(parsed) ?? [];
	// A pattern with an operator is exact text only.
	const isPart = parts.length === 1 && !hasOpenHost(pattern);
	const { words: patternWords, assignments } = isPart ? parts[0] : { words: [], assignments: [] };
	// ` *` at the end matches the remaining words.
	const hasRest = patternWords.length > 1 && patternWords[patternWords.length - 1] === ANY;
	const words = (hasRest ? patternWords.slice(0, -1) : patternWords).map(compileWord);
	const set = assignments.join(' ');

	return {
		/** The program, unless it has wildcards, or the pattern isn't one plain part */
		keys: isPart && !hasWildcard(patternWords[0]) ? [patternWords[0]] : undefined,
		reach(command: ComparedCommand, text: string): Reach {
			const { problem, words: commandWords, guards } = command;
			if (problem !== undefined)
				return hasWildcards && raw.matches(text)
					? held(`its wildcards match only plain words, and this contains ${problem}`)
					: NO;
			const { length } = commandWords;
			if (!isPart || length < words.length || (length > words.length && !hasRest)) return NO;
			if (set !== '' && set !== command.assignments.join(' ')) return NO;
			if (!words.every((word, at) => word.matches(commandWords[at]))) return NO;
			if (command.isAfterChange && parsed.includes('/'))
				return held('its path may be another one in the folder of a cd before');
			if (hasWildcards && command.changesFolder && !command.namesFolder)
				return held('its wildcard needs one folder');
			const other = commandWords.find((word, at) => {
				const guarded = guards()[at];
				return at < words.length ? !words[at].covers(word, guarded) : guarded !== undefined;
			});
			return other === undefined ? YES : held(`its wildcard doesn't match ${quoteText(other)}`);
		},
	};
}

/** A word that programs understand if it's shortened: `pub` for `publish` */
const CAN_BE_SHORTENED = /^[a-z][a-z-]*$/;
const IS_ADDRESS =
	/^(?:[^\s/]*@)?(?:[\p{L}\p{N}\uFDD0\uFDD1_-]+\.)+[\p{L}\p{N}\uFDD0\uFDD1-]+(?::\d+)?(?:\/|$)|:\/\//u;
/** Takes short options without a dash: `tar xf` */
const TAKES_BUNDLES = /^(?:ps|.*ar)$/;

/** Returns whether a typed word is among others, of a request with these words */
type Finder = (words: Words, all: () => Words) => boolean;

const isShortened = (word: string, { pieces }: Words): boolean =>
	CAN_BE_SHORTENED.test(word) &&
	[...word].some((_, end) => end > 0 && pieces.has(word.slice(0, end)));

/** Finds what may be denied as a path, or a piece of a word. */
function findPiece(text: string): Finder {
	if (text.includes('/') || hasWildcard(text)) {
		const { mayMean } = denyPaths(text);
		return (words, all) => mayMean(words.places(), () => all().places(), all().isAnywhere());
	}
	const word = new Glob(text);
	return (words) => words.has(word) || isShortened(text, words);
}

/** Finds an address, or one that can't be read. `{a,b}` can be any. */
function findAddress(word: string): Finder {
	const { covers } = denyAddresses(word);
	return (words) =>
		words
			.addresses()
			.some(({ word, address }) => (address.isKnown ? covers(address) : /:\/\/|\{/.test(word)));
}

function findWord(word: string): Finder {
	const pieces = splitWord(word).map(normalizePath);
	const finders = pieces.filter((piece) => piece !== ANY).map(findPiece);
	const hasAddress: Finder = IS_ADDRESS.test(word) ? findAddress(word) : () => false;
	return (words, all) => finders.every((isIn) => isIn(words, all)) || hasAddress(words, all);
}

const isOptionWord = (word: string): boolean => /^-./.test(word) && !hasWildcard(word.slice(0, 2));

function readPart(patternWords: readonly string[]) {
	const [first, ...others] = patternWords.map((word) => foldCase(normalizePath(word)));
	const name = hasWildcard(first) ? first : programName(first);
	const line = [name, ...others];
	const isOpen = others[others.length - 1] === ANY;
	const program = new Glob(name);
	const isName = splitWord(name)[0] === name && !hasWildcard(name);
	const findProgram: Finder = isName
		? (words) => words.has(program, words.programs)
		: findWord(name);
	const takesBundles = TAKES_BUNDLES.test(name);
	const words = numberSignals(foldCase(patternWords.slice(1).join('\n')))
		.split('\n')
		.map((word, at) => (at === 0 && takesBundles ? word.replace(/^(?=[a-z]+$)/, '-') : word))
		.map((word) => word.replace(ZEROS, ''));
	const options = words.filter(isOptionWord);
	const otherWords = words.filter((word) => !isOptionWord(word));
	const finders = otherWords.map(findWord);
	return {
		/** The name of its program, if it has no wildcards */
		name: isName ? name : undefined,
		size: patternWords.length,
		/** What it says. ` *` at the end is also nothing. */
		lines: [line, ...(isOpen ? [line.slice(0, -1)] : [])].map((each) => each.join(' ')),
		/**
		 * Returns whether the program begins a command and the other words follow, or the program is anywhere else in the command, and
		 * the other words are anywhere in the request.
		 */
		isMeantBy(command: ComparedCommand, all: () => Words): boolean {
			const isBehind = findProgram(command.others(), all);
			if (!isBehind && !command.names.some((one) => program.matches(one))) return false;
			const where = isBehind ? all() : command.others();
			return (
				finders.every((isIn) => isIn(where, all)) &&
				options.every((option) => where.hasOption(option, takesBundles))
			);
		},
	};
}

/** Returns the words of each part, also if the pattern isn't plain words. */
function listPatternParts(pattern: string): string[][] {
	const plain = readPlainPattern(pattern);
	if (plain) return plain.map(({ assignments, words }) => [...assignments, ...words]);
	return pattern
		.split(/&&|\|\||[;|&\n(){}]/)
		.map((part) => part.split(/[\s'"\\<>`$]+/).filter((word) => /[^\p{P}\p{S}]/u.test(word)))
		.filter((words) => words.length > 0);
}

export function denyCommands(pattern: string) {
	const parsed = parsePattern(pattern);
	const parts = listPatternParts(parsed).map(readPart);
	const only = parts.length === 1 ? parts[0] : undefined;
	// If the pattern isn't plain, a plain command can only have its text in quotation marks.
	const globs = [foldCase(parsed), ...(only?.lines ?? [])].map((line) => new Glob(line));
	// Words in a row are a path only with a folder, or without wildcards.
	const isRow = /\s/.test(pattern.trim()) && !pattern.includes('/');
	const path = isRow && hasWildcard(parsed) ? undefined : denyPaths(parsed);
	// A name with wildcards is found as a path.
	const isPath = path !== undefined && only?.name === undefined && only?.size === 1;
	const names = isPath ? [] : only?.name && [only.name];
	const keys = [names, path ? path.keys : []];
	return {
		/** Words of which a command has one. Undefined if it's compared with each. */
		keys: keys.every((each) => each !== undefined) ? keys.flat() : undefined,
		/** @param commands all of the request */
		reach(
			command: ComparedCommand,
			commands: () => readonly ComparedCommand[],
			all: () => Words,
			isDoubted: boolean,
		): Reach {
			if (command.lines().some((line) => globs.some((glob) => glob.matches(line)))) return YES;
			if (isDoubted) return NO;
			const obstacle = command.unread();
			if (obstacle !== undefined) return doubt(obstacle);
			if (path?.mayMean(command.places(), () => all().places(), all().isAnywhere()))
				return doubt('it has the same path');
			if (isPath || !parts.some((part) => part.isMeantBy(command, all))) return NO;
			if (only) return doubt('it has the same words');
			return parts.every((part) => commands().some((each) => part.isMeantBy(each, all)))
				? doubt('the request has each of its commands')
				: NO;
		},
	};
}
