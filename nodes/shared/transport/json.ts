import { randomUUID } from 'node:crypto';

import { digest } from '../base/values';

// Bodies as they travel: a request's files become base64 in the moment in which it is sent, a response loses no digit and shows no key.

/** Bytes that a request carries as base64. They become text only where it is sent, so that a file is not in memory several times. */
export class Base64 {
	readonly bytes: Buffer;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
	}

	toString(): string {
		return this.bytes.toString('base64');
	}

	/** Enough to tell one from another */
	toJSON(): string {
		return digest(this.bytes);
	}
}

/** Stands for a content, and in nobody's text */
const PLACE = `base64 ${randomUUID()}`;
/** A multiple of 3, so that the text of each piece ends where that of the next begins */
const PIECE = 3 * 2 ** 16;

/** A request body as JSON, in bytes. */
export function jsonBytes(body: unknown): Buffer {
	const contents: Buffer[] = [];
	const text = JSON.stringify(body, function (this: Record<string, unknown>, key, value: unknown) {
		const original = this[key];
		if (!(original instanceof Base64)) return value;
		contents.push(original.bytes);
		return PLACE;
	});
	const parts = text.split(JSON.stringify(PLACE));
	const lengths = contents.map(({ length }) => Math.ceil(length / 3) * 4 + 2);
	const target = Buffer.alloc(
		[...lengths, ...parts.map((part) => Buffer.byteLength(part))].reduce((a, b) => a + b),
	);
	let at = target.write(parts[0]);
	contents.forEach((content, index) => {
		at += target.write('"', at);
		for (let from = 0; from < content.length; from += PIECE)
			at += target.write(content.subarray(from, from + PIECE).toString('base64'), at, 'latin1');
		at += target.write(`"${parts[index + 1]}`, at);
	});
	return target;
}

/** What is shorter is no number that JavaScript cannot hold; sign and exponent make no difference. */
const LONG_NUMBER = /\d[\d.]{15,}/g;
/** A whole number as long, and what tells whether it stands in a string: quotes, but for those that are escaped */
const NUMBER_OR_QUOTE = /\\.|"|-?\d[\d.eE+-]{15,}/gs;

/** Whether a number survives as JavaScript's: whole ones up to 2^53, others with the 17 digits that a double can have. */
function survives(number: string): boolean {
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(Number(number));
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17;
}

/**
 * What a JSON text says; undefined where it is not JSON. A number that JavaScript cannot hold becomes a text of the same digits: ids
 * and sums of 64 bits, such as analytics answers, arrive as they were sent.
 */
export function parseJson(text: string): unknown {
	let json = text;
	if (!(text.match(LONG_NUMBER) ?? []).every(survives)) {
		let inString = false;
		json = text.replace(NUMBER_OR_QUOTE, (part) => {
			if (part === '"') inString = !inString;
			return inString || !/^[-\d]/.test(part) || survives(part) ? part : `"${part}"`;
		});
	}
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}

const SHOWN = '[API key]';
/** Escapes of JSON in which a character of a key could hide. A backslash that is escaped itself begins none. */
const ESCAPES = /\\(?:u00([2-7][\da-f])|\/|\\)/gi;
/** Of a text that is no JSON only so much is kept: nothing beyond its beginning is ever shown. */
const LONGEST_TEXT = 10_000;

/**
 * Replaces a secret in a text, in all forms that it may have at once. A service may echo the key that it was sent: it must reach no
 * error, log or output.
 */
export function withoutSecret(text: string, secret: string): string {
	const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
	const hide = (where: string) => forms.reduce((t, form) => t.replaceAll(form, SHOWN), where);
	const clean = hide(text);
	// The same JSON in which every printable ASCII character is written in one way
	const plain = clean.replace(ESCAPES, (escape, code?: string) => {
		if (code === undefined) return escape === '\\/' ? '/' : escape;
		return JSON.stringify(String.fromCharCode(parseInt(code, 16))).slice(1, -1);
	});
	const cleaner = hide(plain);
	return cleaner === plain ? clean : cleaner;
}

/** What a body says, without the secret: as JSON, or the beginning of its text. */
export function bodyWithoutSecret(text: string, secret: string): { body: unknown; text?: string } {
	const clean = withoutSecret(text, secret);
	const body = parseJson(clean);
	return body === undefined ? { body, text: clean.slice(0, LONGEST_TEXT) } : { body };
}
