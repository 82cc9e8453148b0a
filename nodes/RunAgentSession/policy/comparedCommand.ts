import { foldCase } from './globs';
import { guardWords } from './guards';
import { lazily } from './lazily';
import { normalizePath } from './paths';
import { readPlainCommand, type CommandPart } from './plainCommand';
import { programName } from './programs';
import { quoteText } from './quoteText';
import { FOLDER_CHANGES, unquote, Words } from './words';

// A command of a request in the forms that rules compare.

/** Reads more than what is in the command */
const SHELLS = 'sh bash dash ash zsh ksh fish csh tcsh pwsh powershell eval'.split(' ');
const READING = ['.', 'source', 'cmd'];

/** `$` and what follows, by which a shell takes a text from somewhere else. In plain words it's in quotation marks of one kind. */
const VARIABLE = /\$[\p{L}_({["]/u;
const PARAMETER = /\$[\p{L}\p{N}_({["'@*-]/u;
const INVISIBLE = /(?![ \n\t])[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]/u;
const SIMPLE = /^[\p{L}\p{N}\p{M}._/~+-]+$/u;

const CLOSED = /^(?:[^'"\\]|\\[^]?|'[^']*'|"(?:[^"\\]|\\[^])*")*$/;

/** A part of a plain command, or a text that isn't plain as a whole, without words */
export class ComparedCommand {
	readonly text: string;
	readonly words: readonly string[];
	readonly assignments: readonly string[];
	/** Its program without and with a folder. Empty if it isn't plain. */
	readonly programs: readonly string[];
	/** True for `cd` */
	readonly changesFolder: boolean;
	/** As rules that deny or ask compare it: with each form of its program, and with what is set for it */
	readonly lines = lazily(() => {
		const [set, others] = [this.assignments, this.words.slice(1).map(normalizePath)].map((words) =>
			words.map(foldCase),
		);
		return this.programs.flatMap((program) =>
			(set.length > 0 ? [[], set] : [[]]).map((before) =>
				[...before, program, ...others].join(' '),
			),
		);
	});
	/** Places that wildcards don't match, for each word */
	readonly guards = lazily(() => guardWords(this.words));
	/** Everything that isn't the program of a plain part */
	readonly others: () => Words;
	/** Why a rule that denies or asks can't be sure what it runs */
	readonly unread: () => string | undefined;

	/** True if there's a `cd` before */
	readonly isAfterChange: boolean;
	/** Why the text isn't plain */
	readonly problem: string | undefined;

	/** @param whole the text that it's a part of */
	constructor(
		{ text, words, assignments, around }: CommandPart,
		whole: string,
		isAfterChange: boolean,
		problem?: string,
	) {
		const [first = ''] = words;
		this.isAfterChange = isAfterChange;
		this.problem = problem;
		this.text = text;
		this.words = words;
		this.assignments = assignments;
		const path = normalizePath(first);
		this.programs = words.length > 0 ? [...new Set([programName(path), path].map(foldCase))] : [];
		this.changesFolder = FOLDER_CHANGES.includes(this.programs[0]);
		this.others = lazily(() => new Words(SIMPLE.test(first) ? around : `${first} ${around}`));
		this.unread = lazily(
			() => this.findUnreadable(`${first} ${around}`, whole) ?? this.findShell(),
		);
	}

	/** Returns what nobody can read in it. */
	private findUnreadable(text: string, whole: string): string | undefined {
		const isPlain = this.problem === undefined;
		if (INVISIBLE.test(text)) return 'it has characters that nobody sees';
		if (text.includes('`')) return 'nobody can read «`»';
		// `set` can give `$1` another meaning.
		const isSet = !isPlain || /set/i.test(unquote(whole));
		const [variable] = (isSet ? PARAMETER : VARIABLE).exec(text) ?? [];
		if (variable !== undefined) return `nobody can read ${quoteText(variable)}`;
		const [odd] = isPlain ? [] : (/[%^]/.exec(text) ?? []);
		if (odd !== undefined) return `nobody can read ${quoteText(odd)}`;
		return !isPlain && !CLOSED.test(text) ? 'a quotation mark is not closed' : undefined;
	}

	/** Returns why it reads more than is in it. */
	private findShell(): string | undefined {
		const names = [...this.programs, ...this.others().pieces];
		const programs = this.problem === undefined ? this.programs : names;
		const shell =
			programs.find((name) => READING.includes(name)) ??
			names.find((name) => SHELLS.includes(name.replace(/[\d.-]{1,9}$/, '')));
		return shell === undefined
			? undefined
			: `${quoteText(shell)} can run what isn't in the command`;
	}

	/** True if it's a `cd` to one folder */
	get namesFolder(): boolean {
		const [, folder = '', ...others] = this.words;
		return others.length === 0 && /^[^-+]/.test(folder) && this.programs[0] !== 'popd';
	}
}

/** Reads a command as rules compare it: its plain parts, or all of it. */
export function readCommand(text: string): ComparedCommand[] {
	const read = readPlainCommand(text);
	if ('problem' in read) {
		const all = { text, words: [], assignments: [], around: text };
		return [new ComparedCommand(all, text, false, read.problem)];
	}
	let isAfterChange = false;
	return read.parts.map((part) => {
		const command = new ComparedCommand(part, text, isAfterChange);
		isAfterChange ||= command.changesFolder;
		return command;
	});
}
