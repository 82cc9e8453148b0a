// Removes the API key before anything is shown or logged, because a service may echo it. The service has the key anyway, so encodings in
// encodings aren't searched.

const REDACTED = '[API key]';

/** A shorter piece of base64 could be part of any text. */
const MIN_BASE64_LENGTH = 10;

/** Returns the base64 of the secret at each byte offset, without the characters that it shares with its neighbors. */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.byteLength(secret);
	const forms = [0, 1, 2].map((offset) => {
		const encoded = Buffer.from(`${'\0'.repeat(offset)}${secret}`).toString('base64');
		return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes) * 4) / 3));
	});
	return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const hexPattern = (character: string): string =>
	character
		.charCodeAt(0)
		.toString(16)
		.padStart(2, '0')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Matches base64 for URLs too, in which two characters differ. */
const base64Pattern = (form: string): string =>
	form.replaceAll('+', '[+-]').replaceAll('/', '[/_]');

export interface Redactor {
	/** Redacts the key as it is, with any of its characters percent-encoded, in base64 and in hex, in linear time */
	redact(text: string): string;
	/** Returns whether a JSON text may have the key. */
	mayBeIn(json: string): boolean;
}

/** @param secret printable ASCII */
export function createRedactor(secret: string): Redactor {
	const characters = [...secret];
	const forms = [
		characters.map((each) => `(?:${escapeRegExp(each)}|%${hexPattern(each)})`).join(''),
		characters.map(hexPattern).join(''),
		...base64Forms(secret).map(base64Pattern),
	].join('|');
	const [every, any] = [new RegExp(forms, 'g'), new RegExp(forms)];
	const hidden = `"\\/`.split('').filter((each) => secret.includes(each));
	const escapes = new RegExp(
		['u00', ...hidden].map((each) => `\\\\${escapeRegExp(each)}`).join('|'),
	);
	return {
		redact: (text) => text.replace(every, REDACTED),
		mayBeIn: (json) => any.test(json) || escapes.test(json),
	};
}

/** Redacts the texts, numbers and names of a JSON value, however deep it is. Changes objects and lists themselves. */
export function redactValue(value: unknown, redact: Redactor['redact']): unknown {
	const clean = (each: unknown): unknown => {
		if (typeof each !== 'string' && typeof each !== 'number') return each;
		const text = redact(String(each));
		return text === String(each) ? each : text;
	};
	const root: Record<string, unknown> = { value };
	const left: Array<Record<string, unknown> | unknown[]> = [root];
	const cleanInside = (each: unknown): unknown => {
		if (typeof each === 'object' && each !== null) left.push(each as typeof root);
		return clean(each);
	};
	for (let inside = left.pop(); inside; inside = left.pop()) {
		if (Array.isArray(inside))
			for (let at = 0; at < inside.length; at++) inside[at] = cleanInside(inside[at]);
		else
			for (const name of Object.keys(inside)) {
				const [cleanName, each] = [redact(name), cleanInside(inside[name])];
				if (cleanName !== name) delete inside[name];
				inside[cleanName] = each;
			}
	}
	return root.value;
}
