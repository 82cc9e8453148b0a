import { randomUUID } from 'node:crypto';

import { fingerprint } from '../values';

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
