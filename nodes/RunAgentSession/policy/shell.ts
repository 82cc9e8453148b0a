import { UNKNOWN_PART } from './patterns';
import { programName, readAssignment, readCommand, runsFiles, writesFiles } from './programs';

// Reads the commands that a shell would run for a request's text, for rules that deny or ask. In doubt, it makes a rule ask.

/** The connection of a command to the one before it */
export type Joint = 'then' | 'pipe' | 'in' | 'out';

/** A command in the form that rules compare. It has `UNKNOWN_PART` where only the shell knows the text. */
export interface CommandForm {
	joint: Joint;
	/** The number of the command in the text. A command can have several forms. */
	command: number;
	text: string;
	/** True if the text surely runs it */
	isCertain: boolean;
}

/** The commands that a text may run. */
export interface ShellReading {
	/** In the order of the text */
	forms: CommandForm[];
	/** Parts that can't be read for certain */
	doubts: Set<string>;
}

/** Texts in texts, such as `bash -c "bash -c ls"` */
const MAX_DEPTH = 5;
/** Commands in commands, such as `ls $(ls $(ls))` */
const MAX_NESTING = 20;
/** Characters of all forms of a text */
const MAX_FORM_LENGTH = 1_000_000;

const ASSIGNMENT = /^[a-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Sums whose result depends on numbers and variables alone */
const PLAIN_SUMS = /\$?\(\([\w\s+*%<>=!-]*\)\)/g;
/** Text that can put a command into a variable. A variable with `a[$(ls)]` runs `ls` where the shell expects a number. */
const COMMAND_SOURCE = /[`\\<{(]|\bread\b/;
/** Comparisons of numbers */
const NUMBER_TEST = /^-(?:eq|ne|[lg][te]|v)$/;
const SEPARATOR = /^[;&|\n\r\v\f\u0085\u2028\u2029]+/;
const REDIRECTION = /^(?:&>>?|>>|>&|>\||<>|<&|<<<|<<|[<>])/;
const SIMPLE_VARIABLE =
	/^\$(?:[a-z_]\w*|[\d@*#?$!-]|\{#?(?:[a-z_]\w*|\d+|[@*#?$!-])(?:\[[@*\d]+\])?\})/;
const SIMPLE_SUM = /^\$\(\([\w\s+*%-]*\)\)/;
const ANSI_QUOTED = /^\$'((?:[^'\\]|\\[^])*)'/;
/** Characters that can make an argument a command line */
const COMMAND_LINE = /[\s;&|<>()`$'"\\{}[\]*?~!]/;
const QUOTED_COMMAND = /\$\(|`/;

/** The state that the readers of a text and of the texts in it share. */
interface SharedState {
	commands: number;
	/** The characters that forms can still have */
	left: number;
	/** Names of files that the text may write */
	written: Set<string>;
	/** True if a variable of the text can have a command in it */
	hasSource: boolean;
}

/** A word that the reader hasn't finished. */
interface WordDraft {
	start: number;
	text: string;
	/** True if the rest of the word is unknown */
	isOpen: boolean;
}

/** The state between two commands */
const NO_COMMAND = { word: undefined, target: undefined, joint: 'then' };

/** Reads a text, in lower case, in the way that bash does. */
class ShellReader {
	private at = 0;
	private word?: WordDraft;
	private words: string[] = [];
	private raws: string[] = [];
	private joint: Joint = 'then';
	private nesting = 0;
	/** The redirection that the next word belongs to. Its file isn't one of the command's words. */
	private target?: Joint;
	/** The files of the command's redirections */
	private targets: Array<{ joint: Joint; file: string }> = [];

	private readonly text: string;
	private readonly reading: ShellReading;
	private readonly shared: SharedState;
	private readonly depth: number;

	constructor(text: string, reading: ShellReading, shared: SharedState, depth = 0) {
		this.text = text;
		this.reading = reading;
		this.shared = shared;
		this.depth = depth;
	}

	readAll(): void {
		if (this.depth > MAX_DEPTH) {
			this.reading.doubts.add('commands in commands in commands');
			return;
		}
		while (this.at < this.text.length) this.readList('');
	}

	/** Reads commands up to the closing parenthesis `end`, or up to the end of the text. */
	private readList(end: string): void {
		let open = 0;
		while (this.at < this.text.length) {
			const character = this.text[this.at];
			if (character === ')' && open === 0 && end === ')') {
				this.endCommand('then');
				this.at++;
				return;
			}
			if (character === '(') open += this.openParenthesis();
			else if (character === ')') {
				open--;
				this.endCommand('then');
				this.at++;
			} else this.readOne(character);
		}
		this.endCommand('then');
		if (end !== '') this.reading.doubts.add('a parenthesis that is not closed');
	}

	/** Reads a parenthesis: a subshell, or the values of an array. Returns the number that remain open. */
	private openParenthesis(): number {
		this.at++;
		const raw = this.word ? this.text.slice(this.word.start, this.at - 1) : '';
		if (this.words.length === 0 && ASSIGNMENT.test(raw) && raw.endsWith('=')) {
			this.readNested();
			return 0;
		}
		if (this.word || this.words.length > 0)
			this.reading.doubts.add('a function or a pattern in parentheses');
		else if (this.text[this.at] === '(') this.doubtNumbers();
		this.endCommand(this.words.length > 0 ? 'then' : this.joint);
		return 1;
	}

	/** Reads one character, or the syntax that begins with it. */
	private readOne(character: string): void {
		const rest = this.text.slice(this.at, this.at + 2);
		if (character === ' ' || character === '\t') this.endWord(1);
		else if (character === '#' && this.isAtToken()) this.readComment();
		else if (character === "'") this.readQuoted();
		else if (character === '"') this.readDoubleQuoted();
		else if (character === '\\') this.readEscaped();
		else if (character === '$') this.readDollar(false);
		else if (character === '`') this.readBackquoted();
		else if (/[<>]/.test(character) || rest === '&>') this.readRedirection();
		else if (SEPARATOR.test(character)) this.readSeparator();
		else this.readPlain(character, rest[1]);
	}

	private append(text: string, length: number): void {
		this.word ??= { start: this.at, text: '', isOpen: false };
		if (!this.word.isOpen) this.word.text += text;
		this.at += length;
	}

	/** Appends any text up to the end of the word: a pattern's files, or several words. */
	private appendOpen(length: number): void {
		this.append(UNKNOWN_PART, length);
		this.word!.isOpen = true;
	}

	/** Returns whether a bracket here begins an index: `a[ 0 ]=` is one word. */
	private isIndex(): boolean {
		return /^[a-z_]\w*$/.test(this.word?.text ?? '');
	}

	private readPlain(character: string, next = ' '): void {
		const isBracket = character === '[' && (this.isIndex() || !/[\s[]/.test(next));
		const isPattern = /[*?]/.test(character) || isBracket;
		const isClass = character === '[' && /^\[\[\S/.test(this.text.slice(this.at, this.at + 3));
		const isBrace = character === '{' && !/[\s}]/.test(next);
		const isHome = character === '~' && !this.word;
		const isHistory = character === '!' && !/[\s=("']/.test(next);
		const isOpen = isPattern || isClass || isBrace || isHome || isHistory;
		if (isOpen) this.appendOpen(1);
		else this.append(character, 1);
	}

	/** Returns whether a token of bash begins here. Other white space is part of a word. */
	private isAtToken(): boolean {
		return !this.word && /[ \t\n;&|()<>]/.test(this.text[this.at - 1] ?? ' ');
	}

	/** Reads a comment as commands, because some shells have no comments. */
	private readComment(): void {
		const [comment] = /^[^\n]*/.exec(this.text.slice(this.at))!;
		const reading = { ...this.reading, doubts: new Set<string>() };
		new ShellReader(comment.slice(1), reading, this.shared, this.depth + 1).readAll();
		this.at += comment.length;
	}

	private readEscaped(): void {
		const next = this.text[this.at + 1] ?? '';
		if (next === '\n') this.at += 2;
		else this.append(next, 2);
	}

	private readQuoted(): void {
		const end = this.text.indexOf("'", this.at + 1);
		if (end < 0) this.reading.doubts.add('a quotation mark that is not closed');
		const content = this.text.slice(this.at + 1, end < 0 ? undefined : end);
		this.append(content, content.length + 2);
	}

	private readDoubleQuoted(): void {
		this.append('', 1);
		while (this.at < this.text.length) {
			const character = this.text[this.at];
			if (character === '"') {
				this.at++;
				return;
			}
			if (character === '\\' && /[$`"\\\n]/.test(this.text[this.at + 1] ?? '')) this.readEscaped();
			else if (character === '$') this.readDollar(true);
			else if (character === '`') this.readBackquoted();
			else this.append(character, 1);
		}
		this.reading.doubts.add('a quotation mark that is not closed');
	}

	/** Reads a variable, a sum, a command in `$()`, or a text in `$''`. */
	private readDollar(isQuoted: boolean): void {
		const rest = this.text.slice(this.at, this.at + 1_000);
		const [, ansi] = (!isQuoted && ANSI_QUOTED.exec(rest)) || [];
		const [simple] = SIMPLE_VARIABLE.exec(rest) ?? SIMPLE_SUM.exec(rest) ?? [];
		// A name that continues in the next line
		if (rest.startsWith('\\\n', simple?.length ?? 1))
			this.reading.doubts.add('a variable with a line break in it');
		if (ansi !== undefined) this.append(ansi.includes('\\') ? UNKNOWN_PART : ansi, ansi.length + 3);
		else if (!isQuoted && (simple === '$ifs' || simple === '${ifs}')) {
			// The variable can be empty: `r${IFS}m` can be `rm`.
			this.reading.doubts.add('a variable with separators');
			this.endWord(simple.length);
		} else if (simple !== undefined) {
			if (/^\$\(\(.*[a-z_]/s.test(simple)) this.doubtNumbers();
			this.append(UNKNOWN_PART, simple.length);
		} else if (rest.startsWith('$(')) {
			this.append(UNKNOWN_PART, 2);
			this.readNested();
		} else if (/^\$[{[]/.test(rest) || (!isQuoted && rest.startsWith("$'"))) {
			this.reading.doubts.add('a variable with an expression');
			this.append(UNKNOWN_PART, 2);
		} else if (!isQuoted && rest.startsWith('$"')) this.at++;
		else this.append('$', 1);
	}

	/** Notes a number that can be a variable. The shell also runs commands in its value. */
	private doubtNumbers(): void {
		if (this.shared.hasSource) this.reading.doubts.add('a number that only the shell knows');
	}

	/** Reads the commands up to a closing parenthesis, as a part of their word. */
	private readNested(): void {
		const { word, words, raws, joint, target, targets } = this;
		Object.assign(this, NO_COMMAND, { words: [], raws: [], targets: [] });
		if (this.nesting < MAX_NESTING) {
			this.nesting++;
			this.readList(')');
			this.nesting--;
		} else this.reading.doubts.add('commands in commands in commands');
		Object.assign(this, { word, words, raws, joint, target, targets });
	}

	private readBackquoted(): void {
		const [all, content = ''] = /^`((?:[^`\\]|\\[^])*)`?/.exec(this.text.slice(this.at))!;
		if (content.includes('\\') || all.length < content.length + 2)
			this.reading.doubts.add('a command in backquotes');
		this.readText(content.replace(/\\([$`\\])/g, '$1'));
		this.append(UNKNOWN_PART, all.length);
	}

	/** Reads a text inside this one. */
	private readText(text: string): void {
		new ShellReader(text, this.reading, this.shared, this.depth + 1).readAll();
	}

	private readRedirection(): void {
		const [operator] = REDIRECTION.exec(this.text.slice(this.at, this.at + 3))!;
		if (operator === '<<') this.reading.doubts.add('a here-document');
		const raw = this.word ? this.text.slice(this.word.start, this.at) : '';
		// The number of a file, or a variable with the number
		if (/^(?:\d+|\{\w+\})$/.test(raw)) this.word = undefined;
		this.endWord(0);
		this.at += operator.length;
		if (this.text[this.at] === '(' && /^[<>]$/.test(operator)) {
			this.at++;
			this.append('', 0);
			this.readNested();
			this.word!.text = UNKNOWN_PART;
		} else this.target = operator.startsWith('<') ? 'in' : 'out';
	}

	private readSeparator(): void {
		const [operator] = SEPARATOR.exec(this.text.slice(this.at, this.at + 2))!;
		this.endCommand(/^\|(?!\|)/.test(operator) ? 'pipe' : 'then');
		this.at += /^(?:\|[|&]|&&)/.test(operator) ? 2 : 1;
	}

	/** Ends the word before the current place, if there is one, and advances. */
	private endWord(length: number): void {
		const { word, target } = this;
		const raw = word ? this.text.slice(word.start, this.at).replace(/\\\n/g, '') : '';
		this.at += length;
		if (!word) return;
		this.word = undefined;
		if (target) {
			this.target = undefined;
			this.targets.push({ joint: target, file: word.text });
		} else if (this.words.length > 0 || !ASSIGNMENT.test(raw)) {
			this.words.push(word.text);
			this.raws.push(raw);
		} else this.readAssignment(word.text);
	}

	/** Reads an assignment before a command. Programs run the values of some variables. */
	private readAssignment(text: string): void {
		const { command, doubt } = readAssignment(text);
		if (doubt !== undefined) this.reading.doubts.add(doubt);
		if (QUOTED_COMMAND.test(text)) this.reading.doubts.add('a command in quotation marks');
		if (/^\w+(?:\uFFFF|\[(?![\d@*]+\]))/.test(text)) this.doubtNumbers();
		if (command !== undefined) this.readText(command);
	}

	/** Ends the command before the current place, if there is one. */
	private endCommand(next: Joint): void {
		this.endWord(0);
		const { words, raws, joint, targets } = this;
		Object.assign(this, NO_COMMAND, { words: [], raws: [], targets: [], joint: next });
		if (words.length > 0) this.addCommand(joint, words, raws);
		for (const { joint: to, file } of targets) {
			this.addForm(to, this.shared.commands++, [file]);
			if (to === 'out') this.shared.written.add(programName(file));
		}
	}

	private addCommand(joint: Joint, words: string[], raws: string[]): void {
		const command = this.shared.commands++;
		const { starts, doubts, runsText } = readCommand(words);
		const readings = raws.every((raw, at) => raw === words[at]) ? [words] : [words, raws];
		for (const doubt of doubts) this.reading.doubts.add(doubt);
		const braces = raws.some((raw) => /\{.*,/s.test(raw))
			? raws
					.join(' ')
					.replace(/['"\\]/g, '')
					.replace(/[{},]/g, ' ')
					.split(' ')
					.filter(Boolean)
			: [];
		for (const { at, isCertain } of starts)
			for (const all of readings) this.addForm(joint, command, all.slice(at), isCertain);
		if (braces.length > 0) this.addForm(joint, command, braces);
		if (words.some((word) => NUMBER_TEST.test(word))) this.doubtNumbers();
		this.noteFiles(starts.map(({ at }) => words.slice(at).map(programName)));
		for (const word of words) {
			const { doubt } = readAssignment(word);
			if (doubt !== undefined) this.reading.doubts.add(doubt);
			if (QUOTED_COMMAND.test(word)) this.reading.doubts.add('a command in quotation marks');
			if (runsText && COMMAND_LINE.test(word)) this.readText(word);
		}
	}

	/** Notes the files that a command may write, and doubts a command that may run one that was written before. */
	private noteFiles(commands: readonly string[][]): void {
		const { written } = this.shared;
		for (const [program, ...files] of commands) {
			const run = runsFiles(program) ? [program, ...files] : [program];
			if (run.some((file) => written.has(file)))
				this.reading.doubts.add('a program that it writes');
		}
		for (const [program, ...files] of commands)
			if (writesFiles(program)) for (const file of files) written.add(file.replace(/^\w+=/, ''));
	}

	/** Adds a command, and its forms without the folder of its program. */
	private addForm(joint: Joint, command: number, words: string[], isCertain = true): void {
		const [program, ...others] = words;
		// The unknown part of a program can have a slash or a space.
		const unknown = program.indexOf(UNKNOWN_PART);
		const names = [program, programName(program), program.slice(Math.max(0, unknown))];
		for (const name of new Set(names)) {
			// An unknown word can be missing.
			const text = [name, ...others].join(' ').replace(/ ?\uFFFF ?/g, UNKNOWN_PART);
			this.shared.left -= text.length;
			if (this.shared.left < 0) this.reading.doubts.add('more than can be read');
			else this.reading.forms.push({ joint, command, text, isCertain });
		}
	}
}

/** Returns all commands that a text may run, in lower case. */
export function readShell(text: string): ShellReading {
	const reading: ShellReading = { forms: [], doubts: new Set() };
	const lower = text.toLowerCase();
	const shared: SharedState = {
		commands: 0,
		left: MAX_FORM_LENGTH,
		written: new Set(),
		hasSource: COMMAND_SOURCE.test(lower.replace(PLAIN_SUMS, '')),
	};
	new ShellReader(lower, reading, shared).readAll();
	// bash ignores the character: `r\0m` is `rm`.
	if (lower.includes('\0')) reading.doubts.add('a null character');
	return reading;
}
