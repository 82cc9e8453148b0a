/** Bytes that a request carries as base64. They become text only where it is sent, so that a file is not in memory several times. */
export class Base64 {
	private readonly bytes: Buffer;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
	}

	get length(): number {
		return Math.ceil(this.bytes.length / 3) * 4;
	}

	toString(): string {
		return this.bytes.toString('base64');
	}

	/** Enough to tell one from another */
	toJSON(): unknown {
		const ends = [this.bytes.subarray(0, 750), this.bytes.subarray(-750)];
		return [this.length, ...ends.map((end) => end.toString('base64'))];
	}

	/** Writes the text into `target` from `at` on, and leaves no pieces of it in memory. Returns where it ends. */
	writeTo(target: Buffer, at: number): number {
		const { bytes } = this;
		const end = at + this.length;
		for (let from = 0; from < bytes.length; from += 3) {
			const three = (bytes[from] << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
			for (let shift = 18; shift >= 0; shift -= 6) target[at++] = DIGITS[(three >> shift) & 63];
		}
		const padding = (3 - (bytes.length % 3)) % 3;
		target.fill('=', end - padding, end);
		return end;
	}
}

const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PLACE = '\u0000base64\u0000';

/** A request body as JSON, in bytes. */
export function jsonBytes(body: unknown): Buffer {
	const contents: Base64[] = [];
	const text = JSON.stringify(body, function (this: Record<string, unknown>, key, value: unknown) {
		const original = this[key];
		if (!(original instanceof Base64)) return value;
		contents.push(original);
		return PLACE;
	});
	const parts = text.split(JSON.stringify(PLACE));
	// Somebody else's text may look like the place of a content.
	if (parts.length !== contents.length + 1) return Buffer.from(JSON.stringify(body, textInPlace));
	const bytes = contents.reduce((sum, { length }) => sum + length + 2, 0);
	const target = Buffer.alloc(
		bytes + parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
	);
	let at = target.write(parts[0]);
	contents.forEach((content, index) => {
		at += target.write('"', at);
		at = content.writeTo(target, at);
		at += target.write(`"${parts[index + 1]}`, at);
	});
	return target;
}

function textInPlace(this: Record<string, unknown>, key: string, value: unknown): unknown {
	const original = this[key];
	return original instanceof Base64 ? original.toString() : value;
}
