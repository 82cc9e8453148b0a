import { randomUUID } from 'node:crypto';
import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { fingerprint, formatMib, formatSeconds, MIB } from '../values';
import { withTimeout } from './clock';
import { CREDENTIAL, VERSION_HEADER } from './credential';
import type {
	ApiContext,
	ApiRequest,
	Attempt,
	ConnectionOptions,
	FailedAttempt,
	Headers,
} from './types';

// One request on the wire. Files become base64 when it's sent. Its response loses no digit and shows no key.

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
		return fingerprint(this.bytes);
	}
}

/** Stands for a content, and in nobody's text */
const BASE64_PLACEHOLDER = `base64 ${randomUUID()}`;
/** A multiple of 3, so that the text of each piece ends where that of the next begins */
const CHUNK_BYTES = 3 * 2 ** 16;

/** A request body as JSON, in bytes. */
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
 * 16 digits and dots or more: what is shorter is no number that JavaScript cannot hold; sign and exponent make no difference.
 * Counted in threes, because V8 writes these out, and then skips most of a text.
 */
const LONG_NUMBER = /\d[\d.]{3}[\d.]{3}[\d.]{3}[\d.]{6,}/g;
/** A whole number as long, and what tells whether it stands in a string: quotes, but for those that are escaped */
const NUMBER_OR_QUOTE = /\\.|"|-?\d[\d.eE+-]{15,}/gs;

/** Whether a number survives as JavaScript's: whole ones up to 2^53, others with the 17 digits that a double can have. */
function isExact(number: string): boolean {
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
	if (!(text.match(LONG_NUMBER) ?? []).every(isExact)) {
		let inString = false;
		json = text.replace(NUMBER_OR_QUOTE, (part) => {
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

/** The longest beginning of a text that isn't JSON to keep: nothing beyond it is ever shown. */
const MAX_TEXT_LENGTH = 10_000;

/** Returns a body without the secret: as JSON, or the beginning of its text. */
export function parseBody(
	text: string,
	redact: (text: string) => string,
): { body: unknown; text?: string } {
	const clean = redact(text);
	const body = parseJson(clean);
	return body === undefined ? { body, text: clean.slice(0, MAX_TEXT_LENGTH) } : { body };
}

/** The largest response, after unpacking */
const MAX_RESPONSE_BYTES = 16 * MIB;

/** Codes of axios and our own for a response that isn't complete in time */
const TIMEOUT_CODES = ['ECONNABORTED', 'ETIMEDOUT'];
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
const UNUSABLE_CODE =
	/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_INVALID_URL)/;

/** The first system error code in an error and its causes. */
function findErrorCode(error: unknown): string {
	let at = error as { code?: unknown; httpCode?: unknown; cause?: unknown } | undefined;
	for (let depth = 0; at && depth < 6; depth++) {
		const codes = [at.code, at.httpCode];
		const code = codes.find(
			(value) => typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value),
		);
		if (code) return code as string;
		at = at.cause as typeof at;
	}
	return 'an unknown network error';
}

/** Returns the attempt for a failure to get any response. */
export function toFailedAttempt(error: unknown): FailedAttempt {
	const code = findErrorCode(error);
	if (UNSENT_CODES.includes(code)) return { kind: 'unsent', code };
	return { kind: UNUSABLE_CODE.test(code) ? 'unusable' : 'lost', code };
}

class TooLargeError extends Error {}

/** Reads a body as bytes. The unpacked size counts. */
async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new TooLargeError();
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/**
 * Sends a request once. Never throws for anything that the network or the service did. The credential's `authenticate` adds the key.
 * @param redact removes the key from the response
 * @param signal ends the request with the execution; without one it's finished even after Stop
 */
export async function sendHttpRequest(
	context: ApiContext,
	{ baseUrl, redact }: { baseUrl: string; redact: (text: string) => string },
	request: ApiRequest & { timeoutMs: number },
	connection: ConnectionOptions,
	signal: AbortSignal | undefined,
): Promise<Attempt> {
	const { timeoutMs, maxBytes = MAX_RESPONSE_BYTES } = request;
	const httpRequest: IHttpRequestOptions = {
		method: request.method,
		url: baseUrl + request.path,
		qs: request.query,
		headers: {
			Accept: 'application/json',
			...(request.version && { [VERSION_HEADER]: request.version }),
			...(request.body !== undefined && { 'Content-Type': 'application/json' }),
		},
		// Bytes, because a text that is labelled JSON is parsed once more on its way: a 10 MiB file would be in memory yet another time.
		...(request.body !== undefined && { body: jsonBytes(request.body) }),
		// A stream, because nothing else limits how many bytes arrive and for how long.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: timeoutMs,
		...connection,
	};
	let status: number | undefined;
	let headers: Headers = {};
	try {
		// The signal closes the connection. Destroying the body would not, because axios puts a stream of its own before the socket.
		const text = await withTimeout(signal, timeoutMs, async (abortSignal) => {
			const response = (await context.helpers.httpRequestWithAuthentication.call(
				// n8n types the helper for execution contexts only; it needs no more than what every context has.
				context as unknown as IAllExecuteFunctions,
				CREDENTIAL,
				{ ...httpRequest, abortSignal },
			)) as { statusCode: number; headers: Headers; body?: AsyncIterable<Uint8Array> | string };
			status = response.statusCode;
			headers = Object.fromEntries(
				Object.entries(response.headers).map(([name, value]) => [
					name,
					typeof value === 'string' ? redact(value) : value,
				]),
			);
			const body = response.body ?? '';
			return typeof body === 'string' ? body : (await readBytes(body, maxBytes)).toString();
		});
		return { kind: 'response', status: status!, headers, ...parseBody(text, redact) };
	} catch (error) {
		if (error instanceof TooLargeError) return { kind: 'tooLarge', code: formatMib(maxBytes) };
		const attempt = toFailedAttempt(error);
		if (TIMEOUT_CODES.includes(attempt.code))
			attempt.code += `: it took longer than ${formatSeconds(timeoutMs)}`;
		// The status arrived and the body did not.
		if (status !== undefined && status >= 200 && status < 300)
			return { kind: 'response', status, headers, body: undefined, broken: attempt.code };
		return attempt;
	}
}
