import { WorkspaceAutomationError } from '../base/errors';

// How values are written into a query. Whatever a value says, ClickHouse reads it back as it was. `name` is what errors call it.

const isPlain = (value: unknown): value is boolean | number =>
	typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/**
 * A value as ClickHouse reads it back between quotes of any kind.
 * @throws WorkspaceAutomationError for objects, lists and nothing at all, and for text that UTF-8 cannot hold
 */
export function escaped(name: string, value: unknown): string {
	if (typeof value !== 'string' && !isPlain(value))
		throw new WorkspaceAutomationError(
			`${name} has no value that can stand between quotes`,
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
export function literal(name: string, value: unknown): string {
	if (value === null || value === undefined) return 'NULL';
	if (typeof value === 'string') return `'${escaped(name, value)}'`;
	if (isPlain(value)) return String(value);
	if (Array.isArray(value))
		return `[${value.map((each: unknown) => literal(name, each)).join(', ')}]`;
	throw new WorkspaceAutomationError(
		`${name} has no value that a query can hold`,
		'Pass a text, a number, true or false, or a list of these. From an object, pass one of its fields.',
	);
}

/** A value as a literal of a ClickHouse type, or as the name of a table or a column. @throws WorkspaceAutomationError for objects */
export function typedLiteral(name: string, value: unknown, type: string): string {
	if (type === 'Identifier' && value === '')
		throw new WorkspaceAutomationError(`${name} is empty`, 'Pass the name of a table or a column.');
	if (type === 'Identifier') return `\`${escaped(name, value)}\``;
	if (value === null || value === undefined) return 'NULL';
	if (type === 'String') return `'${escaped(name, value)}'`;
	const text = Array.isArray(value) ? literal(name, value) : value;
	// n8n's dates have a time as well.
	const isDate = typeof text === 'string' && /^Date(32)?$/.test(type);
	const cut = isDate ? text.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1') : text;
	return `CAST('${escaped(name, cut)}', ${literal(name, type)})`;
}
