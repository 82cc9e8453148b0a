import { UNKNOWN_PART } from './patterns';
import { programName, readCommand } from './programs';

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
const SEPARATOR = /^[;&|\n\r\v\f\u0085\u2028\u2029]+/;
const REDIRECTION = /^(?:&>>?|>>|>&|>\||<>|<&|<<<|<<|[<>])/;
const SIMPLE_VARIABLE =
	/^\$(?:[a-z_]\w*|[\d@*#?$!-]|\{#?(?:[a-z_]\w*|\d+|[@*#?$!-])(?:\[[@*\d]+\])?\})/;
const SIMPLE_SUM = /^\$\(\([\w\s+*%-]*\)\)/;
const ANSI_QUOTED = /^\$'((?:[^'\\]|\\[^])*)'/;
/** Characters that can make an argument a command line */
const COMMAND_LINE = /[\s;&|<>()`$'"\\{}[\]*?~!]/;

/** A word that the reader hasn't finished. */
interface WordDraft {
	start: number;
	text: string;
	/** True if the rest of the word is unknown */
	isOpen: boolean;
}

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

	private readonly text: string;
	private readonly reading: ShellReading;
	private readonly counter: { commands: number; left: number };
	private readonly depth: number;

	constructor(
		text: string,
		reading: ShellReading,
		counter: { commands: number; left: number },
		depth = 0,
	) {
		this.text = text;
		this.reading = reading;
		this.counter = counter;
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
		this.endCommand('then');
		return 1;
	}

	/** Reads one character, or the syntax that begins with it. */
	private readOne(character: string): void {
		const rest = this.text.slice(this.at, this.at + 2);
		if (character === ' ' || character === '\t') this.endWord(1);
		else if (character === '#' && !this.word) this.readComment();
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

	private readPlain(character: string, next = ' '): void {
		const isPattern = /[*?]/.test(character) || (character === '[' && !/[\s[]/.test(next));
		const isClass = character === '[' && /^\[\[\S/.test(this.text.slice(this.at, this.at + 3));
		const isBrace = character === '{' && !/[\s}]/.test(next);
		const isHome = character === '~' && !this.word;
		const isHistory = character === '!' && !/[\s=("']/.test(next);
		const isOpen = isPattern || isClass || isBrace || isHome || isHistory;
		if (isOpen) this.appendOpen(1);
		else this.append(character, 1);
	}

	private readComment(): void {
		const [comment] = /^[^\n]*/.exec(this.text.slice(this.at))!;
		// Some shells have no comments.
		const reader = new ShellReader(
			comment.slice(1),
			{ ...this.reading, doubts: new Set() },
			this.counter,
			this.depth + 1,
		);
		reader.readAll();
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
		else if (!isQuoted && (simple === '$ifs' || simple === '${ifs}')) this.endWord(simple.length);
		else if (simple !== undefined) this.append(UNKNOWN_PART, simple.length);
		else if (rest.startsWith('$(')) {
			this.append(UNKNOWN_PART, 2);
			this.readNested();
		} else if (/^\$[{[]/.test(rest) || (!isQuoted && rest.startsWith("$'"))) {
			this.reading.doubts.add('a variable with an expression');
			this.append(UNKNOWN_PART, 2);
		} else if (!isQuoted && rest.startsWith('$"')) this.at++;
		else this.append('$', 1);
	}

	/** Reads the commands up to a closing parenthesis, as a part of their word. */
	private readNested(): void {
		const { word, words, raws, joint, target } = this;
		Object.assign(this, { word: undefined, words: [], raws: [], joint: 'then', target: undefined });
		if (this.nesting < MAX_NESTING) {
			this.nesting++;
			this.readList(')');
			this.nesting--;
		} else this.reading.doubts.add('commands in commands in commands');
		Object.assign(this, { word, words, raws, joint, target });
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
		new ShellReader(text, this.reading, this.counter, this.depth + 1).readAll();
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
		this.at += operator.startsWith('|&') || operator.startsWith('||') ? 2 : 1;
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
			this.addForm(target, this.counter.commands++, [word.text]);
		} else if (this.words.length > 0 || !ASSIGNMENT.test(raw)) {
			this.words.push(word.text);
			this.raws.push(raw);
		}
	}

	/** Ends the command before the current place, if there is one. */
	private endCommand(next: Joint): void {
		this.endWord(0);
		const { words, raws, joint } = this;
		Object.assign(this, { words: [], raws: [], joint: next, target: undefined });
		if (words.length > 0) this.addCommand(joint, words, raws);
	}

	private addCommand(joint: Joint, words: string[], raws: string[]): void {
		const command = this.counter.commands++;
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
		for (const word of words) {
			if (/\$\(|`/.test(word)) this.reading.doubts.add('a command in quotation marks');
			if (runsText && COMMAND_LINE.test(word)) this.readText(word);
		}
	}

	/** Adds a command, and its form without the folder of its program. */
	private addForm(joint: Joint, command: number, words: string[], isCertain = true): void {
		const stripped = [programName(words[0]), ...words.slice(1)];
		for (const all of stripped[0] === words[0] ? [words] : [words, stripped]) {
			// An unknown word can be missing.
			const text = all.join(' ').replace(/ ?\uFFFF ?/g, UNKNOWN_PART);
			this.counter.left -= text.length;
			if (this.counter.left < 0) this.reading.doubts.add('more than can be read');
			else this.reading.forms.push({ joint, command, text, isCertain });
		}
	}
}

/** Returns all commands that a text may run, in lower case. */
export function readShell(text: string): ShellReading {
	const reading: ShellReading = { forms: [], doubts: new Set() };
	const counter = { commands: 0, left: MAX_FORM_LENGTH };
	new ShellReader(text.toLowerCase(), reading, counter).readAll();
	return reading;
}
