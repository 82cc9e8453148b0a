import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import {
	HOLE,
	queryError,
	parseTemplate,
	plainTemplate,
	tokenize,
	type QueryTemplate,
	type Token,
} from './tokenizer';

// The API takes only a query's text, so values of {{ expressions }} and of ClickHouse's parameters, {name:Type}, are written into it.
// The token in which a value stands decides how it's written, and if it's allowed there.

interface Bindings {
	parameters: ReadonlyMap<string, unknown>;
	/** Evaluates an expression, given with its braces. Returns undefined if it has no value. */
	evaluate(expression: string): unknown;
}

interface QueryInput extends Bindings {
	template: QueryTemplate;
	nextExpression(): string;
}

/** Characters that ClickHouse could join with an unquoted value into a single token */
const ADJACENT_TEXT = /[\w.'"`‘’“”${}\0]/;

/** \x takes two characters. */
const ESCAPE = /\\(?:x[^]{0,2}|[^])/g;

const PARAMETER_IN_TEXT = /\{\s*([A-Za-z_]\w*)\s*(?::[^{}]*)?\}/g;

const isPlain = (value: unknown): value is boolean | number =>
	typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** @throws WorkspaceAutomationError for a whole number that has lost digits on its way here, such as a 64-bit ID */
function requireExact(name: string, value: unknown): void {
	if (!Number.isInteger(value) || Number.isSafeInteger(value)) return;
	throw new WorkspaceAutomationError(
		`${name} has a number that would change`,
		`${String(value)} would arrive with other digits. Pass it as a text, as a query parameter with a type such as {id:UInt64}.`,
	);
}

/** Escapes a value for quotes of any kind. @throws WorkspaceAutomationError for objects, lists, no value, and text that isn't UTF-8 */
function escaped(name: string, value: unknown): string {
	requireExact(name, value);
	if (typeof value !== 'string' && !isPlain(value))
		throw new WorkspaceAutomationError(
			`${name} has a value that can't be put in quotes`,
			Array.isArray(value)
				? 'It is a list. Remove the quotes around it, or pass it as a query parameter with a type such as Array(String).'
				: 'Pass a text or a number.',
		);
	const text = String(value);
	// Programs written in C would end the query at a null character.
	if (!/\p{Surrogate}/u.test(text)) return text.replace(/['"`\\]/g, '\\$&').replaceAll('\0', '\\0');
	throw new WorkspaceAutomationError(
		`${name} contains half of a character`,
		'The text was probably cut in the middle of an emoji. Cut it elsewhere, or repair it with .toWellFormed().',
	);
}

/** Returns a literal of the value's type in n8n. @throws WorkspaceAutomationError for objects */
function literal(name: string, value: unknown): string {
	requireExact(name, value);
	if (value === null || value === undefined) return 'NULL';
	if (typeof value === 'string') return `'${escaped(name, value)}'`;
	if (isPlain(value)) return String(value);
	if (Array.isArray(value))
		return `[${value.map((each: unknown) => literal(name, each)).join(', ')}]`;
	throw new WorkspaceAutomationError(
		`${name} has a value that a query can't hold`,
		'Pass a text, a number, true or false, or a list of these. From an object, pass one of its fields.',
	);
}

/** Returns a literal of a ClickHouse type, or a quoted name. @throws WorkspaceAutomationError for objects */
function typedLiteral(name: string, value: unknown, type: string): string {
	if (type === 'Identifier' && value === '')
		throw new WorkspaceAutomationError(`${name} is empty`, 'Pass the name of a table or a column.');
	if (type === 'Identifier') return `\`${escaped(name, value)}\``;
	if (value === null || value === undefined) return 'NULL';
	if (type === 'String') return `'${escaped(name, value)}'`;
	const text = Array.isArray(value) ? literal(name, value) : value;
	// n8n's dates have a time, too.
	const isDate = typeof text === 'string' && /^Date(32)?$/.test(type);
	const cut = isDate ? text.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1') : text;
	return `CAST('${escaped(name, cut)}', ${literal(name, type)})`;
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** `name` identifies the value in errors. */
type Named = [name: string, value: unknown];

function parameterValue(expression: string, { evaluate }: Bindings): Named {
	const name = shorten(expression);
	const value = evaluate(expression);
	if (value !== undefined) return [name, value];
	throw new WorkspaceAutomationError(
		`The expression ${name} in 'Query' has no value`,
		'Check that the item it reads from has that field.',
	);
}

function parseParameter(name: string, { parameters }: Bindings): Named {
	if (parameters.has(name)) return [`The query parameter ${name}`, parameters.get(name)];
	const names = [...parameters.keys()].join(', ') || 'none';
	throw new WorkspaceAutomationError(
		`The query parameter ${name} has no value`,
		`Add it under Options > Query Parameters. Parameters so far: ${names}.`,
	);
}

/** Escapes values within quotes of any kind. Refuses query parameters there, because ClickHouse would read them as text. */
function bindQuoted({ kind, text, start }: Token, query: QueryInput): string {
	const { template, parameters } = query;
	for (const { 0: placeholder, 1: name, index } of text.matchAll(PARAMETER_IN_TEXT)) {
		if (!parameters.has(name)) continue;
		throw queryError(
			template,
			start + index,
			`The query parameter ${name} stands between quotes`,
			`Remove the quotes around ${shorten(placeholder)}: it brings its own. For a part of a text, use concat('...', {${name}:String}).`,
		);
	}
	if (kind === 'verbatim' && text.includes(HOLE)) {
		const where = text.startsWith('$') ? 'in a heredoc' : 'between curly quotes';
		throw queryError(
			template,
			start + text.indexOf(HOLE),
			`${shorten(query.nextExpression())} stands ${where}`,
			"A value can't be escaped there. Use straight quotes instead.",
		);
	}
	for (const { 0: escape, index } of text.matchAll(ESCAPE)) {
		if (kind === 'verbatim' || !escape.includes(HOLE)) continue;
		throw queryError(
			template,
			start + index,
			'An expression follows an unfinished escape sequence',
			'Write \\\\ for a backslash that belongs to the text.',
		);
	}
	const boundText = text.replaceAll(HOLE, () =>
		escaped(...parameterValue(query.nextExpression(), query)),
	);
	if (kind !== 'name' || boundText.length > 2) return boundText;
	throw queryError(
		template,
		start,
		'A quoted name is empty',
		'Put the name of a table or a column between the quotes.',
	);
}

/** Writes a value outside of quotes, as a separate token. Only a part of a name may touch a dot. */
function bindAlone({ kind, text, start }: Token, query: QueryInput): string {
	const isHole = kind === 'hole';
	const placeholder = isHole ? query.nextExpression() : text;
	const [, name, declared] = /^\{\s*(\w+)\s*(?::([^]*))?\}$/.exec(isHole ? '' : text) ?? [];
	const around = [start - 1, start + text.length].map((at) => query.template.text.charAt(at));
	const type = declared?.trim();
	const isPart = type === 'Identifier';
	if (around.some((each) => ADJACENT_TEXT.test(each) && !(isPart && each === '.'))) {
		throw queryError(
			query.template,
			start,
			`${shorten(placeholder)} touches the text beside it`,
			"Put a space between them. For a part of a text or a name, put quotes around the whole: 'page {{ $json.page }}', `visits_{{ $json.year }}`.",
		);
	}
	const nameAndValue = isHole ? parameterValue(placeholder, query) : parseParameter(name, query);
	const sqlText =
		type === undefined ? literal(...nameAndValue) : typedLiteral(...nameAndValue, type);
	// Two minus signs would start a comment.
	return around[0] === '-' && sqlText.startsWith('-') ? ` ${sqlText}` : sqlText;
}

function bindToken(token: Token, query: QueryInput): string {
	switch (token.kind) {
		case 'string':
		case 'name':
		case 'verbatim':
			return bindQuoted(token, query);
		case 'parameter':
		case 'hole':
			return bindAlone(token, query);
		default:
			// Expressions in comments are never evaluated. A space keeps their neighbors from ending the comment or starting another.
			return token.text.replaceAll(HOLE, () => query.nextExpression() && ' ');
	}
}

/** Writes the values into the query. An expression alone is the query. @throws WorkspaceAutomationError naming the value or the place */
export function bind(sql: string, values: Bindings): string {
	const template = parseTemplate(sql);
	const { text, expressions } = template;
	if (text.trim() === HOLE) return requireText('Query', values.evaluate(expressions[0]));
	let hole = 0;
	const query = { ...values, template, nextExpression: () => expressions[hole++] };
	let boundSql = '';
	for (const token of tokenize(template)) boundSql += bindToken(token, query);
	return boundSql;
}

const STATEMENT = /^(?:select|insert|update|delete|create|alter|drop|truncate|optimize|explain)$/i;
const isAs = (token: Token | undefined): boolean => /^as$/i.test(token?.text ?? '');

/** Returns the keyword of the statement that follows WITH and its expressions, which can have such names beside AS. */
function findStatement(tokens: Token[]): string | undefined {
	let depth = 0;
	const found = tokens.find(({ kind, text }, index) => {
		depth += Number(text === '(') - Number(text === ')');
		if (depth > 0 || kind !== 'word' || !STATEMENT.test(text)) return false;
		return !isAs(tokens[index - 1]) && !isAs(tokens[index + 1]);
	});
	return found?.text;
}

/** Returns a single SELECT or WITH statement as it is (API document, POST /analytics/query, rule 1). @throws WorkspaceAutomationError */
export function requireSelect(field: string, value: unknown): string {
	const sql = requireText(field, value);
	const tokens = [...tokenize(plainTemplate(sql))].filter(
		({ kind }) => kind !== 'space' && kind !== 'comment',
	);
	const first = tokens.findIndex(({ text }) => text !== '(');
	const isRead = tokens[first]?.kind === 'word' && /^(select|with)$/i.test(tokens[first].text);
	if (!isRead || !/^select$/i.test(findStatement(tokens.slice(first)) ?? 'select')) {
		throw new WorkspaceAutomationError(
			`'${field}' isn't a SELECT or WITH statement`,
			'Analytics data can only be read. Start the query with SELECT, or with WITH for common table expressions before a SELECT.',
		);
	}
	const end = tokens.findIndex(({ text }) => text === ';');
	if (end === -1 || tokens.slice(end).every(({ text }) => text === ';')) return sql;
	throw new WorkspaceAutomationError(
		`'${field}' has more than one statement`,
		'Remove the text after the first semicolon. A query is a single statement.',
	);
}

/** Returns the query with its values inserted as literals. @throws WorkspaceAutomationError if a value is missing or doesn't fit */
export const boundQuery = (
	sql: string,
	parameters: Map<string, unknown>,
	evaluate: (expression: string) => unknown,
): string => requireSelect('Query', bind(sql, { parameters, evaluate }));
