import { randomUUID } from 'node:crypto';

import { digest } from '../base/digest';

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
