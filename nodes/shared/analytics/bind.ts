import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import {
	HOLE,
	queryError,
	parseTemplate,
	tokenize,
	type QueryTemplate,
	type Token,
} from './tokenizer';

// The API takes the text of a query and nothing else, so values from other nodes are written into that text. They come from n8n's
// expressions, {{ $json.source }}, and from ClickHouse's query parameters, {source:String}. The token in which a value stands
// decides how it is written, and whether it may stand there at all.

export interface Bindings {
	/** Query parameters by name */
	parameters: ReadonlyMap<string, unknown>;
	/** Resolves one expression, given with its braces, as n8n does; undefined where it has no value. */
	evaluate(expression: string): unknown;
}

interface QueryInput extends Bindings {
	template: QueryTemplate;
	nextExpression(): string;
}

/** Between these characters and a value outside of quotes, ClickHouse could see a single token. */
const ADJACENT_TEXT = /[\w.'"`‘’“”${}\0]/;

/** An escape sequence; \x takes two characters. */
const ESCAPE = /\\(?:x[^]{0,2}|[^])/g;

/** Pattern of a query parameter within a text */
const PARAMETER_IN_TEXT = /\{\s*([A-Za-z_]\w*)\s*(?::[^{}]*)?\}/g;

// ClickHouse reads any value back unchanged. `name` is what errors call it.

const isPlain = (value: unknown): value is boolean | number =>
	typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/**
 * A value as ClickHouse reads it back between quotes of any kind.
 * @throws WorkspaceAutomationError for objects, lists and nothing at all, and for text that UTF-8 cannot hold
 */
function escaped(name: string, value: unknown): string {
	if (typeof value !== 'string' && !isPlain(value))
		throw new WorkspaceAutomationError(
			`${name} has a value that can't be put in quotes`,
			Array.isArray(value)
				? 'It is a list. Remove the quotes around it, or pass it as a query parameter with a type such as Array(String).'
				: 'Pass a text or a number.',
		);
	const text = String(value);
	// A null character would end the query for programs that are written in C.
	if (!/\p{Surrogate}/u.test(text)) return text.replace(/['"`\\]/g, '\\$&').replaceAll('\0', '\\0');
	throw new WorkspaceAutomationError(
		`${name} contains half of a character`,
		'The text was probably cut in the middle of an emoji. Cut it elsewhere, or repair it with .toWellFormed().',
	);
}

/** A value as a literal of the type that it has in n8n. @throws WorkspaceAutomationError for objects */
function literal(name: string, value: unknown): string {
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

/** A value as a literal of a ClickHouse type, or as the name of a table or a column. @throws WorkspaceAutomationError for objects */
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

/** A value, after what errors call it */
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
	const known = [...parameters.keys()].join(', ') || 'none';
	throw new WorkspaceAutomationError(
		`The query parameter ${name} has no value`,
		`Add it under Options > Query Parameters. Parameters so far: ${known}.`,
	);
}

/** Between quotes of any kind values are escaped, where that is possible, and ClickHouse would read a query parameter as text. */
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
	const bound = text.replaceAll(HOLE, () =>
		escaped(...parameterValue(query.nextExpression(), query)),
	);
	if (kind !== 'name' || bound.length > 2) return bound;
	throw queryError(
		template,
		start,
		'A quoted name is empty',
		'Put the name of a table or a column between the quotes.',
	);
}

/** Outside of quotes a value is its own token: it touches nothing but, as a part of a name, a dot. */
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
	const named = isHole ? parameterValue(placeholder, query) : parseParameter(name, query);
	const written = type === undefined ? literal(...named) : typedLiteral(...named, type);
	// Two minus signs would start a comment.
	return around[0] === '-' && written.startsWith('-') ? ` ${written}` : written;
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
			// In a comment a space, because what an expression separates could otherwise end the comment or start another.
			return token.text.replaceAll(HOLE, () => query.nextExpression() && ' ');
	}
}

/**
 * The query with its values in place of its expressions and query parameters. An expression that is the whole query is the query.
 * Expressions in comments are left out and never evaluated.
 * @throws WorkspaceAutomationError naming the value that is missing or does not fit, or the place that cannot be read for certain
 */
export function bind(sql: string, values: Bindings): string {
	const template = parseTemplate(sql);
	const { text, expressions } = template;
	if (text.trim() === HOLE) return requireText('Query', values.evaluate(expressions[0]));
	let hole = 0;
	const query = { ...values, template, nextExpression: () => expressions[hole++] };
	let bound = '';
	for (const token of tokenize(template)) bound += bindToken(token, query);
	return bound;
}
