import { hasWildcard } from '../../shared/globs';

// Reads a command only if it's plain words: no shell gives it another meaning. Anything else isn't read at all.

export interface CommandPart {
	/** As typed, without redirections to nowhere */
	text: string;
	/** Values of its words, without quotation marks */
	words: string[];
	/** Variables that it sets for its program */
	assignments: string[];
	/** The text before and after its program, with comments */
	around: string;
}

type PlainCommand = { parts: CommandPart[] } | { problem: string };

/** Begins a part that is more than a program with its words, in one shell or another */
const KEYWORDS = new Set(
	`if then elif else fi for foreach while until do done case esac select in function coproc
	repeat begin end switch and or not always nocorrect noglob -`.split(/\s+/),
);

const CONTROL_CHARACTER = /[^\P{Cc}\n\t]|[\u2028\u2029]/u;
const BLANKS = /[ \t]+/y;
const CONTINUED_LINE = /\\\n[ \t]*/y;
const COMMENT = /#[^\n]*/y;
const REDIRECTION = /(?:2>&1|[2&]?>[ \t]*\/dev\/null)(?![^ \t\n;|&])/y;
const BEGINS_BADLY = /[=^#]/;
/** A `$` before the last quotation mark is one. */
const DOUBLE_QUOTED = String.raw`"(?:[^"$\x60\\\t]|\\(?![$\x60"\\\n\t])[^\t]|\$(?="))*"`;
const PIECE = new RegExp(
	String.raw`[\p{L}\p{N}\p{M}_./:@%+,=~^#\uFDD0\uFDD1*?-]+|'[^'\t]*'|${DOUBLE_QUOTED}`,
	'uy',
);
/** Names a file or a value: what the shell makes of its wildcards is no subcommand, no option, and in no other folder. */
const MAY_HAVE_GLOBS = /^(?:[\p{L}\p{N}_](?=.*[./])|\.\/|--[\p{L}\p{N}-]+=(?=.*[./]))/su;
const HIDDEN_GLOB = /\/\.[^/]*[*?]/;
const OPERATOR = /&&|\|\||[;|\n]/y;
/** Separates or replaces words in the shells of Windows: `rm,x`, `r^m`, `%COMSPEC%` */
const NOT_IN_PROGRAM = /[,%^#*?]/;
const ASSIGNMENT = /^[a-z_]\w*\+?=/i;
/** Assignments that change no program */
const HARMLESS =
	/(?:CI|NODE_ENV|PORT|DEBUG|FORCE_COLOR|NO_COLOR|TZ|LANG|LC_ALL)=[\p{L}\p{N}_./:@%+,*-]+[ \t]+/uy;
/** Operators before which a command can't end */
const CONTINUES = new Set(['&&', '||', '|']);

class CommandReader {
	hasComment = false;
	private at = 0;
	/** The end of the part before */
	private end = 0;
	private readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	read(): PlainCommand {
		const parts: CommandPart[] = [];
		let last = '';
		for (;;) {
			this.skipBlanks(last !== '');
			const part = this.readPart();
			if (typeof part === 'string') return { problem: part };
			if (this.take(COMMENT) !== '') this.hasComment = true;
			const operator = this.take(OPERATOR);
			if (operator === '' && this.at < this.text.length) return { problem: this.describeNext() };
			if (part) {
				parts.push(part);
				last = operator;
			} else if (operator !== '' && operator !== '\n')
				return { problem: `«${operator}» without a command before it` };
			// Line breaks can be empty lines, and follow any operator.
			if (operator !== '') continue;
			if (CONTINUES.has(last)) return { problem: `«${last}» at its end` };
			if (parts.length === 0) return { problem: 'no words' };
			parts[parts.length - 1].around += this.text.slice(this.end);
			return { parts };
		}
	}

	/** Returns nothing if there are no words, or why it isn't plain. */
	private readPart(): CommandPart | string | undefined {
		const start = this.at;
		const assignments = this.takeAll(HARMLESS).map((each) => each.trimEnd());
		const programStart = this.at;
		let programEnd = this.at;
		let end = start;
		let isOver = false;
		const words: string[] = [];
		for (; ; this.skipBlanks(false)) {
			if (words.length > 0 && this.take(REDIRECTION) !== '') {
				isOver = true;
				continue;
			}
			const pieces = BEGINS_BADLY.test(this.text[this.at] ?? '') ? [] : this.takeAll(PIECE);
			if (pieces.length === 0) break;
			if (isOver) return 'a redirection';
			const word = pieces.map((each) => each.replace(/^(['"])(.*)\1$/s, '$2')).join('');
			const [glob] = /[*?]/.exec(pieces.filter((each) => !/^['"]/.test(each)).join('')) ?? [];
			const mayHave = words.length > 0 && MAY_HAVE_GLOBS.test(word) && !HIDDEN_GLOB.test(word);
			if (glob !== undefined && !mayHave) return `«${glob}»`;
			words.push(word);
			end = this.at;
			if (words.length === 1) programEnd = end;
		}
		if (words.length === 0) return assignments.length > 0 ? 'an assignment' : undefined;
		if (ASSIGNMENT.test(words[0])) return 'an assignment';
		const [unclear] = NOT_IN_PROGRAM.exec(words[0]) ?? [];
		if (unclear !== undefined) return `«${unclear}» in the name of a program`;
		if (KEYWORDS.has(words[0].toLowerCase())) return `«${words[0]}» at the start of a command`;
		const { text } = this;
		const around = `${text.slice(this.end, programStart)} ${text.slice(programEnd, end)}`;
		this.end = end;
		return { text: text.slice(start, end), words, assignments, around };
	}

	/** A line can end with `\` after an operator, and before a word that is an option. */
	private skipBlanks(isAfterOperator: boolean): void {
		const isSeparate = this.take(BLANKS) !== '';
		if (!isAfterOperator && !isSeparate) return;
		const before = this.at;
		this.takeAll(CONTINUED_LINE);
		if (!isAfterOperator && this.text[this.at] !== '-') this.at = before;
	}

	private take(token: RegExp): string {
		token.lastIndex = this.at;
		const [found] = token.exec(this.text) ?? [''];
		this.at += found.length;
		return found;
	}

	private takeAll(token: RegExp): string[] {
		const found: string[] = [];
		for (let next = this.take(token); next !== ''; next = this.take(token)) found.push(next);
		return found;
	}

	private describeNext(): string {
		const character = String.fromCodePoint(this.text.codePointAt(this.at)!);
		if (character === '"') return 'a quotation mark that is not closed, or «$», «`» or «\\» in it';
		return character === "'" ? 'a quotation mark that is not closed' : `«${character}»`;
	}
}

/** Returns the parts of a plain command, or all of it with what keeps it from being plain. */
export function readPlainCommand(text: string): { parts: CommandPart[]; problem?: string } {
	const parts = [{ text, words: [], assignments: [], around: text }];
	if (CONTROL_CHARACTER.test(text)) return { parts, problem: 'a control character' };
	if (hasWildcard(text)) return { parts, problem: 'a character that is not assigned' };
	return { parts, ...new CommandReader(text).read() };
}

/** Reads a parsed pattern in the same way. A pattern with a comment isn't plain. */
export function readPlainPattern(pattern: string): CommandPart[] | undefined {
	if (CONTROL_CHARACTER.test(pattern)) return undefined;
	const reader = new CommandReader(pattern);
	const command = reader.read();
	return 'parts' in command && !reader.hasComment ? command.parts : undefined;
}
