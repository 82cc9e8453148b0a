import { AddressObjection, ComparedAddress } from './addresses';
import type { ComparedCommand, ComparedPart } from './comparedCommand';
import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { lazily } from './lazily';
import { normalizePath } from './paths';
import { readPlainPattern, type CommandPart } from './plainCommand';
import { programName } from './programs';
import { doubt, NO, YES, type Reach } from './reach';
import { leadsOut, type Words } from './words';

// Denies commands. It knows no programs: it looks for the words of its pattern, and asks wherever they stand.

const SIMPLE = /^[\p{L}\p{N}\p{M}._/~+-]+$/u;
/** A word that programs understand if it's shortened: `pub` for `publish` */
const CAN_BE_SHORTENED = /^[a-z][a-z-]*$/;
const IS_ADDRESS =
	/^(?:[^\s/]*@)?(?:[\p{L}\p{N}\uFDD0\uFDD1_-]+\.)+[\p{L}\p{N}\uFDD0\uFDD1-]+(?::\d+)?(?:\/|$)|:\/\//u;

/** A typed word, or a piece of it */
class TypedPiece {
	private readonly text: string;
	private readonly glob: Glob | undefined;
	/** At the end of a path */
	private readonly end = lazily(() => new Glob(`${ANY}/${this.text}`));

	constructor(text: string) {
		this.text = text;
		if (hasWildcard(text)) this.glob = new Glob(text);
	}

	isIn(words: Words, isAnywhere: boolean, budget: MatchBudget): boolean {
		const isHere = this.glob
			? words.hasMatch(this.glob, budget)
			: words.has(this.text, budget) || isShortened(this.text, words);
		return isHere || this.isElsewhere(words, isAnywhere, budget);
	}

	/** Returns whether it may be another path: at its end if that leads out of the folder, or if nobody knows the folder. */
	private isElsewhere(words: Words, isAnywhere: boolean, budget: MatchBudget): boolean {
		const end = this.end();
		for (const path of isAnywhere ? words.pieces : words.outside)
			if (end.matches(path, budget)) return true;
		for (const glob of words.globs.keys())
			if ((isAnywhere || leadsOut(glob)) && end.canMeet(glob)) return true;
		if (!isAnywhere) return false;
		const names = this.text.split('/');
		return names.some((_, at) => at > 0 && words.has(names.slice(at).join('/'), budget));
	}
}

/** A typed word that isn't an option */
class TypedWord {
	/** What is left if other characters separate words, too */
	private readonly pieces: readonly TypedPiece[];
	private readonly address: AddressObjection | undefined;

	constructor(word: string) {
		this.pieces = (word.match(/[\p{L}\p{N}\p{M}._/~+\uFDD0\uFDD1-]+/gu) ?? [])
			.map(normalizePath)
			.filter((piece) => piece !== ANY)
			.map((piece) => new TypedPiece(piece));
		if (IS_ADDRESS.test(word)) this.address = new AddressObjection(word);
	}

	/** @param isAnywhere true if nobody knows in which folder the words are */
	isIn(words: Words, isAnywhere: boolean, budget: MatchBudget): boolean {
		const { pieces, address } = this;
		return (
			pieces.every((piece) => piece.isIn(words, isAnywhere, budget)) ||
			(address !== undefined && hasAddress(address, words, budget))
		);
	}
}

function isShortened(word: string, words: Words): boolean {
	if (!CAN_BE_SHORTENED.test(word)) return false;
	for (let end = 1; end < word.length; end++) if (words.pieces.has(word.slice(0, end))) return true;
	return false;
}

const hasAddress = (address: AddressObjection, words: Words, budget: MatchBudget): boolean =>
	words.tokens().some((token) => {
		const word = token.replace(/^-{1,2}[\w-]+=/, '');
		const { reach } = address.reach(ComparedAddress.readWord(word), budget);
		return reach === 'yes' || (reach === 'doubt' && word.includes('://'));
	});

/** The options of a pattern, in any form and order */
class TypedOptions {
	/** Of `-rf`, each letter */
	private readonly letters: readonly string[];
	private readonly longs: readonly string[];
	/** `-delete` is one option or six. */
	private readonly singles: readonly string[];

	constructor(options: readonly string[]) {
		const names = options.map((option) => option.replace(/^-+/, '').split('=', 1)[0]);
		const isShort = (at: number) => /^-[\p{L}\p{N}]{1,3}$/u.test(options[at]);
		const isSingle = (at: number) => !isShort(at) && /^-[^-]/.test(options[at]);
		this.letters = names.flatMap((name, at) => (isShort(at) ? [...name] : []));
		this.singles = names.filter((_, at) => isSingle(at));
		this.longs = names.filter((name, at) => !isShort(at) && !isSingle(at) && name !== '');
	}

	areIn(words: Words): boolean {
		const { letters, longs, singles } = this;
		const isNamed = (long: string) => longs.some((name) => name.startsWith(long));
		const hasOtherLong = [...words.longs].some((long) => !isNamed(long));
		const hasOtherLetter = [...words.letters].some((letter) => !letters.includes(letter));
		const hasLetters = (list: readonly string[]) =>
			hasOtherLong || list.every((letter) => words.letters.has(letter));
		const hasLong = (name: string) =>
			[...words.longs].some((long) => name.startsWith(long)) ||
			[...words.singles].some((single) => single.length > 1 && name.startsWith(single));
		return (
			hasLetters(letters) &&
			longs.every((name) => hasOtherLetter || hasLong(name)) &&
			singles.every((name) => hasLong(name) || (/^[a-z]+$/.test(name) && hasLetters([...name])))
		);
	}
}

/** A part of a pattern */
class TypedPart {
	/** The name of its program, if it's one word without wildcards */
	readonly name: string | undefined;
	private readonly program: TypedWord | undefined;
	private readonly programGlob: Glob;
	private readonly words: readonly TypedWord[];
	private readonly options: TypedOptions;
	private readonly lines: readonly Glob[];

	constructor(words: readonly string[]) {
		const folded = words.map((word) => foldCase(normalizePath(word)));
		const [typed, ...others] = folded;
		const first = hasWildcard(typed) ? typed : programName(typed);
		const isOpen = others[others.length - 1] === ANY;
		const line = [first, ...others];
		this.lines = [line, ...(isOpen ? [line.slice(0, -1)] : [])].map(
			(each) => new Glob(each.join(' ')),
		);
		if (SIMPLE.test(first)) this.name = first;
		else if (first !== ANY) this.program = new TypedWord(foldCase(words[0]));
		this.programGlob = new Glob(first);
		const isOption = (word: string) => /^-./.test(word) && !hasWildcard(word.slice(0, 2));
		const typedWords = words.slice(1).map(foldCase);
		this.options = new TypedOptions(typedWords.filter(isOption));
		this.words = typedWords.filter((word) => !isOption(word)).map((word) => new TypedWord(word));
	}

	/** Returns whether the part is what the pattern says. */
	isSaidBy(part: ComparedPart, budget: MatchBudget): boolean {
		return part.lines().some((line) => this.lines.some((glob) => glob.matches(line, budget)));
	}

	/** Returns whether the program begins the part, and the other words follow in their order. */
	begins(part: ComparedPart, budget: MatchBudget): boolean {
		const { programGlob, words, options } = this;
		const [typed] = part.folded();
		const isProgram = [
			part.program,
			typed,
			...(part.folder ? [normalizePath(`${part.folder}/${typed}`)] : []),
		].some((program) => programGlob.matches(program, budget));
		const { isAnywhere } = part;
		const together = part.elsewhere();
		if (!isProgram || !words.every((word) => word.isIn(together, isAnywhere, budget))) return false;
		if (!options.areIn(together)) return false;
		let next = 0;
		for (const word of words.length > 1 ? part.arguments() : [together])
			while (words[next]?.isIn(word, isAnywhere, budget)) next++;
		return next === words.length;
	}

	/** Returns whether the program is anywhere else in a command, and the other words are anywhere in the request. */
	isMeantBy(
		command: ComparedCommand,
		all: Words,
		isAnywhere: boolean,
		budget: MatchBudget,
	): boolean {
		const { name, program, words, options } = this;
		const found = command.elsewhere();
		const isProgram =
			name === undefined
				? (program?.isIn(found, command.isAnywhere, budget) ?? true)
				: found.hasProgram(name, budget);
		return (
			isProgram && options.areIn(all) && words.every((word) => word.isIn(all, isAnywhere, budget))
		);
	}
}

/** Returns the words of each part, also if the pattern isn't plain words. */
function readParts(pattern: string): string[][] {
	const plain = readPlainPattern(pattern);
	if (plain) return plain.map(({ assignments, words }: CommandPart) => [...assignments, ...words]);
	return pattern
		.split(/&&|\|\||[;|&\n(){}]/)
		.map((part) => part.split(/[\s'"\\<>`$]+/).filter((word) => /[^\p{P}\p{S}]/u.test(word)))
		.filter((words) => words.length > 0);
}

/** The words of all commands of a request */
export interface RequestWords {
	all: Words;
	/** True if one of them goes to a folder that isn't known */
	isAnywhere: boolean;
	commands: readonly ComparedCommand[];
}

const isPart = (command: ComparedCommand): command is ComparedPart => 'arguments' in command;

export class CommandObjection {
	/** The name of the program. Undefined if there are several, or if it has wildcards. */
	readonly name: string | undefined;
	private readonly parts: readonly TypedPart[];
	/** For a pattern that isn't plain. A plain command can only have its text in quotation marks. */
	private readonly raw: Glob;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.raw = new Glob(foldCase(parsed));
		this.parts = readParts(parsed).map((words) => new TypedPart(words));
		if (this.parts.length === 1) this.name = this.parts[0].name;
	}

	reach(command: ComparedCommand, request: () => RequestWords, budget: MatchBudget): Reach {
		const { parts, raw } = this;
		const part = isPart(command) ? command : undefined;
		if (part?.lines().some((line) => raw.matches(line, budget))) return YES;
		if (part && parts.length === 1 && parts[0].isSaidBy(part, budget)) return YES;
		const unread = command.unread();
		if (unread !== undefined) return doubt(unread);
		const isIn = (pattern: TypedPart, one: ComparedCommand): boolean => {
			const { all, isAnywhere } = request();
			return (
				(isPart(one) && pattern.begins(one, budget)) ||
				pattern.isMeantBy(one, all, isAnywhere, budget)
			);
		};
		const isMeant =
			parts.some((pattern) => isIn(pattern, command)) &&
			(parts.length === 1 ||
				parts.every((pattern) => request().commands.some((one) => isIn(pattern, one))));
		if (!isMeant) return NO;
		return doubt(
			parts.length > 1 ? 'the request has each of its commands' : 'it has the same words',
		);
	}
}
