import { WorkspaceAutomationError } from './errors';
import { MAX_FILE_BYTES } from './limits';
import {
	canBeId,
	excerpt,
	findInexactNumber,
	formatMib,
	isRecord,
	isTooDeep,
	MIB,
	tryParseJson,
} from './values';

// Each check throws a WorkspaceAutomationError that names the panel's `field` and the way out.

/** A UUID, without anchors, for patterns that n8n's editor checks too */
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const UUID_ONLY = new RegExp(`^${UUID}$`);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export function requireText(field: string, value: unknown): string {
	if (typeof value === 'string' && value.trim() !== '') return value;
	throw new WorkspaceAutomationError(
		`'${field}' is ${isAbsent(value) || typeof value === 'string' ? 'empty' : 'not a text'}`,
		`Enter a value for '${field}'. If it's an expression, check that the item it reads from has that field.`,
	);
}

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

/** Returns a text without the characters that a pattern finds. @throws WorkspaceAutomationError that names the first of them */
function refuseCharacters(field: string, text: string, pattern: RegExp, what: string): string {
	const [found] = pattern.exec(text) ?? [];
	if (found === undefined) return text;
	const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
	throw new WorkspaceAutomationError(
		`'${field}' has ${what}`,
		`Remove the character U+${code} from '${field}'. If it's an expression, use .trim() or .replace().`,
	);
}

/** Many services cut a text at a null character, or can't store it. */
export const requireNoNull = (field: string, text: string): string =>
	refuseCharacters(field, text, /\0/, 'a null character');

/** Accepts one line, such as a name. */
export const requireLine = (field: string, text: string): string =>
	refuseCharacters(field, text, /[\p{Cc}\u2028\u2029]/u, 'a line break or a control character');

/** An absolute path without query string or fragment, of 1 to 2048 characters (API document, POST /shared-previews). */
export function requireRoute(field: string, value: unknown): string {
	const route = requireLine(field, requireString(field, requireText(field, value), 2048));
	// Browsers read the text after two slashes as a host.
	if (!/^\/(?![/\\])/.test(route))
		throw new WorkspaceAutomationError(
			`'${field}' doesn't start with one slash`,
			'Enter the path of the page, such as /pricing.',
		);
	const [end] = /[?#]/.exec(route) ?? [];
	if (end === undefined) return route;
	throw new WorkspaceAutomationError(
		`'${field}' has a query string or fragment`,
		`Leave out everything from the "${end}" on: only the path can be shared.`,
	);
}

/** The grammar of RFC 5646: a language, then its script, region, variants, extensions and private parts */
const LANGUAGE_TAG =
	/^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8})$/i;

/** An optional BCP 47 language tag of at most 255 characters. Only its form is checked. */
export function optionalLocale(field: string, value: unknown): string | undefined {
	if (isAbsent(value) || value === '') return undefined;
	const locale = requireString(field, value, 255);
	if (LANGUAGE_TAG.test(locale)) return locale;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a language tag`,
		'Enter a BCP 47 language tag such as en or pt-BR, or leave it empty.',
	);
}

export const isId = (value: unknown): value is string =>
	typeof value === 'string' && UUID_ONLY.test(value);

/** Checks a UUID (API document, Resources: identifiers are UUID strings unless stated otherwise). Returns it trimmed, in lower case. */
export function requireId(field: string, value: unknown): string {
	const id = requireText(field, value).trim();
	if (isId(id)) return id.toLowerCase();
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`"${excerpt(id, 80)}" isn't a UUID such as 123e4567-e89b-12d3-a456-426614174000. Copy the ID from the service or from an earlier node's output.`,
	);
}

/** Returns undefined for an empty text, and for the null or undefined of an expression. */
export const optionalId = (field: string, value: unknown): string | undefined =>
	isAbsent(value) || (typeof value === 'string' && value.trim() === '')
		? undefined
		: requireId(field, value);

const canCarry = (number: number): boolean =>
	Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);

const lostDigitsError = (field: string, number: number | string) =>
	new WorkspaceAutomationError(
		`'${field}' has a number that would change`,
		`${excerpt(String(number), 80)} would arrive with other digits. Put it in quotes, or enter it with fewer digits.`,
	);

/** Checks an ID whose form the API document doesn't show (products, assets, interactions). Numbers keep their type. */
export function requireAnyId(field: string, value: unknown): string | number {
	if (typeof value === 'number' && canCarry(value)) return value;
	if (typeof value === 'number' && Number.isFinite(value)) throw lostDigitsError(field, value);
	const id = requireText(field, value).trim();
	if (canBeId(id)) return id;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`"${excerpt(id, 80)}" can't be an ID. Copy the ID from the service or from an earlier node's output.`,
	);
}

export function requireResourceId(field: string, value: unknown): string | number {
	const id = requireAnyId(field, value);
	return isId(id) ? id.toLowerCase() : id;
}

export function requireNumber(field: string, value: unknown, least: number): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number) && number >= least) return number;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid number`,
		`Enter a number of ${least} or more for '${field}'.`,
	);
}

/** Accepts a text, because expressions often give texts. */
export function requireSwitch(field: string, value: unknown): boolean {
	const isOn = typeof value === 'string' ? tryParseJson(value.trim().toLowerCase()) : value;
	if (typeof isOn === 'boolean') return isOn;
	throw new WorkspaceAutomationError(
		`'${field}' is neither true nor false`,
		`Turn '${field}' on or off. If it's an expression, check that it gives true or false.`,
	);
}

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

/** Returns the first number or text of a JSON value, keys included, for which `matches` is true. */
function findInJson<T extends number | string>(
	value: unknown,
	matches: (value: unknown) => value is T,
): T | undefined {
	if (matches(value)) return value;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const inner of Object.entries(value).flat()) {
		const found = findInJson(inner, matches);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Returns whether JSON can't carry a number, or the number has lost digits on its way here. */
const isLostNumber = (value: unknown): value is number =>
	typeof value === 'number' && !canCarry(value);

const hasNull = (value: unknown): value is string =>
	typeof value === 'string' && value.includes('\0');

/** Accepts JSON text or, from an expression, an object. Empty means `{}`. */
export const requireJsonObject = (field: string, value: unknown): Record<string, unknown> =>
	parseJsonObject(field, value, ', or leave it empty');

/** Reads a JSON object for a field. @param otherwise what else an error offers */
export function parseJsonObject(
	field: string,
	value: unknown,
	otherwise = '',
): Record<string, unknown> {
	if (isAbsent(value) || value === '') return {};
	const parsed = typeof value === 'string' ? tryParseJson(value) : value;
	if (!isRecord(parsed))
		throw new WorkspaceAutomationError(
			`'${field}' isn't a valid JSON object`,
			`Enter a JSON object such as {"name": "value"} in '${field}'${otherwise}.`,
		);
	if (isTooDeep(parsed))
		throw new WorkspaceAutomationError(
			`'${field}' is nested too deeply`,
			`Enter a JSON object with fewer levels in '${field}'.`,
		);
	const lost =
		typeof value === 'string' ? findInexactNumber(value) : findInJson(parsed, isLostNumber);
	if (lost !== undefined) throw lostDigitsError(field, lost);
	requireNoNull(field, findInJson(parsed, hasNull) ?? '');
	return parsed;
}

export function requireFileSize(field: string, bytes: number): void {
	if (bytes <= MAX_FILE_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most ${formatMib(MAX_FILE_BYTES)} per file. This file has ${(Math.ceil((bytes / MIB) * 10) / 10).toFixed(1)} MiB.`,
	);
}

export const MAX_URL_LENGTH = 2_000;

/** A UUID in a URL, after the name that may stand before it, such as `sessions/` or `sessionId=` */
const ID_IN_URL = new RegExp(`\\b(\\w*)(?:[-/=:]|\\?id=|%2f|%3d)?(${UUID})`, 'gi');
const OTHER_RESOURCE =
	/project|workspace|site|file|folder|task|product|interaction|message|user|org/i;

/** Returns the ID named as a session's, or else the last that isn't named as another resource's. */
function findSessionId(url: string): string | undefined {
	const found = [...url.matchAll(ID_IN_URL)].map(([, name, id]) => ({ name, id }));
	const namedId = found.find(({ name }) => /session/i.test(name));
	const possible = found.filter(({ name }) => !OTHER_RESOURCE.test(name));
	return (namedId ?? possible.pop() ?? found.pop())?.id;
}

/** Accepts an ID or a dashboard URL. Returns the ID in lower case. */
export function requireSessionId(field: string, value: unknown): string {
	const text = requireText(field, value).trim();
	const id = text.includes('/') ? findSessionId(text.slice(0, MAX_URL_LENGTH)) : text;
	if (isId(id)) return id.toLowerCase();
	throw new WorkspaceAutomationError(
		`'${field}' isn't a valid ID`,
		`Enter the sessionId that an earlier node returned, a UUID such as 123e4567-e89b-12d3-a456-426614174000, or the dashboard URL of the session.`,
	);
}
