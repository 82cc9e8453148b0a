import { WorkspaceAutomationError } from '../base/errors';

// How values are written into a query. Whatever a value says, ClickHouse reads it back as it was.

/** A value, and what errors call it */
export interface Named {
	name: string;
	value: unknown;
}

const isNothing = (value: unknown): value is null | undefined =>
	value === null || value === undefined;

const isPlain = (value: unknown): value is boolean | number =>
	typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** What a backslash is put before, between quotes of a kind */
const ESCAPED: Record<string, RegExp> = { "'": /['\\]/g, '"': /["\\]/g, '`': /[`\\]/g };

/** The text as ClickHouse reads it back between quotes of a kind. @throws WorkspaceAutomationError for text that UTF-8 cannot hold */
function escaped(name: string, text: string, quote: string): string {
	// A null character would end the query for programs that are written in C.
	if (!/\p{Surrogate}/u.test(text))
		return text.replace(ESCAPED[quote], '\\$&').replaceAll('\0', '\\0');
	throw new WorkspaceAutomationError(
		`${name} contains half of a character`,
		'The text was probably cut in the middle of an emoji. Cut it elsewhere, or repair it with .toWellFormed().',
	);
}

const quoted = (name: string, text: string, quote: string) =>
	quote + escaped(name, text, quote) + quote;

const list = (name: string, values: unknown[]): string =>
	`[${values.map((value) => literal({ name, value })).join(', ')}]`;

/** A value as text. @throws WorkspaceAutomationError for objects, lists and nothing at all */
function textOf({ name, value }: Named): string {
	if (typeof value === 'string') return value;
	if (isPlain(value)) return String(value);
	throw new WorkspaceAutomationError(
		`${name} has no value that can stand between quotes`,
		Array.isArray(value)
			? 'It is a list. Remove the quotes around it, or pass it as a query parameter with a type such as Array(String).'
			: 'Pass a text or a number.',
	);
}

/** A value as a literal of the type that it has in n8n. @throws WorkspaceAutomationError for objects */
export function literal({ name, value }: Named): string {
	if (isNothing(value)) return 'NULL';
	if (typeof value === 'string') return quoted(name, value, "'");
	if (isPlain(value)) return String(value);
	if (Array.isArray(value)) return list(name, value);
	throw new WorkspaceAutomationError(
		`${name} has no value that a query can hold`,
		'Pass a text, a number, true or false, or a list of these. From an object, pass one of its fields.',
	);
}

/** A value as a quoted name of a table or a column. @throws WorkspaceAutomationError for what is no text, and for an empty one */
function identifier({ name, value }: Named): string {
	const text = textOf({ name, value });
	if (text !== '') return quoted(name, text, '`');
	throw new WorkspaceAutomationError(`${name} is empty`, 'Pass the name of a table or a column.');
}

/**
 * A value as a literal of a ClickHouse type.
 * @param type a finished type (see `typeEnd`)
 * @throws WorkspaceAutomationError for objects
 */
export function typedLiteral({ name, value }: Named, type: string): string {
	if (type === 'Identifier') return identifier({ name, value });
	if (isNothing(value)) return 'NULL';
	if (type === 'String') return quoted(name, textOf({ name, value }), "'");
	const text = Array.isArray(value) ? list(name, value) : textOf({ name, value });
	// n8n's dates have a time as well.
	const date = /^Date(32)?$/.test(type) ? text.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1') : text;
	return `CAST(${quoted(name, date, "'")}, ${quoted(name, type, "'")})`;
}

/** A value as text that cannot end the quotes around it. @throws WorkspaceAutomationError for objects, lists and nothing at all */
export const textBetween = (quote: string, named: Named): string =>
	escaped(named.name, textOf(named), quote);
