import { AddressObjection } from './addressRules';
import type { ComparedCommand } from './comparedCommand';
import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { doubt, NO, YES, type ComparedRequest, type ComparedText, type Matcher } from './matcher';
import { normalizePath } from './paths';
import { readPlainPattern } from './plainCommand';
import { programName } from './programs';
import { splitWord, type Words } from './words';

// Denies commands. It knows no programs: it looks for the words of its pattern, and asks wherever they stand.

/** A word that programs understand if it's shortened: `pub` for `publish` */
const CAN_BE_SHORTENED = /^[a-z][a-z-]*$/;
const IS_ADDRESS =
	/^(?:[^\s/]*@)?(?:[\p{L}\p{N}\uFDD0\uFDD1_-]+\.)+[\p{L}\p{N}\uFDD0\uFDD1-]+(?::\d+)?(?:\/|$)|:\/\//u;

/** A typed word, or a piece of it. A path can also be in another folder. */
class TypedPiece {
	private readonly text: string;
	private readonly globs: readonly Glob[];
	/** What is left of a path after a `cd` into its folder */
	private readonly ends: readonly Glob[];

	constructor(text: string) {
		this.text = text;
		const names = text.split('/');
		const isSimple = names.length === 1 && !hasWildcard(text);
		this.globs = (isSimple ? [] : [text, `${ANY}/${text}`]).map((each) => new Glob(each));
		this.ends = names.slice(1).map((_, at) => new Glob(names.slice(at + 1).join('/')));
	}

	/** @param isAnywhere true if nobody knows in which folder the words are */
	isIn(words: Words, isAnywhere: boolean, budget: MatchBudget): boolean {
		const { text, globs, ends } = this;
		return (
			words.has(text, budget) ||
			isShortened(text, words) ||
			[...globs, ...(isAnywhere ? ends : [])].some((glob) => words.hasMatch(glob, budget))
		);
	}
}

function isShortened(word: string, { pieces }: Words): boolean {
	if (!CAN_BE_SHORTENED.test(word)) return false;
	for (let end = 1; end < word.length; end++) if (pieces.has(word.slice(0, end))) return true;
	return false;
}

/** Returns whether an address is here, or one that can't be read. `{a,b}` can be any. */
const hasAddress = (typed: AddressObjection, words: Words, budget: MatchBudget): boolean =>
	words
		.addresses()
		.some(({ word, address }) =>
			address.isKnown ? typed.covers(address, budget) : /:\/\/|\{/.test(word),
		);

/** A typed word that isn't an option */
class TypedWord {
	private readonly pieces: readonly TypedPiece[];
	private readonly address: AddressObjection | undefined;

	constructor(word: string) {
		this.pieces = splitWord(word)
			.map(normalizePath)
			.filter((piece) => piece !== ANY)
			.map((piece) => new TypedPiece(piece));
		if (IS_ADDRESS.test(word)) this.address = new AddressObjection(word);
	}

	isIn(words: Words, isAnywhere: boolean, budget: MatchBudget): boolean {
		const { pieces, address } = this;
		return (
			pieces.every((piece) => piece.isIn(words, isAnywhere, budget)) ||
			(address !== undefined && hasAddress(address, words, budget))
		);
	}
}

const isOption = (word: string): boolean => /^-./.test(word) && !hasWildcard(word.slice(0, 2));

/** A part of a pattern */
class TypedPart {
	/** The name of its program, if it has no wildcards */
	readonly name: string | undefined;
	/** What it says, word by word */
	readonly lines: readonly Glob[];
	private readonly program: TypedWord;
	private readonly programGlob: Glob;
	private readonly options: readonly string[];
	private readonly words: readonly TypedWord[];

	constructor(typed: readonly string[]) {
		const [first, ...others] = typed.map((word) => foldCase(normalizePath(word)));
		const name = hasWildcard(first) ? first : programName(first);
		const line = [name, ...others];
		const isOpen = others[others.length - 1] === ANY;
		this.lines = [line, ...(isOpen ? [line.slice(0, -1)] : [])].map(
			(each) => new Glob(each.join(' ')),
		);
		if (splitWord(name)[0] === name && !hasWildcard(name)) this.name = name;
		this.programGlob = new Glob(name);
		this.program = new TypedWord(name);
		const words = typed.slice(1).map(foldCase);
		this.options = words.filter(isOption);
		this.words = words.filter((word) => !isOption(word)).map((word) => new TypedWord(word));
	}

	/**
	 * Returns whether the program begins a command and the other words follow, or the program is anywhere else in the command, and the
	 * other words are anywhere in the request.
	 */
	isMeantBy(command: ComparedCommand, all: Words, budget: MatchBudget): boolean {
		const { name, program, programGlob, options, words } = this;
		const others = command.others();
		const isBehind =
			name === undefined
				? program.isIn(others, all.isAnywhere(), budget)
				: others.has(name, budget);
		if (!isBehind && !command.programs.some((one) => programGlob.matches(one, budget)))
			return false;
		const where = isBehind ? all : others;
		return (
			options.every((option) => where.hasOption(option)) &&
			words.every((word) => word.isIn(where, all.isAnywhere(), budget))
		);
	}
}

/** Returns the words of each part, also if the pattern isn't plain words. */
function readParts(pattern: string): string[][] {
	const plain = readPlainPattern(pattern);
	if (plain) return plain.map(({ assignments, words }) => [...assignments, ...words]);
	return pattern
		.split(/&&|\|\||[;|&\n(){}]/)
		.map((part) => part.split(/[\s'"\\<>`$]+/).filter((word) => /[^\p{P}\p{S}]/u.test(word)))
		.filter((words) => words.length > 0);
}

export class CommandObjection implements Matcher {
	readonly key: string | undefined;
	private readonly parts: readonly TypedPart[];
	/** Texts that are what the pattern says. If it isn't plain, a plain command can only have it in quotation marks. */
	private readonly lines: readonly Glob[];

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.parts = readParts(parsed).map((words) => new TypedPart(words));
		const [only, ...others] = this.parts;
		const isOne = only !== undefined && others.length === 0;
		this.lines = [new Glob(foldCase(parsed)), ...(isOne ? only.lines : [])];
		if (isOne) this.key = only.name;
	}

	reach({ command }: ComparedText, budget: MatchBudget, { texts, words }: ComparedRequest) {
		if (!command) return NO;
		const { parts, lines } = this;
		if (command.lines().some((line) => lines.some((glob) => glob.matches(line, budget))))
			return YES;
		const unread = command.unread();
		if (unread !== undefined) return doubt(unread);
		const isIn = (part: TypedPart, one: ComparedCommand | undefined) =>
			one !== undefined && part.isMeantBy(one, words(), budget);
		if (!parts.some((part) => isIn(part, command))) return NO;
		if (parts.length === 1) return doubt('it has the same words');
		return parts.every((part) => texts.some((text) => isIn(part, text.command)))
			? doubt('the request has each of its commands')
			: NO;
	}
}
