import { lazily } from '../../shared/lazily';
import { quoteText } from '../../shared/values';
import { foldCase, type Guards } from './globs';
import { normalizePath } from './paths';
import { readPlainCommand, type CommandPart } from './plainCommand';
import { findRunningWords, programName } from './programs';
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

/** Returns the unreadable piece of a part of a command. */
function findUnreadableText(text: string, whole: string, isPlain: boolean): string | undefined {
	if (INVISIBLE.test(text)) return 'it has invisible characters';
	// `set` can give `$1` another meaning.
	const variable = isPlain && !/set/i.test(unquote(whole)) ? VARIABLE : PARAMETER;
	const odd = [/`/, variable, ...(isPlain ? [] : [/[%^]/])].find((each) => each.test(text));
	if (odd) return `rules can't read ${quoteText(odd.exec(text)![0])}`;
	return isPlain || CLOSED.test(text) ? undefined : 'a quotation mark is not closed';
}

/** Leads out of the folder, as `C:\x` and `\\server` of Windows do. A space is in quotation marks, where it counts as a letter. */
const OUTSIDE =
	/(?<![\p{L}\p{N}\p{M}._/)\]}*\s])\/|(?<![\p{L}\p{N}\p{M}\s])~|(?<![\p{L}\p{N}\p{M}.\s])\.\.(?![\p{L}\p{N}\p{M}.])|(?<![\p{L}\p{N}\p{M}])(?:[a-z]:\\|\\\\)/giu;
/** Glued to a short option: `-I/x`, `-C..`, `-I~/x`, `-IC:\x` */
const GLUED = /^-[\p{L}\p{N}]*(\/|~|\.\.(?![\p{L}\p{N}\p{M}.])|:\\|\\\\)/u;
/** Begins an address on another machine. A letter alone is a drive, and `file://` is here. */
const SCHEME = /(?<![a-z\d+.-])(?![a-z\d+.-]*file)[a-z][a-z\d+.-]+:\/\/(?!\/)/gi;

/** Returns the places that lead out of the folder, or by which the program runs others. */
function guardWord(word: string, isRunning: boolean): Guards | undefined {
	const guards = new Uint8Array(word.length).fill(isRunning ? 1 : 0);
	const text = word.replace(SCHEME, (found) => 'x'.repeat(found.length));
	for (const { 0: found, index } of text.matchAll(OUTSIDE))
		guards.fill(1, index, index + found.length);
	const [glued = '', out = ''] = GLUED.exec(text) ?? [];
	guards.fill(1, glued.length - out.length, glued.length);
	return guards.includes(1) ? guards : undefined;
}

/** Returns the places of each word that no wildcard of an approval matches. */
function guardWords(words: readonly string[]): Array<Guards | undefined> {
	const running = findRunningWords(words);
	return words.map((word, at) => guardWord(word, running.has(at)));
}

export type ComparedCommand = ReturnType<typeof compareCommand>;

/**
 * Describes a plain part, or a text without words that isn't plain.
 * @param whole the text that it's a part of
 * @param isAfterChange true if there's a `cd` before
 * @param problem why the text isn't plain
 */
function compareCommand(
	part: CommandPart,
	whole: string,
	isAfterChange: boolean,
	problem?: string,
) {
	const { words, assignments, around } = part;
	const [first = '', ...others] = words;
	const path = normalizePath(first);
	/** Its program without and with a folder. Empty if it isn't plain. */
	const programs = words.length > 0 ? [...new Set([programName(path), path].map(foldCase))] : [];
	const isPlain = problem === undefined;
	const otherWords = lazily(() => new Words(SIMPLE.test(first) ? around : `${first} ${around}`));

	/** Returns why it reads more than is in it. */
	function findShell(): string | undefined {
		const names = [...programs, ...otherWords().pieces];
		const shell =
			(isPlain ? programs : names).find((name) => READING.includes(name)) ??
			names.find((name) => SHELLS.includes(name.replace(/[\d.-]{1,9}$/, '')));
		return shell && `${quoteText(shell)} can run what isn't in the command`;
	}

	return {
		...part,
		problem,
		isAfterChange,
		programs,
		/** True for `cd` */
		changesFolder: FOLDER_CHANGES.includes(programs[0]),
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
		/** Why a rule that denies or asks can't be sure what it runs */
		unread: lazily(() => findUnreadableText(`${first} ${around}`, whole, isPlain) ?? findShell()),
	};
}

/** Reads a command as rules compare it: its plain parts, or all of it. */
export function readCommand(text: string): ComparedCommand[] {
	const read = readPlainCommand(text);
	if ('problem' in read) {
		const all = { text, words: [], assignments: [], around: text };
		return [compareCommand(all, text, false, read.problem)];
	}
	let isAfterChange = false;
	return read.parts.map((part) => {
		const command = compareCommand(part, text, isAfterChange);
		isAfterChange ||= command.changesFolder;
		return command;
	});
}
