import { Problem } from './problem';

// Checks of what people enter. Each refuses before anything is sent, and names the field and the way out.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A text that is not empty. `field` is the name the panel shows. */
export function requireText(field: string, value: unknown): string {
	if (typeof value === 'string' && value.trim() !== '') return value;
	throw new Problem(
		`${field} is ${value === undefined || value === null || typeof value === 'string' ? 'empty' : 'not a text'}`,
		`Enter a value for ${field}. If it is an expression, check that the item it reads from has that field.`,
	);
}

export const isId = (value: unknown): value is string =>
	typeof value === 'string' && UUID.test(value);

/** An identifier of the service: a UUID (API document, Resources). Spaces around it are forgiven. */
export function requireId(field: string, value: unknown): string {
	const id = requireText(field, value).trim();
	if (isId(id)) return id;
	throw new Problem(
		`${field} is not a valid ID`,
		`"${shorten(id)}" is not a UUID such as 123e4567-e89b-12d3-a456-426614174000. Copy the ID from the service or from an earlier node's output.`,
	);
}

/** A finite number from `least` to `most`; texts that read as a number are taken as one. */
export function requireNumber(
	field: string,
	value: unknown,
	least: number,
	most = Infinity,
): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number) && number >= least && number <= most)
		return number;
	throw new Problem(
		`${field} is not a valid number`,
		`Enter a number ${most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`} for ${field}.`,
	);
}

/** One of the values a field offers. */
export function requireOneOf<T extends string>(
	field: string,
	value: unknown,
	allowed: readonly T[],
): T {
	if (allowed.includes(value as T)) return value as T;
	throw new Problem(
		`${field} has no valid value`,
		`Choose one of these for ${field}: ${allowed.join(', ')}.`,
	);
}

/** A JSON object from a JSON field, which hands on text or, by expression, an object. Empty means `{}`. */
export function requireJsonObject(field: string, value: unknown): Record<string, unknown> {
	if (value === undefined || value === null || value === '') return {};
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
		return parsed as Record<string, unknown>;
	throw new Problem(
		`${field} is not a valid JSON object`,
		`Enter a JSON object such as {"name": "value"} in ${field}, or leave it empty.`,
	);
}

/** What a JSON text says, or undefined where it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function shorten(text: string, length = 80): string {
	return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** An ID that may be left out. */
export const optionalId = (field: string, value: unknown) =>
	value === undefined || value === '' ? undefined : requireId(field, value);

/** A text, empty ones included, of at most `longest` characters. */
export function requireString(field: string, value: unknown, longest = Infinity): string {
	if (typeof value !== 'string') return requireText(field, value);
	if (value.length <= longest) return value;
	throw new Problem(
		`${field} is too long`,
		`${field} takes at most ${longest} characters; it has ${value.length}.`,
	);
}
