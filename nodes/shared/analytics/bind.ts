import { WorkspaceAutomationError } from '../base/errors';
import { requireText } from '../base/validation';
import { expressionsIn, withHoles } from './expressions';
import { literal, textBetween, typedLiteral, type Named } from './literals';
import { HOLE, refusal, requireReadable, tokensOf, type Token, type TokenKind } from './tokenizer';

// The API takes the text of a query and nothing else, so values from other nodes are written into that text. They come from n8n's
// expressions, {{ $json.source }}, and from ClickHouse's query parameters, {source:String}. The token in which a value stands
// decides how it is written, and whether it may stand there at all.

export interface Values {
	/** Query parameters by name */
	parameters: ReadonlyMap<string, unknown>;
	/** Resolves one expression, given with its braces, as n8n does; undefined where it has no value. */
	evaluate(expression: string): unknown;
}

/** A query whose values are being written */
interface Query extends Values {
	/** As it was entered */
	sql: string;
	/** With holes in place of expressions */
	template: string;
	/** Expressions by the offset of their start */
	expressions: ReadonlyMap<number, string>;
}

/** Between these characters and a value outside of quotes, ClickHouse could see a single token. */
const TOUCHES_BEFORE = /[\w.'"`’”$}\0]/;
const TOUCHES_AFTER = /[\w.'"`‘“${\0]/;

/** An escape sequence; \x takes two characters. */
const ESCAPE = /\\(?:x[^]{0,2}|[^])/g;

/** {name:Type} or {name} as a token */
const PARAMETER = /^\{\s*(\w+)\s*(?::([^]*))?\}$/;

/** What looks like one within a text */
const PARAMETER_IN_TEXT = /\{\s*([A-Za-z_]\w*)\s*(?::[^{}]*)?\}/g;

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

function valueOf(expression: string, { evaluate }: Query): Named {
	const name = shorten(expression);
	const value = evaluate(expression);
	if (value !== undefined) return { name, value };
	throw new WorkspaceAutomationError(
		`The expression ${name} in 'Query' has no value`,
		'Check that the item it reads from has that field.',
	);
}

function parameterOf(name: string, { parameters }: Query): Named {
	if (parameters.has(name))
		return { name: `The query parameter ${name}`, value: parameters.get(name) };
	const known = [...parameters.keys()].join(', ') || 'none';
	throw new WorkspaceAutomationError(
		`The query parameter ${name} has no value`,
		`Add it under Options > Query Parameters. Parameters so far: ${known}.`,
	);
}

/** The text of a token with something written in place of each expression. */
function fill(
	{ text, start }: Token,
	{ expressions }: Query,
	write: (expression: string, offset: number) => string,
): string {
	return text.replace(/\0+/g, (holes, index: number) => {
		const end = start + index + holes.length;
		const written: string[] = [];
		let offset = start + index;
		while (offset < end) {
			// Holes are expressions from end to end, so one starts here.
			const expression = expressions.get(offset)!;
			written.push(write(expression, offset));
			offset += expression.length;
		}
		return written.join('');
	});
}

/** Between quotes ClickHouse would read a query parameter as text. */
function requireNoParameter({ text, start }: Token, { sql, parameters }: Query): void {
	for (const { 0: placeholder, 1: name, index } of text.matchAll(PARAMETER_IN_TEXT)) {
		if (!parameters.has(name)) continue;
		throw refusal(sql, {
			offset: start + index,
			message: `The query parameter ${name} stands between quotes`,
			description: `Remove the quotes around ${shorten(placeholder)}: it brings its own. For a part of a text, use concat('...', {${name}:String}).`,
		});
	}
}

/** Between 'quotes', "quotes" or `quotes` values are escaped. */
function bindQuoted(token: Token, query: Query): string {
	requireNoParameter(token, query);
	for (const { 0: escape, index } of token.text.matchAll(ESCAPE)) {
		if (!escape.includes(HOLE)) continue;
		throw refusal(query.sql, {
			offset: token.start + index,
			message: 'An expression follows an unfinished escape sequence',
			description: 'Write \\\\ for a backslash that belongs to the text.',
		});
	}
	const bound = fill(token, query, (expression) =>
		textBetween(token.text[0], valueOf(expression, query)),
	);
	if (token.kind === 'string' || bound.length > 2) return bound;
	throw refusal(query.sql, {
		offset: token.start,
		message: 'A quoted name is empty',
		description: 'Put the name of a table or a column between the quotes.',
	});
}

/** Between ‘curly’ quotes and $$in a heredoc$$ nothing can be escaped. */
function bindVerbatim(token: Token, query: Query): string {
	requireNoParameter(token, query);
	const where = token.text.startsWith('$') ? 'in a heredoc' : 'between curly quotes';
	return fill(token, query, (expression, offset) => {
		throw refusal(query.sql, {
			offset,
			message: `${shorten(expression)} stands ${where}`,
			description: 'A value cannot be escaped there. Use straight quotes instead.',
		});
	});
}

/** Outside of quotes a value is a token of its own. */
function bindAlone(
	{ text, start }: Token,
	{ sql, template }: Query,
	{ name, write, mayTouch }: { name: string; write: () => string; mayTouch?: string },
): string {
	const before = template.charAt(start - 1);
	const after = template.charAt(start + text.length);
	const touches =
		(before !== mayTouch && TOUCHES_BEFORE.test(before)) ||
		(after !== mayTouch && TOUCHES_AFTER.test(after));
	if (touches) {
		throw refusal(sql, {
			offset: start,
			message: `${shorten(name)} touches the text beside it`,
			description:
				"Put a space between them. For a part of a text or a name, put quotes around the whole: 'page {{ $json.page }}', `visits_{{ $json.year }}`.",
		});
	}
	const written = write();
	// Two minus signs would start a comment.
	return before === '-' && written.startsWith('-') ? ` ${written}` : written;
}

function bindParameter(token: Token, query: Query): string {
	// The tokenizer has found these parts.
	const [placeholder, name, type] = PARAMETER.exec(token.text)!;
	const trimmed = type?.trim();
	return bindAlone(token, query, {
		name: placeholder,
		write: () =>
			trimmed === undefined
				? literal(parameterOf(name, query))
				: typedLiteral(parameterOf(name, query), trimmed),
		mayTouch: trimmed === 'Identifier' ? '.' : undefined,
	});
}

function bindExpression(token: Token, query: Query): string {
	// A hole starts with an expression. If it is longer, the next one touches this.
	const expression = query.expressions.get(token.start)!;
	return bindAlone({ ...token, text: expression }, query, {
		name: expression,
		write: () => literal(valueOf(expression, query)),
	});
}

/** How values are written into tokens. Tokens of other kinds stay as they are. */
const BINDERS: Partial<Record<TokenKind, (token: Token, query: Query) => string>> = {
	// A space, because what an expression separates could otherwise end the comment or start another.
	comment: (token, query) => fill(token, query, () => ' '),
	string: bindQuoted,
	name: bindQuoted,
	verbatim: bindVerbatim,
	parameter: bindParameter,
	hole: bindExpression,
};

/**
 * The query with its values in place of its expressions and query parameters. An expression that is the whole query is the query.
 * Expressions in comments are left out and never evaluated.
 * @throws WorkspaceAutomationError naming the value that is missing or does not fit, or the place that cannot be read for certain
 */
export function bind(sql: string, values: Values): string {
	requireReadable(sql);
	const expressions = expressionsIn(sql);
	const whole = sql.trim();
	if (expressions.get(sql.indexOf(whole)) === whole)
		return requireText('Query', values.evaluate(whole));
	const query = { ...values, sql, expressions, template: withHoles(sql, expressions) };
	const bound: string[] = [];
	for (const token of tokensOf(query.template, sql))
		bound.push(BINDERS[token.kind]?.(token, query) ?? token.text);
	return bound.join('');
}
