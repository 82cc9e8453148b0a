import { createHash } from 'node:crypto';

export const MIB = 1024 * 1024;

export const formatMib = (bytes: number): string => `${bytes / MIB} MiB`;
export const formatSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} seconds`;

const EXCERPT_LENGTH = 200;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export const isString = (value: unknown): value is string => typeof value === 'string';

/** Returns a copy without some fields. */
export function omit<T extends object, K extends keyof T>(thing: T, ...names: K[]): Omit<T, K> {
	const copy = { ...thing };
	for (const name of names) delete copy[name];
	return copy;
}

export const nonEmptyText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

export const splitList = (text: string): string[] =>
	text
		.split(',')
		.map((each) => each.trim())
		.filter(Boolean);

export function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** A number, or a quote or escape, which tell whether the number is in a string */
const NUMBER_OR_QUOTE = /\\.|"|-?\d[\d.eE+-]*/gs;

function replaceNumbers(json: string, replace: (number: string) => string): string {
	let inString = false;
	return json.replace(NUMBER_OR_QUOTE, (part) => {
		if (part === '"') inString = !inString;
		return inString || !/^[-\d]/.test(part) ? part : replace(part);
	});
}

/** Returns the digits and the exponent of a number, which are equal for every way to write it. */
function normalizeNumber(number: string): string {
	const [, sign, whole, fraction = '', exponent = '0'] =
		/^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
	const digits = `${whole}${fraction}`.replace(/^0+/, '');
	const keptDigits = digits.replace(/0+$/, '');
	if (keptDigits === '') return '0';
	return `${sign}${keptDigits}e${Number(exponent) - fraction.length + digits.length - keptDigits.length}`;
}

/** Returns the first number of a JSON text that JavaScript would change, such as one beyond 2^53, or undefined. */
export function findInexactNumber(json: string): string | undefined {
	const found: string[] = [];
	replaceNumbers(json, (number) => {
		if (normalizeNumber(number) !== normalizeNumber(String(Number(number)))) found.push(number);
		return number;
	});
	return found[0];
}

/** 16 digits and dots, or a long exponent: JavaScript can hold any other number. Counted in threes, because V8 unrolls these and then skips most of a text. */
const LONG_NUMBER =
	/\d[\d.]{3}[\d.]{3}[\d.]{3}[\d.]{6,}(?:[eE][+-]?\d+)?|\d[\d.]{0,15}[eE][+-]?\d{3,}/g;
/** Accepts whole numbers up to 2^53, and others with the 17 digits of a double and an exponent that it can hold. */
function isExact(number: string): boolean {
	const value = Number(number);
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(value);
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17 && Number.isFinite(value) && (value !== 0 || digits === '');
}

/** Returns undefined if the text isn't JSON. A number that JavaScript can't hold, such as a 64-bit ID, becomes a text of the same digits. */
export function parseJson(text: string): unknown {
	let json = text;
	if (!(json.match(LONG_NUMBER) ?? []).every(isExact))
		json = replaceNumbers(json, (number) => (isExact(number) ? number : `"${number}"`));
	return tryParseJson(json);
}

/** The API document shows four levels. */
const MAX_JSON_DEPTH = 100;

export const isObject = (each: unknown): each is object =>
	typeof each === 'object' && each !== null;

/** Needs no more stack than `levels` calls, however deep the value is. Copies nothing. */
export function isTooDeep(value: unknown, levels: number = MAX_JSON_DEPTH): boolean {
	if (!isObject(value)) return false;
	if (levels < 0) return true;
	if (Array.isArray(value)) return value.some((each) => isTooDeep(each, levels - 1));
	for (const name in value)
		if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
	return false;
}

/** Sorting more keys takes longer than reading them: larger objects keep their order. Services that reorder keys do so in small ones. */
const MAX_SORTED_KEYS = 100;

const hasObject = (values: readonly unknown[]): boolean => values.some(isObject);

/** Returns what is written of a field. Undefined leaves it out */
type ReadField = (name: string, value: unknown) => unknown;

/** Writes JSON with sorted keys. @throws RangeError if the value is nested too deeply */
function writeSorted(value: unknown, levels: number, read?: ReadField): string | undefined {
	if (!isObject(value)) return JSON.stringify(value);
	if (levels < 0) throw new RangeError('nested too deeply');
	if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
	if (Array.isArray(value))
		return hasObject(value)
			? `[${value.map((each) => writeSorted(each, levels - 1) ?? 'null').join()}]`
			: JSON.stringify(value);
	const fields = value as Record<string, unknown>;
	const names = Object.keys(value);
	if (names.length <= MAX_SORTED_KEYS) names.sort();
	const parts: string[] = [];
	for (const name of names) {
		const json = writeSorted(read ? read(name, fields[name]) : fields[name], levels - 1);
		if (json !== undefined) parts.push(`${JSON.stringify(name)}:${json}`);
	}
	return `{${parts.join()}}`;
}

/**
 * Returns JSON independent of the order of keys, or undefined if the value is nested too deeply.
 * @param read reads the fields at the top
 */
export function sortedJson(value: unknown, read?: ReadField): string | undefined {
	try {
		return writeSorted(value, MAX_JSON_DEPTH, read);
	} catch {
		return undefined;
	}
}

/** Returns at most `longest` characters of foreign text on one line, without control characters and HTML. */
export function excerpt(text: string, longest: number = EXCERPT_LENGTH): string {
	const line = text
		.slice(0, longest + 1)
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
		.replaceAll('<', '＜')
		.replaceAll('>', '＞');
	return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

export const optionalExcerpt = (value: unknown, longest?: number): string | undefined =>
	typeof value === 'string' && value !== '' ? excerpt(value, longest) : undefined;

/** Returns a text as it is, anything else as JSON. Never throws, however deep the value is. */
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

export function quote(value: unknown, longest: number = EXCERPT_LENGTH): string {
	if (value === undefined) return 'nothing';
	return excerpt(toText(value), longest);
}

const MAX_QUOTED = 60;

/** Quotes a text in its own characters, and counts the rest. Where people see it, it's made safe to show. */
export function quoteText(text: string): string {
	// Never ends with half of a character
	const shownText = text.slice(0, MAX_QUOTED).replace(/[\uD800-\uDBFF]$/, '');
	const hidden = text.length - shownText.length;
	return `«${shownText}»${cutOff(hidden)}`;
}

/** Reads percent-encoded characters, if they're valid. */
export function decodePath(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Rejects dots, which would address another resource as a path segment, and half characters, which can't be in a path. */
export const canBeId = (text: string): boolean =>
	text !== '' && text.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(text) && !/^\.\.?$/.test(text);

/** Returns whether a URL's host is this machine: the one place that says so. */
export const isThisMachine = (hostname: string): boolean =>
	/^(.*\.)?localhost\.?$|^127(\.\d+){3}$|^\[::1\]$/.test(hostname);

/** As long as a route may be (API document, POST /shared-previews) */
const MAX_LINK_LENGTH = 2_048;

/** Returns a URL that people may open, as the URL parser reads it: https, or http on this machine, and without user information. */
export function readSafeLink(value: unknown): URL | undefined {
	if (typeof value !== 'string' || /[\s\p{Cc}<>"]/u.test(value)) return undefined;
	if (value.length > MAX_LINK_LENGTH || !URL.canParse(value)) return undefined;
	const url = new URL(value);
	const { protocol, hostname, username, password, href } = url;
	const isSafe = protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
	const hasUser = username !== '' || password !== '';
	return isSafe && !hasUser && href.length <= MAX_LINK_LENGTH ? url : undefined;
}

/** Parses a date-time, or seconds or milliseconds since 1970. Returns milliseconds, or NaN. */
export function parseTimestamp(value: unknown): number {
	if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
	return typeof value === 'string' ? Date.parse(value) : NaN;
}

/** Parses a date in one of the three forms of HTTP (RFC 9110, 5.6.7), which are all in GMT. Returns milliseconds, or NaN. */
export function parseHttpDate(value: unknown): number {
	// Only real dates: Date.parse would take "-5" or "soon 1" for one.
	if (typeof value !== 'string' || !/[a-z]{3}.*\d{2}:\d{2}/i.test(value)) return NaN;
	// asctime names no zone, and Date.parse would take the local one.
	return Date.parse(/[a-z]\s*$|[+-]\d{4}\s*$/i.test(value) ? value : `${value} GMT`);
}

export const pluralize = (number: number, thing: string): string =>
	`${number} ${thing}${number === 1 ? '' : 's'}`;

/** Says how much of a text isn't shown. */
export const cutOff = (hidden: number): string =>
	hidden > 0 ? ` (cut off, ${pluralize(hidden, 'more character')})` : '';

export const capitalize = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}`;

/** Returns "custom domain" for `customDomain`. */
export const toWords = (name: string): string =>
	name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export const toTitle = (name: string): string =>
	toWords(name).replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** @param bytes bytes of the hash to keep, of which each 3 are 4 characters */
export function fingerprint(content: string | Uint8Array, bytes = 16): string {
	return createHash('sha256').update(content).digest().subarray(0, bytes).toString('base64url');
}

/** Returns a function that reads a value when it's first needed. */
export function lazily<T>(read: () => T): () => T {
	let found: { value: T } | undefined;
	return () => (found ??= { value: read() }).value;
}

/** Returns what a map has for a key. Makes it if there's nothing. */
export function getOrAdd<K, V>(
	map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
	key: K,
	make: () => V,
): V {
	const found = map.get(key) ?? make();
	map.set(key, found);
	return found;
}

/** Returns a function that makes something of each object once. */
export function oncePer<K extends object, T>(make: (from: K) => T): (from: K) => T {
	const made = new WeakMap<K, T>();
	return (from) => getOrAdd(made, from, () => make(from));
}
