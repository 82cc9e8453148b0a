import { denyAddresses } from './addressRules';
import type { ComparedCommand } from './comparedCommand';
import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { doubt, NO, YES, type Matcher } from './matcher';
import { normalizePath } from './paths';
import { readPlainPattern } from './plainCommand';
import { programName } from './programs';
import { splitWord, type Words } from './words';

// Denies commands. It knows no programs: it looks for the words of its pattern, and asks wherever they stand.

/** A word that programs understand if it's shortened: `pub` for `publish` */
const CAN_BE_SHORTENED = /^[a-z][a-z-]*$/;
const IS_ADDRESS =
	/^(?:[^\s/]*@)?(?:[\p{L}\p{N}\uFDD0\uFDD1_-]+\.)+[\p{L}\p{N}\uFDD0\uFDD1-]+(?::\d+)?(?:\/|$)|:\/\//u;

/** Returns whether a typed word is among others. `isAnywhere` is true if their folder is unknown. */
type Finder = (words: Words, isAnywhere: boolean, budget: MatchBudget) => boolean;

const isShortened = (word: string, { pieces }: Words): boolean =>
	CAN_BE_SHORTENED.test(word) &&
	[...word].some((_, end) => end > 0 && pieces.has(word.slice(0, end)));

/** Finds a typed word, or a piece of it. A path can also be in another folder. */
function findPiece(text: string): Finder {
	const names = text.split('/');
	const isSimple = names.length === 1 && !hasWildcard(text);
	const globs = (isSimple ? [text] : [text, `${ANY}/${text}`]).map((each) => new Glob(each));
	/** What is left of a path after a `cd` into its folder */
	const ends = names.slice(1).map((_, at) => new Glob(names.slice(at + 1).join('/')));
	return (words, isAnywhere, budget) =>
		[...globs, ...(isAnywhere ? ends : [])].some((glob) => words.has(glob, budget)) ||
		isShortened(text, words);
}

/** Finds an address, or one that can't be read. `{a,b}` can be any. */
function findAddress(typed: string): Finder {
	const { covers } = denyAddresses(typed);
	return (words, _, budget) =>
		words
			.addresses()
			.some(({ word, address }) =>
				address.isKnown ? covers(address, budget) : /:\/\/|\{/.test(word),
			);
}

function findWord(typed: string): Finder {
	const pieces = splitWord(typed).map(normalizePath);
	const finders = pieces.filter((piece) => piece !== ANY).map(findPiece);
	const hasAddress: Finder = IS_ADDRESS.test(typed) ? findAddress(typed) : () => false;
	return (words, isAnywhere, budget) =>
		finders.every((isIn) => isIn(words, isAnywhere, budget)) ||
		hasAddress(words, isAnywhere, budget);
}

const isOption = (word: string): boolean => /^-./.test(word) && !hasWildcard(word.slice(0, 2));

function readPart(typed: readonly string[]) {
	const [first, ...others] = typed.map((word) => foldCase(normalizePath(word)));
	const name = hasWildcard(first) ? first : programName(first);
	const line = [name, ...others];
	const isOpen = others[others.length - 1] === ANY;
	const programGlob = new Glob(name);
	const isName = splitWord(name)[0] === name && !hasWildcard(name);
	const findProgram: Finder = isName
		? (words, _, budget) => words.has(programGlob, budget)
		: findWord(name);
	const words = typed.slice(1).map(foldCase);
	const options = words.filter(isOption);
	const finders = words.filter((word) => !isOption(word)).map(findWord);
	return {
		/** The name of its program, if it has no wildcards */
		name: isName ? name : undefined,
		/** What it says. ` *` at the end is also nothing. */
		lines: [line, ...(isOpen ? [line.slice(0, -1)] : [])].map((each) => each.join(' ')),
		/**
		 * Returns whether the program begins a command and the other words follow, or the program is anywhere else in the command, and
		 * the other words are anywhere in the request.
		 */
		isMeantBy(command: ComparedCommand, all: Words, budget: MatchBudget): boolean {
			const isAnywhere = all.isAnywhere();
			const isBehind = findProgram(command.others(), isAnywhere, budget);
			if (!isBehind && !command.programs.some((one) => programGlob.matches(one, budget)))
				return false;
			const where = isBehind ? all : command.others();
			return (
				options.every((option) => where.hasOption(option)) &&
				finders.every((isIn) => isIn(where, isAnywhere, budget))
			);
		},
	};
}

/** Returns the words of each part, also if the pattern isn't plain words. */
function listParts(pattern: string): string[][] {
	const plain = readPlainPattern(pattern);
	if (plain) return plain.map(({ assignments, words }) => [...assignments, ...words]);
	return pattern
		.split(/&&|\|\||[;|&\n(){}]/)
		.map((part) => part.split(/[\s'"\\<>`$]+/).filter((word) => /[^\p{P}\p{S}]/u.test(word)))
		.filter((words) => words.length > 0);
}

export function denyCommands(pattern: string): Matcher {
	const parsed = parsePattern(pattern);
	const parts = listParts(parsed).map(readPart);
	const only = parts.length === 1 ? parts[0] : undefined;
	// If the pattern isn't plain, a plain command can only have its text in quotation marks.
	const globs = [foldCase(parsed), ...(only?.lines ?? [])].map((line) => new Glob(line));
	return {
		key: only?.name,
		reach({ command }, budget, { texts, words }) {
			if (!command) return NO;
			if (command.lines().some((line) => globs.some((glob) => glob.matches(line, budget))))
				return YES;
			const unread = command.unread();
			if (unread !== undefined) return doubt(unread);
			const isIn = (part: (typeof parts)[number], one: ComparedCommand | undefined) =>
				one !== undefined && part.isMeantBy(one, words(), budget);
			if (!parts.some((part) => isIn(part, command))) return NO;
			if (only) return doubt('it has the same words');
			return parts.every((part) => texts.some((text) => isIn(part, text.command)))
				? doubt('the request has each of its commands')
				: NO;
		},
	};
}
