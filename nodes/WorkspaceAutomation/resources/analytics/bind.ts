import { WorkspaceAutomationError } from '../../../shared/errors/errors';
import { requireText } from '../../../shared/validation';
import { isComment, isQuoted, quoted, tokensOf } from './sql';

// The API takes the text of a query and nothing else. What comes from other nodes is therefore written into the text here, as
// literals: whatever it says, it stays a value. Two forms, n8n's `{{ expression }}` and ClickHouse's `{name:Type}`.

const EXPRESSION = /\{\{[\s\S]*?\}\}/g;

/** Where an expression stood */
const HIDDEN = /\0(\d+)\0/g;

/** The same, or `{since:String}`, or `{since}` with the type of the value */
const PLACE = /\0(\d+)\0|\{\s*([A-Za-z_]\w*)\s*(?::\s*([^{}]+?)\s*)?\}/g;

const isNothing = (value: unknown): value is null | undefined =>
	value === null || value === undefined;

/** A list, as ClickHouse writes one */
const list = (name: string, values: unknown[]): string =>
	`[${values.map((value) => literal(name, value)).join(', ')}]`;

/** A value as a literal of the type that it has in n8n. `name` is what the panel calls it. */
function literal(name: string, value: unknown): string {
	if (isNothing(value)) return 'NULL';
	if (typeof value === 'string') return quoted(value, "'");
	if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
		return String(value);
	if (Array.isArray(value)) return list(name, value);
	throw new WorkspaceAutomationError(
		`${name} has no value that a query can hold`,
		'Give it a text, a number, true or false, or a list of these; of an object, name one of its fields.',
	);
}

/** The text of a value, to stand between quotes. */
function textOf(name: string, value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
		return String(value);
	throw new WorkspaceAutomationError(
		`${name} has no value that can stand between quotes`,
		Array.isArray(value)
			? 'It is a list. Leave out the quotes around it, or pass it as a query parameter of a type such as Array(String).'
			: 'Give it a text or a number.',
	);
}

/** A value as a literal of a ClickHouse type. */
function typed(name: string, value: unknown, type: string): string {
	if (isNothing(value)) return 'NULL';
	if (type === 'Identifier') return quoted(textOf(name, value), '`');
	if (type === 'String') return quoted(textOf(name, value), "'");
	const text = Array.isArray(value) ? list(name, value) : textOf(name, value);
	// A date field of n8n says the time too
	const date = /^Date(32)?$/.test(type) ? text.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1') : text;
	return `CAST(${quoted(date, "'")}, ${quoted(type, "'")})`;
}

export interface Values {
	/** Query parameters by name */
	parameters: ReadonlyMap<string, unknown>;
	/** n8n's resolution of one expression, brackets included; undefined where it has no value */
	evaluate(expression: string): unknown;
}

/**
 * The query with its `{{ expressions }}` and `{name:Type}` placeholders filled. Between quotes the value of an expression fills in text
 * that cannot end them. An expression that is the whole query is the query. Comments stay as they are, without expressions.
 * @throws WorkspaceAutomationError naming what has no value, or none that fits its place
 */
export function bind(sql: string, { parameters, evaluate }: Values): string {
	const whole = sql.trim();
	if (whole.match(EXPRESSION)?.[0] === whole) return requireText('Query', evaluate(whole));

	const expressions: string[] = [];
	// An expression may hold quotes of its own: it is out of sight while the statement is cut into tokens.
	const hidden = sql
		.replaceAll('\0', '')
		.replace(EXPRESSION, (expression) => `\0${expressions.push(expression) - 1}\0`);

	function valueOf(index: string): [name: string, value: unknown] {
		const expression = expressions[Number(index)];
		const value = evaluate(expression);
		if (value !== undefined) return [expression, value];
		throw new WorkspaceAutomationError(
			`The expression ${expression} in Query has no value`,
			'Check that the item it reads from has that field.',
		);
	}

	function parameterOf(name: string): [name: string, value: unknown] {
		if (parameters.has(name)) return [`The query parameter ${name}`, parameters.get(name)];
		const known = [...parameters.keys()].join(', ') || 'none';
		throw new WorkspaceAutomationError(
			`The query parameter ${name} has no value`,
			`Add it under Options > Query Parameters. There are so far: ${known}.`,
		);
	}

	/** Each place is filled once: what a value says is not looked at again. */
	function boundToken(token: string): string {
		if (isComment(token)) return token.replace(HIDDEN, '');
		if (!isQuoted(token)) {
			return token.replace(
				PLACE,
				(_, index: string | undefined, name: string, type: string | undefined) => {
					if (index !== undefined) return literal(...valueOf(index));
					return type === undefined
						? literal(...parameterOf(name))
						: typed(...parameterOf(name), type);
				},
			);
		}
		for (const [placeholder, , name] of token.matchAll(PLACE)) {
			if (!parameters.has(name)) continue;
			throw new WorkspaceAutomationError(
				`The query parameter ${name} stands between quotes`,
				`Leave out the quotes around ${placeholder}: it brings its own. For a part of a text use concat('...', {${name}:String}).`,
			);
		}
		return token.replace(HIDDEN, (_, index: string) =>
			quoted(textOf(...valueOf(index)), token[0]).slice(1, -1),
		);
	}

	return tokensOf(hidden).map(boundToken).join('');
}
