import { createHash } from 'node:crypto';

export const MIB = 1024 * 1024;

export const formatMib = (bytes: number): string => `${bytes / MIB} MiB`;
export const formatSeconds = (ms: number): string => `${ms / 1000} seconds`;

/** UTF-16 units of foreign text in an error or a line of the log, unless it says otherwise */
const EXCERPT_LENGTH = 200;

/** Returns whether a value is an object with keys: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field of a thing, by its name in camel case: services write names in snake case, too. */
export const readNamedField = (thing: Record<string, unknown>, name: string): unknown =>
	thing[name] ?? thing[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

/** The value where it is a text with something in it, else undefined. */
export const nonEmptyText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** Returns the parts of a text between commas. */
export const splitList = (text: string): string[] =>
	text
		.split(',')
		.map((each) => each.trim())
		.filter(Boolean);

/** Parses JSON. Returns undefined for any other text. */
export function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Levels of JSON that anything in it is read at; the API document shows four */
const MAX_JSON_DEPTH = 100;

/** Returns whether a value is nested too deeply to be read. Needs no stack, however deep the value is. */
export function isTooDeep(value: unknown): boolean {
	let level = new Set([value]);
	for (let depth = 0; depth <= MAX_JSON_DEPTH && level.size > 0; depth++) {
		const next = new Set<unknown>();
		for (const each of level)
			for (const inner of Object.values(Object(each)))
				if (typeof inner === 'object' && inner !== null) next.add(inner);
		level = next;
	}
	return level.size > 0;
}

const sortKeys = (_key: string, value: unknown): unknown =>
	isRecord(value)
		? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
		: value;

/** JSON in which the order of keys makes no difference; undefined for what is nested too deeply. */
export function sortedJson(value: unknown): string | undefined {
	try {
		return isTooDeep(value) ? undefined : JSON.stringify(value, sortKeys);
	} catch {
		return undefined;
	}
}

/** At most `longest` characters of a foreign text on one line: control characters and line breaks as spaces, and no HTML. */
export function excerpt(text: string, longest: number = EXCERPT_LENGTH): string {
	const line = text
		.slice(0, longest + 1)
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
		.replaceAll('<', '＜')
		.replaceAll('>', '＞');
	return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** The same of a value where it is a text with something in it, else undefined. */
export const optionalExcerpt = (value: unknown, longest?: number): string | undefined =>
	typeof value === 'string' && value !== '' ? excerpt(value, longest) : undefined;

/** A value as a person can read it: a text as it is, anything else as JSON. Never throws, however deep it is. */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	try {
		return isTooDeep(value)
			? 'JSON that is nested too deeply'
			: (JSON.stringify(value) ?? typeof value);
	} catch {
		return `unreadable ${typeof value}`;
	}
}

/** A value as people may read it in an error: its JSON, shortened as `excerpt` does. */
export function quote(value: unknown, longest: number = EXCERPT_LENGTH): string {
	if (value === undefined) return 'nothing';
	return excerpt(toText(value), longest);
}

/** A moment in any of the forms that services use, a date-time or seconds or milliseconds since 1970, in milliseconds; else NaN. */
export function parseTimestamp(value: unknown): number {
	if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
	return typeof value === 'string' ? Date.parse(value) : NaN;
}

/** A number of things, such as "1 minute" or "1.5 minutes" */
export const pluralize = (number: number, thing: string): string =>
	`${number} ${thing}${number === 1 ? '' : 's'}`;

/** A name in camel case as people read it: `customDomain` is "custom domain". */
export const toWords = (name: string): string =>
	name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The same as a title */
export const toTitle = (name: string): string =>
	toWords(name).replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/**
 * A fingerprint of a content of any length: equal for the same content, and different for another.
 * @param bytes how many bytes of the hash are kept; each 3 bytes are 4 characters
 */
export function fingerprint(content: string | Uint8Array, bytes = 16): string {
	return createHash('sha256').update(content).digest().subarray(0, bytes).toString('base64url');
}
