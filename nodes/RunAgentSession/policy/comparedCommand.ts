import { foldCase, GUARDED } from './globs';
import { guardAddresses, guardWord } from './guards';
import { lazily } from './lazily';
import { normalizePath } from './paths';
import { readPlainCommand, type CommandPart } from './plainCommand';
import { findRunningWords, programName } from './programs';
import { quoteText } from './quoteText';
import { Words } from './words';

// A command of a request in the forms that rules compare: its plain parts, or the whole text.

/** What a denial needs of a part, or of a text that has no plain parts */
export interface ComparedCommand {
	/** Everything that isn't the program of a plain part */
	elsewhere: () => Words;
	/** Why a denial can't be sure what it runs */
	unread: () => string | undefined;
	/** True if nobody knows in which folder it runs */
	isAnywhere: boolean;
}

/** Reads more than what is in the command */
const SHELLS = 'sh bash dash ash zsh ksh fish csh tcsh pwsh powershell eval'.split(' ');
const READING = new Set(['.', 'source', 'cmd']);
const FOLDER_CHANGES = new Set(['cd', 'pushd', 'popd', 'chdir']);
const MENTIONS_CHANGE = /cd|pushd|popd|chdir/i;

/** `$` and what follows, by which a shell takes a text from somewhere else. In plain words it's in quotation marks of one kind. */
const VARIABLE = /\$[\p{L}_({["]/u;
const ANY_VARIABLE = /\$[\p{L}\p{N}_({["'@*-]/u;
const PARAMETER = /\$[\d@*-]/;
const INVISIBLE = /(?![ \n\t])[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]/u;
/** The program of each command in a text that isn't plain words */
const PROGRAM =
	/(?:^|[;&|\n(){}]|(?<![^\s;])(?:then|do|else|elif|if|while|until|time)(?=\s))[\s!]*(?:[a-z_]\w*\+?=\S*\s+)*([^\s;&|(){}<>]+)/gi;

function hasOpenQuote(text: string): boolean {
	let quote = '';
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === '\\' && quote !== "'") at++;
		else if (character === quote) quote = '';
		else if (quote === '' && (character === '"' || character === "'")) quote = character;
	}
	return quote !== '';
}

/** Returns whether a text may give `$1` another meaning. */
const setsParameters = (text: string): boolean => /set/i.test(text.replace(/['"\\]/g, ''));

interface Reading {
	isPlain: boolean;
	setsParameters: boolean;
}

/** Returns what nobody can read in a text. */
function findUnreadable(text: string, { isPlain, setsParameters }: Reading): string | undefined {
	if (INVISIBLE.test(text)) return 'it has characters that nobody sees';
	if (text.includes('`')) return 'nobody can read «`»';
	const [variable] =
		(isPlain ? VARIABLE : ANY_VARIABLE).exec(text) ??
		(setsParameters ? PARAMETER.exec(text) : undefined) ??
		[];
	if (variable !== undefined) return `nobody can read ${quoteText(variable)}`;
	return !isPlain && hasOpenQuote(text) ? 'a quotation mark is not closed' : undefined;
}

/** Returns a program that reads more than is in the command. */
function findShell(words: Words, programs: readonly string[]): string | undefined {
	const reading = programs.map(programName).find((program) => READING.has(program));
	if (reading !== undefined) return reading;
	const shell = SHELLS.find((name) => words.names.has(name));
	return (
		shell ?? [...words.names].find((name) => SHELLS.includes(name.replace(/[\d.-]{1,9}$/, '')))
	);
}

function findDoubt(text: string, reading: Reading, words: Words, programs: string[]) {
	const unreadable = findUnreadable(text, reading);
	if (unreadable !== undefined) return unreadable;
	const odd = programs.find((program) => /[%^]/.test(program));
	if (odd !== undefined) return `${quoteText(odd)} isn't the name of a program`;
	const shell = findShell(words, programs);
	return shell === undefined ? undefined : `${quoteText(shell)} can run what isn't in the command`;
}

/** Returns whether a text may go to another folder, behind another program or in a quoted text. */
const mentionsChange = (text: string, words: () => Words): boolean =>
	MENTIONS_CHANGE.test(text.replace(/\\\n|['"\\]/g, '')) &&
	[...FOLDER_CHANGES].some((name) => words().names.has(name));

const SIMPLE = /^[\p{L}\p{N}\p{M}._/~+-]+$/u;

/** A part of a plain command */
export class ComparedPart implements ComparedCommand {
	readonly text: string;
	readonly words: readonly string[];
	readonly assignments: readonly string[];
	/** The folder of a `cd` before. Empty if there's none, and undefined if it's not known. */
	readonly folder: string | undefined;
	readonly isAnywhere: boolean;
	readonly changesFolder: boolean;
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
	readonly folded = lazily(() => this.words.map((word) => foldCase(normalizePath(word))));
	readonly program: string;
	/** Without and with the folder of the program, and with what is set for it */
	readonly lines = lazily(() => {
		const [first, ...others] = this.folded();
		const set = this.assignments.map((each) => `${foldCase(each)} `).join('');
		return [...new Set([this.program, first, `${set}${this.program}`])].map((program) =>
			[program, ...others].join(' '),
		);
	});
	readonly elsewhere: () => Words;
	/** The words of each word after the program */
	readonly arguments = lazily(() =>
		this.words.slice(1).map((word) => {
			const words = new Words().add(word);
			if (this.folder) words.addIn(this.folder);
			return words;
		}),
	);
	readonly unread: () => string | undefined;

	/** @param before the part before it */
	constructor(
		{ text, words, assignments, around }: CommandPart,
		before: ComparedPart | undefined,
		reading: Reading,
	) {
		const folder = before ? before.nextFolder() : '';
		this.text = text;
		this.words = words;
		this.assignments = assignments;
		this.folder = folder;
		this.program = foldCase(programName(normalizePath(words[0])));
		this.changesFolder = FOLDER_CHANGES.has(this.program);
		this.elsewhere = lazily(() => {
			const found = new Words().add(around);
			if (!SIMPLE.test(words[0])) found.add(words[0]);
			if (folder) found.addIn(folder);
			return found;
		});
		this.isAnywhere =
			folder === undefined || before?.isAnywhere === true || mentionsChange(around, this.elsewhere);
		this.unread = lazily(() =>
			findDoubt(`${words[0]} ${around}`, reading, new Words().add(words[0]).add(around), [
				words[0],
			]),
		);
	}

	/** Returns the folder of the part after it. */
	nextFolder(): string | undefined {
		if (!this.changesFolder) return this.folder;
		const [, to] = this.words;
		// Of several changes, each may fail.
		return this.folder === '' && this.namesFolder && !/[*?]/.test(to)
			? normalizePath(to)
			: undefined;
	}

	/** True if it's a `cd` to one folder */
	get namesFolder(): boolean {
		const [, folder = '', ...others] = this.words;
		return others.length === 0 && /^[^-+]/.test(folder) && this.program !== 'popd';
	}
}

/** A command that has no plain parts */
function readUnplain(text: string): ComparedCommand {
	const words = lazily(() => new Words().add(text));
	const programs = lazily(() => [...text.matchAll(PROGRAM)].map(([, program]) => program));
	return {
		elsewhere: words,
		unread: lazily(() =>
			findDoubt(text, { isPlain: false, setsParameters: true }, words(), programs()),
		),
		get isAnywhere() {
			return mentionsChange(text, words);
		},
	};
}

/** Reads a command as rules compare it. */
export function readCommand(
	text: string,
): { parts: ComparedPart[] } | { problem: string; command: ComparedCommand } {
	const read = readPlainCommand(text);
	if ('problem' in read) return { problem: read.problem, command: readUnplain(text) };
	const reading = { isPlain: true, setsParameters: setsParameters(text) };
	const parts: ComparedPart[] = [];
	for (const each of read.parts)
		parts.push(new ComparedPart(each, parts[parts.length - 1], reading));
	return { parts };
}
