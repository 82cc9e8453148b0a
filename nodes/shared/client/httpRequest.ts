import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { formatMib, formatSeconds, MIB } from '../values';
import { withTimeout } from './clock';
import { CREDENTIAL, VERSION_HEADER } from './credential';
import { jsonBytes, parseJson } from './json';
import type {
	ApiContext,
	ApiRequest,
	Attempt,
	ConnectionOptions,
	FailedAttempt,
	Headers,
} from './types';

// One request on the wire. Its response shows no key.

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

/** Returns n8n's options for a request. */
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
	// Bytes, because n8n parses a text that is labelled JSON once more: a 10 MiB file would be in memory yet another time.
	...(request.body !== undefined && { body: jsonBytes(request.body) }),
	// A stream, because nothing else limits the bytes that arrive, and the time for them.
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	timeout: request.timeoutMs,
});

/** Response of n8n's helper for these options */
interface HttpResponse {
	statusCode: number;
	headers: Headers;
	body?: AsyncIterable<Uint8Array> | string;
}

const redactHeaders = (headers: Headers, redact: (text: string) => string): Headers =>
	Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name,
			typeof value === 'string' ? redact(value) : value,
		]),
	);

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
			const { body = '' } = response;
			return typeof body === 'string' ? body : (await readBytes(body, maxBytes)).toString();
		});
		const { statusCode: status, headers } = response!;
		const parsed = parseBody(text, redact);
		return { kind: 'response', status, headers: redactHeaders(headers, redact), ...parsed };
	} catch (error) {
		if (error instanceof TooLargeError) return { kind: 'tooLarge', code: formatMib(maxBytes) };
		const attempt = toFailedAttempt(error);
		if (TIMEOUT_CODES.includes(attempt.code))
			attempt.code += `: it took longer than ${formatSeconds(timeoutMs)}`;
		const { statusCode: status, headers } = response ?? { statusCode: 0, headers: {} };
		if (status < 200 || status >= 300) return attempt;
		// The status arrived, but the body didn't.
		const broken = attempt.code;
		const redacted = redactHeaders(headers, redact);
		return { kind: 'response', status, headers: redacted, body: undefined, broken };
	}
}
