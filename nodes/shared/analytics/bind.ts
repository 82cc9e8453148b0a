import { WorkspaceAutomationError } from '../base/errors';
import { requireText } from '../base/validation';
import { escaped, literal, typedLiteral } from './literals';
import { HOLE, refusal, templateOf, tokensOf, type Template, type Token } from './tokenizer';

// The API takes the text of a query and nothing else, so values from other nodes are written into that text. They come from n8n's
// expressions, {{ $json.source }}, and from ClickHouse's query parameters, {source:String}. The token in which a value stands
// decides how it is written, and whether it may stand there at all.

export interface Values {
	/** Query parameters by name */
	parameters: ReadonlyMap<string, unknown>;
	/** Resolves one expression, given with its braces, as n8n does; undefined where it has no value. */
	evaluate(expression: string): unknown;
}

/** A query whose values are being written, one token after the other */
interface Query extends Values {
	template: Template;
	/** The expression of the next hole */
	nextExpression(): string;
}

/** Between these characters and a value outside of quotes, ClickHouse could see a single token. */
const TOUCHES = /[\w.'"`‘’“”${}\0]/;

/** An escape sequence; \x takes two characters. */
const ESCAPE = /\\(?:x[^]{0,2}|[^])/g;

/** What looks like a query parameter within a text */
const PARAMETER_IN_TEXT = /\{\s*([A-Za-z_]\w*)\s*(?::[^{}]*)?\}/g;

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** A value, after what errors call it */
type Named = [name: string, value: unknown];

function valueOf(expression: string, { evaluate }: Values): Named {
	const name = shorten(expression);
	const value = evaluate(expression);
	if (value !== undefined) return [name, value];
	throw new WorkspaceAutomationError(
		`The expression ${name} in 'Query' has no value`,
		'Check that the item it reads from has that field.',
	);
}

function parameterOf(name: string, { parameters }: Values): Named {
	if (parameters.has(name)) return [`The query parameter ${name}`, parameters.get(name)];
	const known = [...parameters.keys()].join(', ') || 'none';
	throw new WorkspaceAutomationError(
		`The query parameter ${name} has no value`,
		`Add it under Options > Query Parameters. Parameters so far: ${known}.`,
	);
}

/** Between quotes of any kind values are escaped, where that is possible, and ClickHouse would read a query parameter as text. */
function bindQuoted({ kind, text, start }: Token, query: Query): string {
	const { template, parameters } = query;
	for (const { 0: placeholder, 1: name, index } of text.matchAll(PARAMETER_IN_TEXT)) {
		if (!parameters.has(name)) continue;
		throw refusal(
			template,
			start + index,
			`The query parameter ${name} stands between quotes`,
			`Remove the quotes around ${shorten(placeholder)}: it brings its own. For a part of a text, use concat('...', {${name}:String}).`,
		);
	}
	if (kind === 'verbatim' && text.includes(HOLE)) {
		const where = text.startsWith('$') ? 'in a heredoc' : 'between curly quotes';
		throw refusal(
			template,
			start + text.indexOf(HOLE),
			`${shorten(query.nextExpression())} stands ${where}`,
			'A value cannot be escaped there. Use straight quotes instead.',
		);
	}
	for (const { 0: escape, index } of text.matchAll(ESCAPE)) {
		if (kind === 'verbatim' || !escape.includes(HOLE)) continue;
		throw refusal(
			template,
			start + index,
			'An expression follows an unfinished escape sequence',
			'Write \\\\ for a backslash that belongs to the text.',
		);
	}
	const bound = text.replaceAll(HOLE, () => escaped(...valueOf(query.nextExpression(), query)));
	if (kind !== 'name' || bound.length > 2) return bound;
	throw refusal(
		template,
		start,
		'A quoted name is empty',
		'Put the name of a table or a column between the quotes.',
	);
}

/** Outside of quotes a value is a token of its own: it touches nothing but, as a part of a name, a dot. */
function bindAlone({ kind, text, start }: Token, query: Query): string {
	const isHole = kind === 'hole';
	const placeholder = isHole ? query.nextExpression() : text;
	const [, name, declared] = /^\{\s*(\w+)\s*(?::([^]*))?\}$/.exec(isHole ? '' : text) ?? [];
	const around = [start - 1, start + text.length].map((at) => query.template.text.charAt(at));
	const type = declared?.trim();
	const isPart = type === 'Identifier';
	if (around.some((each) => TOUCHES.test(each) && !(isPart && each === '.'))) {
		throw refusal(
			query.template,
			start,
			`${shorten(placeholder)} touches the text beside it`,
			"Put a space between them. For a part of a text or a name, put quotes around the whole: 'page {{ $json.page }}', `visits_{{ $json.year }}`.",
		);
	}
	const named = isHole ? valueOf(placeholder, query) : parameterOf(name, query);
	const written = type === undefined ? literal(...named) : typedLiteral(...named, type);
	// Two minus signs would start a comment.
	return around[0] === '-' && written.startsWith('-') ? ` ${written}` : written;
}

function bindToken(token: Token, query: Query): string {
	switch (token.kind) {
		case 'comment':
			// A space, because what an expression separates could otherwise end the comment or start another.
			return token.text.replaceAll(HOLE, () => query.nextExpression() && ' ');
		case 'string':
		case 'name':
		case 'verbatim':
			return bindQuoted(token, query);
		case 'parameter':
		case 'hole':
			return bindAlone(token, query);
		default:
			return token.text;
	}
}

/**
 * The query with its values in place of its expressions and query parameters. An expression that is the whole query is the query.
 * Expressions in comments are left out and never evaluated.
 * @throws WorkspaceAutomationError naming the value that is missing or does not fit, or the place that cannot be read for certain
 */
export function bind(sql: string, values: Values): string {
	const template = templateOf(sql);
	const { text, expressions } = template;
	if (text.trim() === HOLE) return requireText('Query', values.evaluate(expressions[0]));
	let hole = 0;
	const query = { ...values, template, nextExpression: () => expressions[hole++] };
	const bound: string[] = [];
	for (const token of tokensOf(template)) bound.push(bindToken(token, query));
	return bound.join('');
}
