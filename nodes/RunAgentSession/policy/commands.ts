import { quoteVisible } from '../../shared/approvals/visibleText';
import {
	ANY,
	foldCase,
	Glob,
	GUARDED,
	hasWildcard,
	parsePattern,
	type Guards,
	type MatchBudget,
} from './globs';
import { guardAddresses, guardWord } from './guards';
import { readPlainPattern, type CommandPart } from './plainCommand';
import { doubt, held, NO, YES, type Reach } from './reach';
import { lazily } from './lazily';
import { normalizePath } from './paths';
import { findRunningWords, isRunner, passesOn } from './runners';

// Compares rules with the parts of plain commands. Approvals compare words, denials whole parts.

const MAX_QUOTED = 60;
export const quoteText = (text: string): string => quoteVisible(text, MAX_QUOTED);

const fold = (word: string): string => foldCase(normalizePath(word));
/** Returns the name of a program: `rm` for `/bin/rm` and `rm.exe`. */
const withoutFolder = (word: string): string =>
	word.slice(word.lastIndexOf('/') + 1).replace(/\.(?:exe|com|cmd|bat)$/, '');

/** A part in the forms that rules compare */
export class ComparedPart {
	readonly text: string;
	readonly words: readonly string[];
	/** Places that wildcards don't match, for each word */
	readonly guards = lazily(() => {
		const running = findRunningWords(this.words);
		return this.words.map((word, at) => {
			const guards = guardWord(word);
			const length = running.get(at);
			return length === undefined
				? guards
				: (guards ?? new Uint8Array(word.length)).fill(GUARDED, 0, length);
		});
	});
	readonly addressGuards = lazily(() =>
		this.words.map((word, at) =>
			/:\/\/|@/.test(word) ? guardAddresses(word, this.guards()[at]?.slice()) : this.guards()[at],
		),
	);
	readonly folded = lazily(() => this.words.map(fold));
	readonly program = lazily(() => withoutFolder(this.folded()[0]));
	/** Without and with the folder of the program */
	readonly lines = lazily(() => {
		const [first, ...others] = this.folded();
		return [...new Set([withoutFolder(first), first])].map((program) =>
			[program, ...others].join(' '),
		);
	});
	/** Why it may run another program */
	readonly runs = lazily(() => {
		const [program] = this.words;
		if (isRunner(program)) return `${quoteText(program)} can run other programs`;
		const [at] = findRunningWords(this.words).keys();
		return at === undefined
			? undefined
			: `${quoteText(`${program} ${this.words[at]}`)} can run other programs`;
	});

	constructor({ text, words }: CommandPart) {
		this.text = text;
		this.words = words;
	}
}

interface WordPattern {
	glob: Glob;
	/** True if its wildcard is the whole word */
	isAny: boolean;
}

const isAny = (word: string): boolean => word === ANY;

export class CommandApproval {
	private readonly words: readonly WordPattern[] | undefined;
	/** True if the pattern ends with ` *`, which matches the remaining words */
	private readonly hasRest: boolean = false;
	private readonly raw: Glob;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.raw = new Glob(parsed);
		const parts = readPlainPattern(parsed);
		if (parts?.length !== 1) return;
		const [{ words }] = parts;
		this.hasRest = words.length > 1 && isAny(words[words.length - 1]);
		const typed = this.hasRest ? words.slice(0, -1) : words;
		this.words = typed.map((word) => ({ glob: new Glob(word), isAny: isAny(word) }));
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
		for (const [at, { glob }] of words.entries())
			if (!glob.matches(part.words[at], budget)) return NO;
		for (const [at, word] of part.words.entries())
			if (!this.coversWord(at, word, part, budget))
				return held(() => `its wildcard doesn't match ${quoteText(word)}`);
		return YES;
	}

	/** Returns whether the wildcards leave out what they must. They would match the word otherwise. */
	private coversWord(at: number, word: string, part: ComparedPart, budget: MatchBudget): boolean {
		const pattern = this.words?.[at];
		if (!pattern) return part.guards()[at] === undefined;
		const { glob, isAny: isWhole } = pattern;
		if (!hasWildcard(glob.text)) return true;
		if (word.startsWith('-') && !glob.text.startsWith('-')) return false;
		const guards: Guards | undefined = (isWhole ? part.guards() : part.addressGuards())[at];
		return guards === undefined || glob.matches(word, budget, guards);
	}
}

interface PartPattern {
	globs: readonly Glob[];
	/** Undefined if it begins with a wildcard */
	first?: Glob;
	/** Typed words after the first, and the same at the end of a path that leads out of the folder */
	typed: ReadonlyArray<{ glob: Glob; end: Glob }>;
	/** The letters of its short options: `rf` of `rm -rf`, which is also `-fr` and `-r -f` */
	letters: string;
}

/** In a rule, a word such as `-delete` isn't several options. */
const SHORT_OPTIONS = /^-[a-z]{1,3}$/;

const joinLetters = (words: readonly string[]): string =>
	words.map((word) => /^-([a-z]+)$/.exec(word)?.[1] ?? '').join('');

function readPart({ words }: CommandPart): PartPattern {
	const folded = words.map(fold);
	const first = hasWildcard(folded[0]) ? folded[0] : withoutFolder(folded[0]);
	const line = [first, ...folded.slice(1)];
	const isOpen = line.length > 1 && isAny(line[line.length - 1]);
	const texts = [line.join(' '), ...(isOpen ? [line.slice(0, -1).join(' ')] : [])];
	return {
		globs: texts.map((text) => new Glob(text)),
		...(!isAny(first) && { first: new Glob(first) }),
		typed: line
			.slice(1)
			.filter((word) => !isAny(word) && !SHORT_OPTIONS.test(word))
			.map((word) => ({ glob: new Glob(word), end: new Glob(`${ANY}/${word}`) })),
		letters: joinLetters(line.slice(1).filter((word) => SHORT_OPTIONS.test(word))),
	};
}

const matchesPart = ({ globs }: PartPattern, part: ComparedPart, budget: MatchBudget): boolean =>
	part.lines().some((line) => globs.some((glob) => glob.matches(line, budget)));

/** Returns whether the typed words are in the part, in this order, with others between, and the letters of its options anywhere. */
function hasTypedWords(
	{ first, typed, letters }: PartPattern,
	part: ComparedPart,
	budget: MatchBudget,
): boolean {
	const folded = part.folded();
	const programs = passesOn(part.words[0]) ? folded : [part.program(), folded[0]];
	if (!first || !programs.some((program) => first.matches(program, budget))) return false;
	const given = joinLetters(folded.slice(1));
	if ([...letters].some((letter) => !given.includes(letter))) return false;
	let next = 0;
	for (const word of folded.slice(1)) {
		const { glob, end } = typed[next] ?? {};
		const ends = () => /^(?:[/~]|\.\.)/.test(word) && end?.matches(word, budget);
		if (glob?.matches(word, budget) || ends()) next++;
	}
	return next === typed.length;
}

export class CommandObjection {
	private readonly parts: readonly PartPattern[];
	/** For a pattern that isn't plain. A plain command can only have its text in quotation marks. */
	private readonly raw: Glob;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern);
		this.raw = new Glob(foldCase(parsed));
		this.parts = readPlainPattern(parsed)?.map(readPart) ?? [];
	}

	reach(part: ComparedPart, all: readonly ComparedPart[], budget: MatchBudget): Reach {
		const { parts } = this;
		const [only] = parts;
		if (parts.length === 0 && part.lines().some((line) => this.raw.matches(line, budget)))
			return YES;
		if (parts.length === 1 && matchesPart(only, part, budget)) return YES;
		const runs = part.runs();
		if (runs !== undefined) return doubt(runs);
		if (parts.length === 1)
			return hasTypedWords(only, part, budget)
				? doubt('it has the same words in other places')
				: NO;
		const isIn = (pattern: PartPattern, one: ComparedPart) =>
			matchesPart(pattern, one, budget) || hasTypedWords(pattern, one, budget);
		const isMeant =
			parts.some((pattern) => isIn(pattern, part)) &&
			parts.every((pattern) => all.some((one) => isIn(pattern, one)));
		return isMeant ? doubt('the request has each of its commands') : NO;
	}
}
