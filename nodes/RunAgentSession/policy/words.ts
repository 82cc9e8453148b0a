import { foldCase, Glob, hasBare, hasWildcard, normalizePath, toGlob } from '../../shared/globs';
import { lazily, decodePath, quoteText } from '../../shared/values';
import { compareWord } from './addresses';
import { Places } from './paths';
import { readPlainCommand, type CommandPart } from './plainCommand';
import { guardWords, listProgramNames, programName, VERSION } from './programs';

// The words that a shell or another program may find in a text, whatever their place: a denial looks for its own in here.

const WORD_PIECE = /[\p{L}\p{N}\p{M}._/~+\uFDD0\uFDD1-]+/gu;
const SHELL_ESCAPE = /(?<!\\)\\+(?:x([\da-f]{1,2})|[uU]([\da-f]{1,6})|0?([0-7]{1,3}))/gi;
/** In front of a number: `0777` is `777` */
export const ZEROS = /^0+(?=\d+$)/;
const FOLDER_CHANGES = ['cd', 'pushd', 'popd', 'chdir'];
/** Places in a joined option where a word can begin: `rm` in `-tfxrm` */
const MAX_JOINED = 10;

/** Returns the pieces of a word if other characters separate words, too. */
export const splitWord = (word: string): string[] => word.match(WORD_PIECE) ?? [];

/** Returns a text without what shells remove. `$1` is empty. */
const unquote = (text: string): string => text.replace(/\\\n|\$[\d@*]|['"\\]/g, '');

const unescape = (text: string): string =>
	text.replace(SHELL_ESCAPE, (_, hex?: string, unicode?: string, octal?: string) => {
		const code = parseInt(hex ?? unicode ?? octal!, octal === undefined ? 16 : 8);
		return code > 0x10ffff ? '' : String.fromCodePoint(code);
	});

/** Names of signals by their number, from 1 */
const SIGNALS = 'hup int quit ill trap abrt bus fpe kill usr1 segv usr2 pipe alrm term'.split(' ');
const SIGNAL = new RegExp(
	`(?<!\\S)-(?:(?:[sn]|-signal)[\\s=]*)?(?:sig)?0*(${SIGNALS.join('|')}|[1-9]\\d*)(?!\\S)`,
	'g',
);

/** Returns a text with numbers as options: `-9` for `-KILL`, `-s 9` and `--signal=SIGKILL` */
export const numberSignals = (text: string): string =>
	text.replace(SIGNAL, (_, name) => `-${SIGNALS.indexOf(name) + 1 || name}`);

/** Returns the forms of a text in which words can be: as typed, without quotation marks, with its escapes read, and with numbers. */
const listForms = (text: string): Set<string> =>
	new Set(
		[text, unescape(text)]
			.flatMap((each) => [each, unquote(each)])
			.flatMap((each) => [each, numberSignals(each)]),
	);

/** A word of the shell, with its quotation marks */
const SHELL_WORD = /(?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|[^\s;|&<>()'"`\\])+/g;
/** What a path begins behind, also in a quoted text. A name can have the first three. */
const BEFORE_PATH = /[=:,'"`()<>|;&\s]+/;
const BEFORE_WORD = /['"`()<>|;&\s]+/;
/** Of this machine, or of a relative path */
const FILE_ADDRESS = /file\w?:\/\/([^/\s,;]*)(\/[^\s,;]*)?/gi;
const LIST = /\{([^{},]*,[^{}]*)\}/;
const MAX_LISTED = 8;

/** Returns what the shell makes of a word with wildcards or `{a,b}`, or some of it with a list left. */
function expandWord(token: string): string[] {
	const expanded: string[] = [];
	const open = /[*?[{]/.test(token) ? [token] : [];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const found = expanded.length + open.length < MAX_LISTED ? LIST.exec(next) : null;
		if (!found) expanded.push(next);
		else
			for (const name of found[1].split(','))
				open.push(next.slice(0, found.index) + name + next.slice(found.index + found[0].length));
	}
	return expanded.map(toGlob);
}

/** Returns the texts of a command's words that can be paths. */
function listPathTexts(text: string): string[] {
	return (text.match(SHELL_WORD) ?? []).flatMap((word) => {
		const value = unquote(word);
		const forms = word.includes('\\') ? [value, word.replace(/\\+/g, '/')] : [value];
		if (/file/i.test(word)) forms.push(decodePath(value.replace(FILE_ADDRESS, '$1$2 $2')));
		return forms.flatMap((form) => [form, ...form.split(BEFORE_WORD), ...form.split(BEFORE_PATH)]);
	});
}

export class Words {
	/** As typed, as paths in their shortest form, as names of programs, and what can follow a short option at once */
	readonly pieces = new Set<string>();
	/** Names of programs that they may be */
	readonly programs = new Set<string>();
	/** What wildcards of the shell can be */
	readonly globs = new Map<string, Glob>();
	private readonly text: string;
	private readonly tokens: string[] = [];
	readonly addresses = lazily(() =>
		this.tokens.map((word) => ({ word, address: compareWord(word) })),
	);
	/** Its words, and what's behind another character in them, as paths */
	readonly paths = lazily(() => {
		const paths = new Set([...this.pieces, ...this.globs.keys()]);
		for (const path of listPathTexts(this.text))
			for (const each of [path, ...expandWord(path)]) paths.add(each);
		return paths;
	});
	/** True if a name that is only wildcards stands without quotation marks */
	readonly isOpen = lazily(() => hasBare(this.text));
	readonly places = lazily(() => new Places(this.paths(), this.isOpen()));
	/** True if nobody knows in which folder the words are */
	readonly isAnywhere = lazily(() => FOLDER_CHANGES.some((name) => this.pieces.has(name)));
	/** Options without their dashes, and which forms they have */
	private readonly options = lazily(() => {
		const all = [...this.pieces, ...this.globs.keys()];
		const options = all.filter((piece) => piece.startsWith('-'));
		return {
			names: options.map((option) => option.replace(/^-+/, '')),
			hasLong: options.some((option) => /^--./.test(option)),
			letters: new Set(options.flatMap((option) => [...(/^-([^-]+)/.exec(option)?.[1] ?? '')])),
			bundles: new Set(all.filter((piece) => /^[a-z]+$/.test(piece)).join('')),
		};
	});

	/** @param text of a command, or a part of one */
	constructor(text: string) {
		this.text = foldCase(text);
		for (const form of listForms(this.text))
			for (const token of form.match(/[^\s;|<>()'"`]+/g) ?? []) {
				this.tokens.push(token);
				for (const piece of [token, ...expandWord(token)].flatMap(splitWord)) this.add(piece);
			}
	}

	private add(piece: string): void {
		if (this.pieces.has(piece) || this.globs.has(piece)) return;
		const path = normalizePath(piece).replace(ZEROS, '');
		for (const name of [piece, path, programName(path)])
			if (hasWildcard(name)) this.globs.set(name, new Glob(name));
			else this.pieces.add(name);
		for (const name of listProgramNames(piece)) this.programs.add(name);
		// A sign in front is no part of a name: `+main`, `@file`.
		if (piece.startsWith('+')) this.add(piece.slice(1));
		if (!/^-[^-]/.test(piece)) return;
		for (let at = 2; at <= Math.min(piece.length - 1, MAX_JOINED); at++) this.add(piece.slice(at));
	}

	/** Returns whether a word is here, or could be because of wildcards. */
	has(word: Glob, pieces = this.pieces): boolean {
		return pieces.has(word.text) || [...this.globs.values()].some((glob) => word.canMeet(glob));
	}

	/**
	 * Returns whether an option may be here: joined, split, shortened, or as a long option for a short one and the reverse.
	 * @param isBundle true if short options can also have no dash: `tar xf`
	 */
	hasOption(option: string, isBundle: boolean): boolean {
		const { names, hasLong, letters, bundles } = this.options();
		const [name] = option.replace(/^-+/, '').split('=', 1);
		return (
			names.some((each) => hasWildcard(each) || (each.length > 1 && name.startsWith(each))) ||
			(/^\d+$/.test(name) && this.pieces.has(name)) ||
			(option.startsWith('--')
				? letters.size > 0
				: hasLong ||
					[...name].every((letter) => letters.has(letter) || (isBundle && bundles.has(letter))))
		);
	}
}

// A command of a request in the forms that rules compare

/** Reads more than what is in the command */
const SHELLS = new Set('sh bash dash ash zsh ksh fish csh tcsh pwsh powershell eval'.split(' '));
const READING = ['.', 'source', 'cmd'];

/**
 * `$` and what follows, by which a shell takes a text from somewhere else. In plain words it's in quotation marks of one kind. Before
 * a quotation mark at the end of a word, it's only a character.
 */
const VARIABLE = /\$(?:[\p{L}_({[]|"(?![\s;|&)]|$))/u;
const ANY_VARIABLE = /\$(?:[\p{L}\p{N}_({['@*-]|"(?![\s;|&)]|$))/u;
/** A list of names or numbers in a wildcard: `a@(b|c)`, `(a)b`, `a<1-9>` */
const NAME_LIST = /[^\s;|&<>$=(){}'"`\\]\((?!\))|\)[\p{L}\p{N}_./]|<\d*-\d*>/u;
const INVISIBLE_CHARACTER = /(?![ \n\t])[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]/u;
const SIMPLE = /^[\p{L}\p{N}\p{M}._/~+-]+$/u;
const CLOSED = /^(?:[^'"\\]|\\[^]?|'[^']*'|"(?:[^"\\]|\\[^])*")*$/;

/** Wildcards of the shell in a part */
const MAX_GLOBS = 50;

/** Returns the unreadable piece of a part of a command. */
function findUnreadableText(text: string, whole: string, isPlain: boolean): string | undefined {
	if (INVISIBLE_CHARACTER.test(text)) return 'it has invisible characters';
	// `set` can give `$1` another meaning.
	const variable = isPlain && !/set/i.test(unquote(whole)) ? VARIABLE : ANY_VARIABLE;
	const odd = [/`/, variable, ...(isPlain ? [] : [/[%^]/, NAME_LIST])].find((each) =>
		each.test(text),
	);
	if (odd) return `rules can't read ${quoteText(odd.exec(text)![0])}`;
	return isPlain || CLOSED.test(text) ? undefined : 'a quotation mark is not closed';
}

/** Returns why a part reads more than is in it. */
function findShell(
	programs: readonly string[],
	{ pieces, globs }: Words,
	isPlain: boolean,
): string | undefined {
	const words = [...programs, ...pieces];
	const shell =
		(isPlain ? programs : words).find((name) => READING.includes(name)) ??
		words.find((name) => SHELLS.has(name.replace(VERSION, '')));
	if (shell) return `${quoteText(shell)} can run what isn't in the command`;
	return globs.size > MAX_GLOBS ? 'it has too many wildcards' : undefined;
}

export type ComparedCommand = ReturnType<typeof compareCommand>;

/**
 * Describes a plain part, or a text without words that isn't plain.
 * @param whole the text that it's a part of
 * @param isAfterChange true if there's a `cd` before
 * @param requestFolder the request's folder
 * @param problem why the text isn't plain
 */
function compareCommand(
	part: CommandPart,
	whole: string,
	isAfterChange: boolean,
	requestFolder: string | undefined,
	problem?: string,
) {
	const { words, assignments, around } = part;
	const [first = '', ...others] = words;
	const path = normalizePath(first);
	/** Its program without and with a folder. Empty if it isn't plain. */
	const programs = words.length > 0 ? [...new Set([programName(path), path].map(foldCase))] : [];
	const isPlain = problem === undefined;
	const isOwn =
		first === 'cd' &&
		others.length === 1 &&
		requestFolder !== undefined &&
		normalizePath(others[0]) === requestFolder;
	const otherWords = lazily(() => new Words(SIMPLE.test(first) ? around : `${first} ${around}`));

	return {
		...part,
		problem,
		isAfterChange,
		programs,
		/** Names that its program may go by */
		names: [...programs, ...words.slice(0, 1).map(foldCase).flatMap(listProgramNames)],
		/** True for `true`, and for a `cd` to the request's own folder */
		doesNothing: isPlain && (isOwn || (first === 'true' && others.length === 0)),
		/** True for `cd` to somewhere else */
		changesFolder: FOLDER_CHANGES.includes(programs[0]) && !isOwn,
		/** True for a `cd` to one folder */
		namesFolder: others.length === 1 && /^[^-+]/.test(others[0]) && programs[0] !== 'popd',
		/** As rules that deny or ask compare it: with each form of its program, and with what is set for it */
		lines: lazily(() => {
			const rest = others.map((word) => foldCase(normalizePath(word)));
			const lines = programs.map((program) => [program, ...rest].join(' '));
			const set = assignments.map((each) => `${foldCase(each)} `).join('');
			return set === '' ? lines : lines.flatMap((line) => [line, set + line]);
		}),
		/** Places that wildcards don't match, for each word */
		guards: lazily(() => guardWords(words)),
		/** Everything that isn't the program of a plain part */
		others: otherWords,
		/** All of its words that can be paths */
		places: lazily(() => new Places([...otherWords().paths(), ...programs], otherWords().isOpen())),
		/** Why a rule that denies or asks can't be sure what it runs */
		unread: lazily(
			() =>
				findUnreadableText(`${first} ${around}`, whole, isPlain) ??
				findShell(programs, otherWords(), isPlain),
		),
	};
}

/** Reads a command as rules compare it: its plain parts, or all of it. */
export function readCommand(text: string, folder?: string): ComparedCommand[] {
	const requestFolder = folder?.startsWith('/') ? normalizePath(folder) : undefined;
	const { parts, problem } = readPlainCommand(text);
	let isAfterChange = false;
	return parts.map((part) => {
		const command = compareCommand(part, text, isAfterChange, requestFolder, problem);
		isAfterChange ||= command.changesFolder;
		return command;
	});
}
