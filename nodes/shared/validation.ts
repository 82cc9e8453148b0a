import { WorkspaceAutomationError } from './errors';
import { excerpt, isRecord, tryParseJson } from './values';

// Checks of what people enter. Each refuses before anything is sent, and names the field and the way out. `field` is the name
// that the panel shows.

/** A UUID, without anchors, for patterns that n8n's editor checks too */
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const UUID_ONLY = new RegExp(`^${UUID}$`);

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

/** A text that is not empty. */
export function requireText(field: string, value: unknown): string {
	if (typeof value === 'string' && value.trim() !== '') return value;
	throw new WorkspaceAutomationError(
		`'${field}' is ${isEmpty(value) || typeof value === 'string' ? 'empty' : 'not a text'}`,
		`Enter a value for '${field}'. If it's an expression, check that the item it reads from has that field.`,
	);
}

/** A text, empty ones included, of at most `longest` characters. */
export function requireString(field: string, value: unknown, longest = Infinity): string {
	if (typeof value !== 'string') return requireText(field, value);
	// Characters as people and JSON Schema count them: an emoji is one.
	const length = value.length <= longest ? value.length : [...value].length;
	if (length <= longest) return value;
	throw new WorkspaceAutomationError(
		`'${field}' is too long`,
		`'${field}' takes at most ${longest} characters, and has ${length}.`,
	);
}

export const isId = (value: unknown): value is string =>
	typeof value === 'string' && UUID_ONLY.test(value);

/** A UUID (API document, Resources: identifiers are UUID strings unless stated otherwise), in lower case, without spaces around it. */
export function requireId(field: string, value: unknown): string {
	const id = requireText(field, value).trim();
	if (isId(id)) return id.toLowerCase();
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`"${excerpt(id, 80)}" isn't a UUID such as 123e4567-e89b-12d3-a456-426614174000. Copy the ID from the service or from an earlier node's output.`,
	);
}

/** An ID that may be left out: undefined for an empty text, and for the null or undefined of an expression. */
export const optionalId = (field: string, value: unknown): string | undefined =>
	isEmpty(value) || (typeof value === 'string' && value.trim() === '')
		? undefined
		: requireId(field, value);

/**
 * Returns whether a text can be an identifier of any form. A dot or two as a path segment would address another resource, and half of
 * a character can't be in a path.
 */
export const canBeId = (text: string): boolean =>
	text !== '' && text.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(text) && !/^\.\.?$/.test(text);

/**
 * An identifier whose form the API document does not show (products, assets, interactions): a number, or a text without spaces
 * around it. Numbers keep their type.
 */
export function requireAnyId(field: string, value: unknown): string | number {
	if (typeof value === 'number' && Number.isFinite(value)) return value;
	const id = requireText(field, value).trim();
	if (canBeId(id)) return id;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`"${excerpt(id, 80)}" can't be an ID. Copy the ID from the service or from an earlier node's output.`,
	);
}

/** The same, in lower case where it's a UUID. */
export function requireResourceId(field: string, value: unknown): string | number {
	const id = requireAnyId(field, value);
	return isId(id) ? id.toLowerCase() : id;
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
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid number`,
		`Enter a number ${most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`} for '${field}'.`,
	);
}

/** True or false. A text that says so counts, because expressions often give texts. */
export function requireSwitch(field: string, value: unknown): boolean {
	const isOn = typeof value === 'string' ? tryParseJson(value.trim().toLowerCase()) : value;
	if (typeof isOn === 'boolean') return isOn;
	throw new WorkspaceAutomationError(
		`'${field}' is neither true nor false`,
		`Turn '${field}' on or off. If it's an expression, check that it gives true or false.`,
	);
}

/** One of the values that a field offers. */
export function requireChoice<T extends string>(
	field: string,
	value: unknown,
	allowed: readonly T[],
): T {
	const found = allowed.find((each) => each === value);
	if (found !== undefined) return found;
	throw new WorkspaceAutomationError(
		`'${field}' has no valid value`,
		`Choose one of these for '${field}': ${allowed.join(', ')}.`,
	);
}

/** A JSON object from a JSON field, which gives text or, by expression, an object. Empty means `{}`. */
export function requireJsonObject(field: string, value: unknown): Record<string, unknown> {
	if (isEmpty(value) || value === '') return {};
	const parsed = typeof value === 'string' ? tryParseJson(value) : value;
	if (isRecord(parsed)) return parsed;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid JSON object`,
		`Enter a JSON object such as {"name": "value"} in '${field}', or leave it empty.`,
	);
}

/** The longest URL of a session that is read */
export const MAX_URL_LENGTH = 2_000;

/** UUIDs in a URL. The one after a name such as `sessions` or `sessionId=` is the session's. */
const SESSION_ID_IN_URL = new RegExp(`session\\w*(?:[/=:]|\\?id=)(${UUID})`, 'i');
const IDS_IN_URL = new RegExp(UUID, 'g');

/** Returns the session's ID in its dashboard URL, wherever it is: of several without a name, the last. */
function findSessionId(url: string): string | undefined {
	const named = SESSION_ID_IN_URL.exec(url)?.[1];
	return named ?? url.match(IDS_IN_URL)?.pop();
}

/** The ID of a session in lower case, entered as it is or with its dashboard URL. */
export function requireSessionId(field: string, value: unknown): string {
	const text = requireText(field, value).trim();
	const isUrl = /^https?:\/\//.test(text);
	const id = isUrl ? findSessionId(text.slice(0, MAX_URL_LENGTH)) : text;
	if (isId(id)) return id.toLowerCase();
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`Enter the sessionId that an earlier node returned, a UUID such as 123e4567-e89b-12d3-a456-426614174000, or the dashboard URL of the session.`,
	);
}
