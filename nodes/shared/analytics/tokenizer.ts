import { WorkspaceAutomationError } from '../base/errors';
import { typeEnd } from './parameterType';
import { endOf } from './scan';

// ClickHouse's lexical rules, from https://clickhouse.com/docs/reference/syntax and, where that page says nothing, from what
// ClickHouse 26.7 does: a test compares every token. What ClickHouse refuses, or reads differently from version to version, is
// refused here, because a value beside it could end up outside of its quotes.

export type TokenKind =
	| 'space'
	| 'comment'
	/** 'text' */
	| 'string'
	/** "name" or `name` */
	| 'name'
	/** Text in which nothing can be escaped: ‘text’, “name”, $tag$text$tag$, x'4142', b'01' */
	| 'verbatim'
	/** An identifier or keyword without quotes */
	| 'word'
	| 'number'
	/** {name:Type} or {name} */
	| 'parameter'
	/** Where values will be: see `HOLE` */
	| 'hole'
	/** An operator, a bracket, a comma or a semicolon, one character at a time */
	| 'symbol';

export interface Token {
	kind: TokenKind;
	text: string;
	/** Where the token starts in the statement, in UTF-16 code units */
	start: number;
}

/** Stands in a template for each character of an expression. No statement contains it: `requireReadable` refuses it. */
export const HOLE = '\0';

/** What makes a query impossible to send, and where: an offset in UTF-16 code units. */
interface Obstacle {
	offset: number;
	message: string;
	description: string;
}

/** The error for an obstacle. It names the place as people count: a query starts with line 1, column 1. */
export function refusal(
	sql: string,
	{ offset, message, description }: Obstacle,
): WorkspaceAutomationError {
	const lines = sql.slice(0, offset).split('\n');
	const column = [...lines[lines.length - 1]].length + 1;
	return new WorkspaceAutomationError(
		`${message} (line ${lines.length}, column ${column})`,
		description,
	);
}

/**
 * Refuses characters that do not reach ClickHouse as they are: null characters, and halves of surrogate pairs.
 * @throws WorkspaceAutomationError naming the place
 */
export function requireReadable(sql: string): void {
	const offset = sql.search(/[\0\p{Surrogate}]/u);
	if (offset === -1) return;
	throw refusal(sql, {
		offset,
		message: "'Query' has a character that cannot be sent",
		description: 'Delete the character at this place, which may be invisible, and type it again.',
	});
}

/** Reads the token that starts at `start`: returns the offset of its end, or why it cannot be told for certain. */
type Reader = (sql: string, start: number) => number | Obstacle;

/** Up to the same quote. Inside, a backslash escapes any character, and two quotes stand for one. */
function quotedText(quote: string): Reader {
	const special = new RegExp(`[${quote}\\\\]`, 'g');
	return (sql, start) => {
		special.lastIndex = start + 1;
		for (let found = special.exec(sql); found; found = special.exec(sql)) {
			if (found[0] === quote && sql[special.lastIndex] !== quote) return special.lastIndex;
			special.lastIndex++;
		}
		return {
			offset: start,
			message: `'Query' has an opening ${quote} without a closing one`,
			description: `Close it with ${quote}. Within the quotes, write \\${quote} for ${quote} and \\\\ for a backslash.`,
		};
	};
}

/** Up to the closing curly quote. Nothing is escaped. */
const curlyQuotedText =
	(closing: string): Reader =>
	(sql, start) => {
		const end = sql.indexOf(closing, start);
		if (end !== -1) return end + 1;
		return {
			offset: start,
			message: `'Query' has an opening ${sql[start]} without a closing one`,
			description: `Close it with ${closing}, or use straight quotes.`,
		};
	};

/** A heredoc ends with the tag it starts with. A tag that does not come again would be part of a name. */
const heredoc: Reader = (sql, start) => {
	const tag = sql.slice(start, endOf(/\$\w*\$/y, sql, start));
	const end = tag === '' ? -1 : sql.indexOf(tag, start + tag.length);
	if (end !== -1) return end + tag.length;
	return {
		offset: start,
		message: "'Query' has a $ that does not start a heredoc",
		description:
			'A heredoc ends with the tag it starts with: $tag$text$tag$. Put a name that contains $ in backquotes.',
	};
};

const bytes: Reader = (sql, start) => {
	const end = endOf(/x'[\da-f]*'|b'[01]*'/iy, sql, start);
	if (end > start) return end;
	return {
		offset: start,
		message: "'Query' has a byte string that cannot be read",
		description:
			"Use only hexadecimal digits in x'...' and only 0 and 1 in b'...'. For a value, use unhex('...') or unbin('...').",
	};
};

/** Block comments nest. */
const blockComment: Reader = (sql, start) => {
	const bracket = /\/\*|\*\//g;
	bracket.lastIndex = start;
	let depth = 0;
	for (let found = bracket.exec(sql); found; found = bracket.exec(sql)) {
		depth += found[0] === '/*' ? 1 : -1;
		if (depth === 0) return bracket.lastIndex;
	}
	return {
		offset: start,
		message: "'Query' has a comment without an end",
		description: 'Close it with */. Comments nest: each /* within it needs a */ as well.',
	};
};

const word: Reader = (sql, start) => {
	const end = endOf(/\w+/y, sql, start);
	if (sql[end] !== '$') return end;
	return {
		offset: end,
		message: "'Query' has a $ in a name without quotes",
		description: 'Put the name in backquotes. If a heredoc follows, put a space before it.',
	};
};

/** A number, or what starts like one: a name such as 7d, the last part of t.1.2 */
const number: Reader = (sql, start) => {
	const end = endOf(/\.?\d[\w.]*(?:(?<=[ep])[+-]\d\w*)?/iy, sql, start);
	const isCutOff = /[ep]/i.test(sql[end - 1]) && /[+-]/.test(sql.charAt(end));
	if (!isCutOff && !/['"`$]/.test(sql.charAt(end))) return end;
	return {
		offset: start,
		message: "'Query' has a number that cannot be read",
		description: isCutOff
			? 'Write the digits of its exponent, as in 1e-3, or put a space before the operator.'
			: 'Put a space after it.',
	};
};

const parameter: Reader = (sql, start) => {
	const plainEnd = endOf(/\{\s*[A-Za-z_]\w*\s*\}/y, sql, start);
	if (plainEnd > start) return plainEnd;
	const typeStart = endOf(/\{\s*[A-Za-z_]\w*\s*:/y, sql, start);
	const end = typeStart > start ? typeEnd(sql, typeStart) : undefined;
	if (end !== undefined && sql[end] === '}') return end + 1;
	return typeStart > start
		? {
				offset: start,
				message: "'Query' has a query parameter without a valid type",
				description:
					"Write a ClickHouse type between the colon and the closing brace, such as String, Array(UInt32) or Enum8('a' = 1).",
			}
		: {
				offset: start,
				message: "'Query' has a brace that starts neither an expression nor a query parameter",
				description:
					'Write an expression as {{ $json.source }} and a query parameter as {source:String}. Put a brace that is text in quotes.',
			};
};

/** A character by its look, or by its number where it has none */
const shown = (character: string) =>
	/[\p{C}\p{M}\p{Z}]/u.test(character)
		? `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
		: character;

const unknown: Reader = (sql, start) => ({
	offset: start,
	message: `'Query' has a ${shown(String.fromCodePoint(sql.codePointAt(start) ?? 0))} that ClickHouse cannot read`,
	description:
		'Put text in single quotes and names in backquotes. A comment starts with --, or with # and a space.',
});

/**
 * How tokens start, and what reads them; by default they end where the pattern does. The first row that matches counts: what is
 * frequent comes early.
 */
const KINDS: ReadonlyArray<[kind: TokenKind, start: RegExp, read?: Reader]> = [
	['space', /[\t-\r \x85\xa0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]+/],
	['symbol', /[()[\],;*+%=<>?:|@^\u2212]/],
	['verbatim', /[xb]'/i, bytes],
	['word', /[A-Za-z_]/, word],
	['number', /\.?\d/, number],
	['comment', /(?:--|\/\/|#[ !])[^\n]*/],
	['comment', /\/\*/, blockComment],
	['symbol', /[-/.]|!=/],
	['string', /'/, quotedText("'")],
	['name', /"/, quotedText('"')],
	['name', /`/, quotedText('`')],
	['verbatim', /‘/, curlyQuotedText('’')],
	['verbatim', /“/, curlyQuotedText('”')],
	['verbatim', /\$/, heredoc],
	['parameter', /\{/, parameter],
	['hole', /\0+/],
	['symbol', /[^]/, unknown],
];

const READERS = KINDS.map(([kind, { source, flags }, read]) => {
	const start = new RegExp(source, `${flags}y`);
	return { kind, start, read: read ?? ((sql: string, from: number) => endOf(start, sql, from)) };
});

/**
 * The tokens of a statement, which make up the statement when joined. Takes time in proportion to its length.
 * @param sql a statement, or a template with holes
 * @param original what people see of it, with the same offsets: errors name places there
 * @throws WorkspaceAutomationError naming the place of what cannot be told for certain
 */
export function* tokensOf(sql: string, original = sql): Generator<Token> {
	let start = 0;
	while (start < sql.length) {
		// The last row matches everything.
		const { kind, read } = READERS.find((reader) => endOf(reader.start, sql, start) > start)!;
		const end = read(sql, start);
		if (typeof end !== 'number') throw refusal(original, end);
		yield { kind, text: sql.slice(start, end), start };
		start = end;
	}
}
