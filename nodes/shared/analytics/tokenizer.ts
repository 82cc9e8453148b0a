import { WorkspaceAutomationError } from '../errors';

// Lexical rules from https://clickhouse.com/docs/reference/syntax and, where it's silent, from ClickHouse 26.7. A test compares all tokens.
// Text that ClickHouse refuses or reads differently between versions is refused: a value beside it could end up outside of its quotes.

/** Marks an expression in a template. No statement contains it, because `plainTemplate` refuses it. */
export const HOLE = '\0';

/** The first match counts. Frequent kinds come early. */
const TOKEN_PATTERNS = {
	space: /[\t-\r \x85\xa0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]+/y,
	word: /(?![xb]')[a-z_]\w*(?![\w$])/iy,
	/** A number, or a name that starts like one: 7d, the last part of t.1.2 */
	number: /\.?\d[\w.]*(?:(?<=[ep])[+-]\d\w*)?(?![\w.'"`$]|(?<=[ep])[+-])/iy,
	comment: /(?:--|\/\/|#[ !])[^\n]*|\/\*/y,
	symbol: /[-()[\],;*+%=<>?:|@^.\u2212]|\/(?!\*)|!=/y,
	string: /'/y,
	name: /["`]/y,
	/** Text in which nothing can be escaped: ‘text’, “name”, $tag$text$tag$, x'4142', b'01' */
	verbatim: /‘[^’]*’|“[^”]*”|\$(\w*)\$[^]*?\$\1\$|x'[\da-f]*'|b'[01]*'/iy,
	/** {name:Type} or {name}. Only the end of a type is checked, because it's sent between quotes. */
	parameter:
		/\{\s*[A-Za-z_]\w*\s*(?::\s*[A-Za-z_](?:[\w\s)=.]|-(?=\d)|[(,](?:\s*'(?:[^'\\\0]|\\[^\0]){0,999}')?){0,999})?\}/y,
	hole: /\0/y,
};

type TokenKind = keyof typeof TOKEN_PATTERNS;

/** Ends of tokens: group 1 closes, group 2 nests (comments). In quotes, a backslash escapes, and two quotes represent one. */
const ENCLOSED_IN = new Map([
	["'", /\\[^]|''|(')/g],
	['"', /\\[^]|""|(")/g],
	['`', /\\[^]|``|(`)/g],
	['/*', /(\*\/)|(\/\*)/g],
]);

const TOKEN_KINDS = Object.entries(TOKEN_PATTERNS) as Array<[TokenKind, RegExp]>;

export interface Token {
	kind: TokenKind;
	text: string;
	/** In the template, in UTF-16 code units */
	start: number;
}

/** A query with `HOLE` in place of each expression, because {{ $json.source }} may contain quotes */
export interface QueryTemplate {
	text: string;
	expressions: string[];
}

/** Returns an error with the line and the column, both counted from 1. */
export function queryError(
	{ text, expressions }: QueryTemplate,
	offset: number,
	message: string,
	description: string,
): WorkspaceAutomationError {
	let hole = 0;
	const before = text.slice(0, offset).replaceAll(HOLE, () => expressions[hole++]);
	const lines = before.split('\n');
	const column = [...lines[lines.length - 1]].length + 1;
	return new WorkspaceAutomationError(
		`${message} (line ${lines.length}, column ${column})`,
		description,
	);
}

/** Returns a template without expressions. @throws WorkspaceAutomationError for null characters and halves of surrogate pairs */
export function plainTemplate(text: string): QueryTemplate {
	const template = { text, expressions: [] };
	const offset = text.search(/[\0\p{Surrogate}]/u);
	if (offset === -1) return template;
	throw queryError(
		template,
		offset,
		"'Query' has a character that can't be sent",
		'Delete the character at this place, which may be invisible, and type it again.',
	);
}

/** Replaces expressions by `HOLE`. As in n8n, they end with the first closing braces. @throws as `plainTemplate` */
export function parseTemplate(sql: string): QueryTemplate {
	plainTemplate(sql);
	const expressions: string[] = [];
	// Up to here, every {{ has a }}, so no search runs to the end without a match.
	const end = sql.lastIndexOf('}}') + 2;
	const start = sql.slice(0, end).replace(/\{\{[^]*?\}\}/g, (expression) => {
		expressions.push(expression);
		return HOLE;
	});
	return { text: start + sql.slice(end), expressions };
}

/** Texts that no pattern matches, with advice. % is replaced by the text. */
const OBSTACLES: ReadonlyArray<[start: RegExp, obstacle: string, wayOut: string]> = [
	[
		/['"`]/y,
		'an opening % without a closing one',
		'Close it with %. Within the quotes, write \\% for % and \\\\ for a backslash.',
	],
	[/[‘“]/y, 'an opening % without a closing one', 'Close it with ’ or ”, or use straight quotes.'],
	[
		/\$/y,
		'a $ that does not start a heredoc',
		'A heredoc ends with the tag it starts with: $tag$text$tag$. Put a name that contains $ in backquotes.',
	],
	[
		/[xb]'/iy,
		'a byte string that cannot be read',
		"Use only hexadecimal digits in x'...' and only 0 and 1 in b'...'. For a value, use unhex('...') or unbin('...').",
	],
	[
		/\/\*/y,
		'a comment without an end',
		'Close it with */. Comments nest: each /* within it needs a */ as well.',
	],
	[
		/[a-z_]/iy,
		'a $ in a name without quotes',
		'Put the name in backquotes. If a heredoc follows, put a space before it.',
	],
	[
		/\.?\d/y,
		'a number that cannot be read',
		'Write the digits of its exponent, as in 1e-3, and put a space after it.',
	],
	[
		/\{\s*[a-z_]\w*\s*:/iy,
		'a query parameter without a valid type',
		"Write a ClickHouse type between the colon and the closing brace, such as String, Array(UInt32) or Enum8('a' = 1).",
	],
	[
		/\{/y,
		'a brace that starts neither an expression nor a query parameter',
		'Write an expression as {{ $json.source }} and a query parameter as {source:String}. Put a brace that is text in quotes.',
	],
	[
		/[^]/uy,
		'a % that ClickHouse cannot read',
		'Put text in single quotes and names in backquotes. A comment starts with --, or with # and a space.',
	],
];

const describeHole = (character: string) =>
	/[\p{C}\p{M}\p{Z}]/u.test(character)
		? `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
		: character;

function foundAt(pattern: RegExp, text: string, start: number): string | undefined {
	pattern.lastIndex = start;
	return pattern.exec(text)?.[0];
}

function enclosed(inside: RegExp, text: string, start: number, opening: string) {
	inside.lastIndex = start + opening.length;
	let depth = 1;
	for (let found = inside.exec(text); found; found = inside.exec(text)) {
		if (found[1]) depth--;
		if (found[2]) depth++;
		if (depth === 0) return text.slice(start, inside.lastIndex);
	}
	return undefined;
}

function tokenAt(template: QueryTemplate, start: number): Token {
	const { text: all } = template;
	for (const [kind, pattern] of TOKEN_KINDS) {
		const found = foundAt(pattern, all, start);
		if (found === undefined) continue;
		const inside = ENCLOSED_IN.get(found);
		const text = inside ? enclosed(inside, all, start, found) : found;
		if (text) return { kind, text, start };
	}
	// The last row matches everything.
	const [obstacle, what, wayOut] = OBSTACLES.find(([each]) => foundAt(each, all, start))!;
	const here = describeHole(foundAt(obstacle, all, start)!);
	const [message, description] = [what, wayOut].map((each) => each.replaceAll('%', here));
	throw queryError(template, start, `'Query' has ${message}`, description);
}

/** Yields the tokens, which make up the template when joined, in linear time. @throws WorkspaceAutomationError naming the place */
export function* tokenize(template: QueryTemplate): Generator<Token> {
	for (let start = 0; start < template.text.length;) {
		const token = tokenAt(template, start);
		yield token;
		start += token.text.length;
	}
}
