import { randomUUID } from 'node:crypto';

import { fingerprint, replaceNumbers, tryParseJson } from '../values';

/** Bytes that become base64 text only when sent, so that a file isn't in memory several times */
export class Base64 {
	readonly bytes: Buffer;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
	}

	toString(): string {
		return this.bytes.toString('base64');
	}

	toJSON(): string {
		return fingerprint(this.bytes);
	}
}

/** Random, so that no text contains it */
const BASE64_PLACEHOLDER = `base64 ${randomUUID()}`;
/** A multiple of 3, so that pieces need no padding. Longer texts stay in memory until all garbage is collected. */
const CHUNK_BYTES = 3 * 2 ** 12;

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
