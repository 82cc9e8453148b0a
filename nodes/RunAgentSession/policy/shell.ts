import { UNKNOWN_PART } from './patterns';
import {
	type Certainty,
	listTexts,
	programName,
	readAssignment,
	readCommand,
	runsFiles,
	writesFiles,
} from './programs';

// Reads the commands that a shell would run, for rules that deny or ask. In doubt, the rule asks.

export type Joint = 'then' | 'pipe' | 'in' | 'out';

/** A command as rules compare it. It has `UNKNOWN_PART` where only the shell knows the text. */
export interface CommandForm {
	joint: Joint;
	/** Position in the text. One command can have several forms. */
	command: number;
	text: string;
	isCertain: boolean;
}

export interface ShellReading {
	forms: CommandForm[];
	/** Parts that can't be read for certain */
	doubts: Set<string>;
}

/** Texts in texts, such as `bash -c "bash -c ls"` */
const MAX_DEPTH = 5;
/** Commands in commands, such as `ls $(ls $(ls))` */
const MAX_NESTING = 20;
const MAX_FORM_LENGTH = 1_000_000;

const ASSIGNMENT = /^[a-z_]\w*(?:\[[^\]]*\])?\+?=/;
const PLAIN_SUMS = /\$?\(\([\w\s+*%<>=!-]*\)\)/g;
/** Can put a command into a variable: `a[$(ls)]` runs `ls` where the shell expects a number. */
const COMMAND_SOURCE = /[`\\<{(]|\bread\b/;
const NUMBER_TEST = /^-(?:eq|ne|[lg][te]|v)$/;
const SEPARATOR = /^[;&|\n\r\v\f\u0085\u2028\u2029]+/;
const REDIRECTION = /^(?:&>>?|>>|>&|>\||<>|<&|<<<|<<|[<>])/;
const SIMPLE_VARIABLE =
	/^\$(?:[a-z_]\w*|[\d@*#?$!-]|\{#?(?:[a-z_]\w*|\d+|[@*#?$!-])(?:\[[@*\d]+\])?\})/;
const SIMPLE_SUM = /^\$\(\([\w\s+*%-]*\)\)/;
const ANSI_QUOTED = /^\$'((?:[^'\\]|\\[^])*)'/;
const QUOTED_COMMAND = /\$\(|`/;

interface SharedState {
	commands: number;
	/** Characters that forms can still have */
	left: number;
	written: Set<string>;
	hasSource: boolean;
	/** True if the text so far can choose the value of an unknown word, such as in `x=rm; y $x` */
	choosesWords: boolean;
}

interface WordDraft {
	start: number;
	text: string;
	/** True if the rest of the word is unknown */
	isOpen: boolean;
}

const NO_COMMAND = { word: undefined, target: undefined, joint: 'then' };

/** Reads a text in lower case as bash does. */
class ShellReader {
	private at = 0;
	private word?: WordDraft;
	private words: string[] = [];
	private raws: string[] = [];
	private joint: Joint = 'then';
	private nesting = 0;
	/** Redirection to or from the next word, which isn't one of the command's words */
	private target?: Joint;
	private targets: Array<{ joint: Joint; file: string }> = [];

	private readonly text: string;
	private readonly reading: ShellReading;
	private readonly shared: SharedState;
	private readonly depth: number;
	/** True if a program may or may not run the text */
	private readonly isGuess: boolean;

	constructor(
		text: string,
		reading: ShellReading,
		shared: SharedState,
		depth = 0,
		isGuess = false,
	) {
		this.text = text;
		this.reading = reading;
		this.shared = shared;
		this.depth = depth;
		this.isGuess = isGuess;
	}

	readAll(): void {
		if (this.depth > MAX_DEPTH) {
			this.reading.doubts.add('commands in commands in commands');
			return;
		}
		while (this.at < this.text.length) this.readList('');
	}

	/** Reads up to the closing parenthesis `end`, or up to the end of the text. */
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

	/** Reads a subshell or an array's values. Returns the number of parentheses that remain open. */
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

	/** Makes the rest of the word unknown: a pattern's files, or several words. */
	private appendOpen(length: number): void {
		this.append(UNKNOWN_PART, length);
		this.word!.isOpen = true;
	}

	/** Returns whether a bracket begins an index, such as in `a[ 0 ]=`, which is one word. */
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

	/** Returns whether a token begins here. White space that bash doesn't know is part of a word. */
	private isAtToken(): boolean {
		return !this.word && /[ \t\n;&|()<>]/.test(this.text[this.at - 1] ?? ' ');
	}

	/** Reads a comment as commands, because some shells have no comments. */
	private readComment(): void {
		const [comment] = /^[^\n]*/.exec(this.text.slice(this.at))!;
		this.readText(comment.slice(1), true);
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

	private readDollar(isQuoted: boolean): void {
		const rest = this.text.slice(this.at, this.at + 1_000);
		const [, ansi] = (!isQuoted && ANSI_QUOTED.exec(rest)) || [];
		const [simple] = SIMPLE_VARIABLE.exec(rest) ?? SIMPLE_SUM.exec(rest) ?? [];
		if (rest.startsWith('\\\n', simple?.length ?? 1))
			this.reading.doubts.add('a variable with a line break in it');
		if (ansi?.includes('\\') || rest.startsWith('$(')) this.shared.choosesWords = true;
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

	/** Doubts a number that can be a variable, because the shell runs commands in its value. */
	private doubtNumbers(): void {
		if (this.shared.hasSource) this.reading.doubts.add('a number that only the shell knows');
	}

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
		this.shared.choosesWords = true;
		this.readText(content.replace(/\\([$`\\])/g, '$1'));
		this.append(UNKNOWN_PART, all.length);
	}

	/** Reads a text inside this one. Doubts don't count if it's a guess that a program runs it. */
	private readText(text: string, isGuess = this.isGuess): void {
		const reading = isGuess ? { ...this.reading, doubts: new Set<string>() } : this.reading;
		// Editors, databases and Git run a command after a sign (`!rm x`). Printers turn `\n` into a line break.
		const command = isGuess ? text.replace(/\\[nrt]/g, '\n').replace(/^[+\\:.!]+/, '') : text;
		new ShellReader(command, reading, this.shared, this.depth + 1, isGuess).readAll();
	}

	private readRedirection(): void {
		const [operator] = REDIRECTION.exec(this.text.slice(this.at, this.at + 3))!;
		if (operator === '<<') this.reading.doubts.add('a here-document');
		const raw = this.word ? this.text.slice(this.word.start, this.at) : '';
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

	private readAssignment(text: string): void {
		this.shared.choosesWords = true;
		const { value, isCommand, doubt } = readAssignment(text);
		if (doubt !== undefined) this.reading.doubts.add(doubt);
		if (QUOTED_COMMAND.test(text)) this.reading.doubts.add('a command in quotation marks');
		if (/^\w+(?:\uFFFF|\[(?![\d@*]+\]))/.test(text)) this.doubtNumbers();
		if (value !== undefined) this.readText(value, !isCommand || this.isGuess);
	}

	private endCommand(next: Joint): void {
		this.endWord(0);
		const { words, raws, joint, targets } = this;
		Object.assign(this, NO_COMMAND, { words: [], raws: [], targets: [], joint: next });
		const isPassedOn = next === 'pipe' || targets.some(({ joint: to }) => to === 'out');
		if (words.length > 0) this.addCommand(joint, words, raws, isPassedOn);
		for (const { joint: to, file } of targets) {
			if (to === 'in' && /\s/.test(file))
				for (const text of listTexts(file)) this.readText(text, true);
			this.addForm(to, this.shared.commands++, [file]);
			if (to === 'out') this.shared.written.add(programName(file));
		}
	}

	private addCommand(joint: Joint, words: string[], raws: string[], isPassedOn: boolean): void {
		const command = this.shared.commands++;
		const { starts, doubts, runs } = readCommand(words, isPassedOn);
		const readings = raws.every((raw, at) => raw === words[at]) ? [words] : [words, raws];
		for (const doubt of doubts) this.reading.doubts.add(doubt);
		for (const { at, certainty } of starts)
			for (const all of readings) this.addForm(joint, command, all.slice(at), certainty);
		if (raws.some((raw) => /\{.*,/s.test(raw))) {
			const expanded = raws
				.join(' ')
				.replace(/['"\\]/g, '')
				.replace(/[{},]/g, ' ');
			this.addForm(joint, command, expanded.trim().split(/ +/));
			this.readText(expanded, true);
		}
		if (words.some((word) => NUMBER_TEST.test(word))) this.doubtNumbers();
		const listed = starts.filter(({ certainty }) => certainty !== 'guess');
		this.noteFiles(listed.map(({ at }) => words.slice(at).map(programName)));
		for (const word of words) this.readArgument(word, runs);
	}

	/** Reads the commands in an argument that its program may run. An option's value can always be one. */
	private readArgument(word: string, runs: Certainty | undefined): void {
		const { doubt } = readAssignment(word);
		if (doubt !== undefined) this.reading.doubts.add(doubt);
		if (QUOTED_COMMAND.test(word)) this.reading.doubts.add('a command in quotation marks');
		// `gcc -wrapper rm,x` runs `rm x`.
		if (runs && word.includes(',')) this.readText(word.replace(/,/g, ' '), true);
		for (const text of listTexts(word)) {
			const isGuess = this.isGuess || runs === 'guess' || text !== word;
			if (runs || text !== word) this.readText(text, isGuess);
		}
	}

	/** Doubts commands that may run a file that an earlier command may write. */
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

	private addForm(
		joint: Joint,
		command: number,
		words: string[],
		certainty: Certainty = 'certain',
	): void {
		const [program, ...others] = words;
		// The unknown part of a program can have a slash or a space.
		const unknown = program.indexOf(UNKNOWN_PART);
		const names = [program, programName(program), program.slice(Math.max(0, unknown))];
		const isGuess = this.isGuess || certainty === 'guess';
		for (const name of new Set(names)) {
			const canChoose = this.shared.choosesWords && !this.isGuess;
			if (isGuess && name.startsWith(UNKNOWN_PART) && !canChoose) continue;
			// An unknown word can be missing.
			const text = [name, ...others].join(' ').replace(/ ?\uFFFF ?/g, UNKNOWN_PART);
			this.shared.left -= text.length;
			if (this.shared.left < 0) this.reading.doubts.add('more than can be read');
			else {
				const isCertain = certainty === 'certain' && !this.isGuess;
				this.reading.forms.push({ joint, command, text, isCertain });
			}
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
		choosesWords: false,
	};
	new ShellReader(lower, reading, shared).readAll();
	// bash ignores the character: `r\0m` is `rm`.
	if (lower.includes('\0')) reading.doubts.add('a null character');
	return reading;
}
