import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { WorkspaceAutomationError } from '../errors';
import { MAX_RESPONSE_BYTES } from '../limits';
import { excerpt, formatMib, formatSeconds, parseJson, toText, fingerprint } from '../values';
import { withTimeout } from './clock';
import { redactValue, type Redactor } from './credential';
import {
	CREDENTIAL,
	VERSION_HEADER,
	type ApiContext,
	type ApiRequest,
	type Attempt,
	type ConnectionOptions,
	type FailedAttempt,
	type Headers,
} from './apiTypes';

/** Nothing beyond this is ever shown. */
const MAX_TEXT_LENGTH = 10_000;

/** Returns the JSON of a body, or the beginning of its text, without the key. */
export function parseBody(
	text: string,
	{ redact, mayBeIn }: Redactor,
): { body: unknown; text?: string } {
	const body = parseJson(text);
	if (body === undefined) return { body, text: redact(text).slice(0, MAX_TEXT_LENGTH) };
	return { body: mayBeIn(text) ? redactValue(body, redact) : body };
}

const TIMEOUT_CODES = ['ECONNABORTED', 'ETIMEDOUT'];
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
const UNUSABLE_CODE =
	/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_INVALID_URL|EPROTO)/;
/** TLS failures that can follow the request. All others end the handshake before it. */
const LATE_TLS_FAILURE = /bad.record.mac|decrypt/i;
/** Messages of Node and of n8n's proxy client, which have no code */
const UNSENT_MESSAGE =
	/before secure TLS connection was established|before receiving CONNECT response/;

interface FoundError {
	code?: unknown;
	httpCode?: unknown;
	/** `connect` if there was never a connection */
	syscall?: unknown;
	/** n8n gives one to its own errors */
	level?: unknown;
	name?: unknown;
	message?: unknown;
	cause?: unknown;
	/** One for each address of a host to which no connection was possible */
	errors?: unknown[];
}

const isErrorCode = (value: unknown): value is string =>
	typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value);

/** Returns whether n8n or the credential refused to send the request, because neither throws another error later. */
const isBlock = (innermost: FoundError): boolean =>
	innermost instanceof WorkspaceAutomationError ||
	(innermost.level !== undefined && innermost.name !== 'NodeApiError');

/** Classifies a failure by the errors in it: n8n's, those of its HTTP client, and of the system. */
export function toFailedAttempt(error: unknown): FailedAttempt {
	const chain: FoundError[] = [];
	for (let at = error as FoundError | undefined; at && chain.length < 6;)
		at = (chain[chain.push(at) - 1].cause ?? at.errors?.[0]) as typeof at;
	const innermost = chain[chain.length - 1] ?? {};
	const reason = excerpt(toText(innermost.message));
	const code = chain.flatMap(({ code, httpCode }) => [code, httpCode]).find(isErrorCode);
	if (code === undefined && isBlock(innermost)) return { kind: 'blocked', code: reason };
	const isUnsent = chain.some(({ syscall }) => syscall === 'connect');
	if (UNSENT_MESSAGE.test(reason)) return { kind: 'unsent', code: code ?? reason };
	if (code === undefined) return { kind: 'lost', code: 'an unknown network error' };
	if (isUnsent || UNSENT_CODES.includes(code)) return { kind: 'unsent', code };
	const isLate = LATE_TLS_FAILURE.test(`${code} ${reason}`);
	return { kind: UNUSABLE_CODE.test(code) && !isLate ? 'unusable' : 'lost', code };
}

class TooLargeError extends Error {}

async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new TooLargeError();
		chunks.push(chunk);
	}
	// Most bodies come in one piece.
	return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** Returns the charset that `Content-Type` names, or UTF-8, which JSON has without one. */
export const readCharset = (headers: Headers): string =>
	/charset\s*=\s*["']?([^\s"';,]+)/i.exec(String(headers['content-type'] ?? ''))?.[1] ?? 'utf-8';

/** The characters of windows-1252 from 0x80 on. Node.js 20 leaves them as control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const decodeWindows1252 = (text: string): string =>
	text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]);

/** Skips a byte order mark. Returns undefined for an unknown charset, and for bytes that it doesn't have. */
export function decode(bytes: Buffer, charset: string): string | undefined {
	try {
		const decoder = new TextDecoder(charset, { fatal: true });
		const text = decoder.decode(bytes);
		return decoder.encoding === 'windows-1252' ? decodeWindows1252(text) : text;
	} catch {
		return undefined;
	}
}

class CharsetError extends Error {}

function decodeBody(bytes: Buffer, headers: Headers): string {
	const charset = readCharset(headers);
	const text = decode(bytes, charset);
	if (text !== undefined) return text;
	throw new CharsetError(`its bytes aren't in the charset ${excerpt(charset, 30)}`);
}

const toHttpOptions = (
	baseUrl: string,
	request: ApiRequest & { timeoutMs: number },
): IHttpRequestOptions => ({
	method: request.method,
	url: baseUrl + request.path,
	qs: request.query,
	headers: {
		Accept: 'application/json',
		...(request.version && { [VERSION_HEADER]: request.version }),
		...(request.body !== undefined && { 'Content-Type': 'application/json' }),
	},
	// Bytes, because n8n parses a text labeled JSON once more, which would hold a 10 MiB file in memory yet another time.
	...(request.body !== undefined && { body: jsonBytes(request.body) }),
	// A stream, because nothing else limits the bytes that arrive, and the time for them.
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	timeout: request.timeoutMs,
});

interface HttpResponse {
	statusCode: number;
	headers: Headers;
	body?: AsyncIterable<Buffer> | string;
}

const redactHeaders = (headers: Headers, redact: Redactor['redact']): Headers =>
	Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name,
			typeof value === 'string' ? redact(value) : value,
		]),
	);

/** Never throws for a failure of the network or the service. Without a `signal`, the request is finished even after Stop. */
export async function sendHttpRequest(
	context: ApiContext,
	{ baseUrl, redactor }: { baseUrl: string; redactor: Redactor },
	request: ApiRequest & { timeoutMs: number },
	connection: ConnectionOptions,
	signal: AbortSignal | undefined,
): Promise<Attempt> {
	const { timeoutMs, maxBytes = MAX_RESPONSE_BYTES } = request;
	const { redact } = redactor;
	const httpOptions = { ...toHttpOptions(baseUrl, request), ...connection };
	let response: HttpResponse | undefined;
	try {
		// The signal closes the connection. Destroying the body wouldn't, because axios puts its own stream before the socket.
		const text = await withTimeout(signal, timeoutMs, async (abortSignal) => {
			response = (await context.helpers.httpRequestWithAuthentication.call(
				// n8n types the helper for execution contexts only. It needs no more than every context has.
				context as unknown as IAllExecuteFunctions,
				CREDENTIAL,
				{ ...httpOptions, abortSignal },
			)) as HttpResponse;
			const { body = '', headers } = response;
			return typeof body === 'string' ? body : decodeBody(await readBytes(body, maxBytes), headers);
		});
		const { statusCode: status, headers } = response!;
		const parsed = parseBody(text, redactor);
		return { kind: 'response', status, headers: redactHeaders(headers, redact), ...parsed };
	} catch (error) {
		if (error instanceof TooLargeError) return { kind: 'tooLarge', code: formatMib(maxBytes) };
		const { kind, code } = toFailedAttempt(error);
		const reason = TIMEOUT_CODES.includes(code)
			? `${code}: it took longer than ${formatSeconds(timeoutMs)}`
			: redact(code);
		if (!response) return { kind, code: reason };
		const { statusCode: status, headers } = response;
		const isUnreadable = error instanceof CharsetError;
		if (!isUnreadable && (status < 200 || status >= 300)) return { kind: 'lost', code: reason };
		// The status arrived, but the body didn't, or nobody can read it.
		const broken = isUnreadable ? error.message : reason;
		const redacted = redactHeaders(headers, redact);
		return { kind: 'response', status, headers: redacted, body: undefined, broken };
	}
}

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

function jsonBytes(body: unknown): Buffer {
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
