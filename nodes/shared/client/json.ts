import { randomUUID } from 'node:crypto';

import { fingerprint } from '../values';

// JSON on the wire: files become base64 in it when it's sent, and numbers lose no digit.

/** Bytes that a request sends as base64. They become text only when it's sent, so that a file isn't in memory several times. */
export class Base64 {
	readonly bytes: Buffer;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
	}

	toString(): string {
		return this.bytes.toString('base64');
	}

	/** Returns a fingerprint, which is enough to tell one from another. */
	toJSON(): string {
		return fingerprint(this.bytes);
	}
}

/** Represents a content, and occurs in nobody's text */
const BASE64_PLACEHOLDER = `base64 ${randomUUID()}`;
/** A multiple of 3, so that the base64 of each piece needs no padding */
const CHUNK_BYTES = 3 * 2 ** 16;

/** Returns a request body as JSON, in bytes. */
export function jsonBytes(body: unknown): Buffer {
	const contents: Buffer[] = [];
	const text = JSON.stringify(body, function (this: Record<string, unknown>, key, value: unknown) {
		const original = this[key];
		if (!(original instanceof Base64)) return value;
		contents.push(original.bytes);
		return BASE64_PLACEHOLDER;
	});
	const parts = text.split(JSON.stringify(BASE64_PLACEHOLDER));
	const lengths = contents.map(({ length }) => Math.ceil(length / 3) * 4 + 2);
	const target = Buffer.alloc(
		[...lengths, ...parts.map((part) => Buffer.byteLength(part))].reduce((a, b) => a + b),
	);
	let at = target.write(parts[0]);
	contents.forEach((content, index) => {
		at += target.write('"', at);
		for (let from = 0; from < content.length; from += CHUNK_BYTES)
			at += target.write(
				content.subarray(from, from + CHUNK_BYTES).toString('base64'),
				at,
				'latin1',
			);
		at += target.write(`"${parts[index + 1]}`, at);
	});
	return target;
}

/**
 * 16 digits and dots or more: JavaScript can hold any shorter number, with any sign and exponent. Counted in threes, because V8
 * unrolls these and then skips most of a text.
 */
const LONG_NUMBER = /\d[\d.]{3}[\d.]{3}[\d.]{3}[\d.]{6,}/g;
/** A whole number of that length, or a quote or escape, which tell whether the number is in a string */
const NUMBER_OR_QUOTE = /\\.|"|-?\d[\d.eE+-]{15,}/gs;

/** Returns whether JavaScript can hold a number: whole ones up to 2^53, others with the 17 digits of a double. */
function isExact(number: string): boolean {
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(Number(number));
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17;
}

/**
 * Parses JSON; undefined if the text isn't JSON. A number that JavaScript can't hold becomes a text of the same digits, so that IDs
 * and sums of 64 bits, such as those of analytics, arrive as they were sent.
 */
export function parseJson(text: string): unknown {
	// A byte order mark is no part of JSON, and some servers send one.
	let json = text.startsWith('\ufeff') ? text.slice(1) : text;
	if (!(text.match(LONG_NUMBER) ?? []).every(isExact)) {
		let inString = false;
		json = json.replace(NUMBER_OR_QUOTE, (part) => {
			if (part === '"') inString = !inString;
			return inString || !/^[-\d]/.test(part) || isExact(part) ? part : `"${part}"`;
		});
	}
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}
