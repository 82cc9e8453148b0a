import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, VERSION_HEADER } from '../credential/credential';
import { jsonBytes } from './jsonBody';
import { parseJson } from './parseJson';
import type { ApiContext, ApiRequest, Attempt, ConnectionOptions, Headers } from './types';

/** The same context without the execution's cancel signal: what is sent through it is finished even after Stop. */
export function withoutCancelSignal(context: ApiContext): ApiContext {
	return {
		helpers: context.helpers,
		getNode: () => context.getNode(),
		getCredentials: async (type: string) => await context.getCredentials(type),
		logger: context.logger,
	};
}

const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
const UNUSABLE =
	/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_INVALID_URL)/;

/** The first system error code in an error and its causes. */
function codeOf(error: unknown): string {
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

/** A failure to get any response, sorted by what it tells about the request's fate. */
export function attemptOfError(error: unknown): Attempt {
	const code = codeOf(error);
	if (UNSENT.includes(code)) return { kind: 'unsent', code };
	return { kind: UNUSABLE.test(code) ? 'unusable' : 'lost', code };
}

export function attemptOfResponse(status: number, headers: Headers, text: string): Attempt {
	const body = parseJson(text);
	return { kind: 'response', status, headers, body, ...(body === undefined && { text }) };
}

/** More than the 100,000 rows that the service returns at most (API document, Limits) come to. */
export const MOST_RESPONSE_BYTES = 256 * 1024 * 1024;

/** A response body as n8n hands it on with `encoding: 'stream'` */
export type BodyStream = AsyncIterable<Uint8Array> & { destroy(error?: Error): unknown };

export const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

class TooLargeError extends Error {}
const TIMED_OUT = Object.assign(new Error('The response took too long'), { code: 'ETIMEDOUT' });

/**
 * Everything a body holds, as bytes. What the body is unpacked to counts, not what travelled. Ends after `timeoutMs`, even where
 * a byte comes now and then, and closes the connection then.
 */
export async function readBytes(
	body: BodyStream,
	{ mostBytes, timeoutMs }: { mostBytes: number; timeoutMs: number },
): Promise<Buffer> {
	const finished = new AbortController();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	const read = async () => {
		for await (const chunk of body) {
			bytes += chunk.length;
			if (bytes > mostBytes) throw new TooLargeError();
			chunks.push(chunk);
		}
	};
	const timeout = sleep(timeoutMs, finished.signal).then(
		() => true,
		() => false,
	);
	const reading = read();
	// After a timeout the reading fails as well, and nobody waits for it.
	reading.catch(() => {});
	const timedOut = timeout.then(async (isOver) => {
		if (isOver) throw TIMED_OUT;
		await reading;
	});
	await Promise.race([reading, timedOut])
		.catch((error: unknown) => {
			body.destroy();
			throw error;
		})
		.finally(() => finished.abort());
	return Buffer.concat(chunks);
}

/** Replaces a secret that a service echoes, in the forms it may have, so that it reaches no error, log or output. */
function withoutSecret(text: string, secret: string): string {
	const forms = new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
	let clean = text;
	for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, '[API key]');
	return clean;
}

export interface Connection {
	/** Ends in `/v1`, without a slash after it */
	baseUrl: string;
	/** Only to recognise it in responses; what sends it is the credential's `authenticate` */
	apiKey: string;
	/** What a user set under Request Options */
	options?: ConnectionOptions;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Sends a request once and says how it ended. Never throws for anything the network or the service did. */
export async function sendHttpRequest(
	context: ApiContext,
	{ baseUrl, apiKey, options }: Connection,
	request: ApiRequest,
): Promise<Attempt> {
	const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
	const startedAt = Date.now();
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
		...options,
	};
	let status: number | undefined;
	let headers: Headers = {};
	try {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			// n8n types the helper for execution contexts only; it needs no more than what every context has.
			context as unknown as IAllExecuteFunctions,
			CREDENTIAL,
			httpRequest,
		)) as { statusCode: number; headers: Headers; body: unknown };
		({ statusCode: status, headers } = response);
		const { body } = response;
		const left = Math.max(1, timeoutMs - (Date.now() - startedAt));
		const text = isStream(body)
			? (await readBytes(body, { mostBytes: MOST_RESPONSE_BYTES, timeoutMs: left })).toString()
			: typeof body === 'string'
				? body
				: JSON.stringify(body ?? '');
		return attemptOfResponse(status, headers, withoutSecret(text, apiKey));
	} catch (error) {
		if (error instanceof TooLargeError)
			return { kind: 'tooLarge', code: `${MOST_RESPONSE_BYTES / 1024 / 1024} MiB` };
		// The status arrived and the body did not: whatever it was, the service has acted.
		if (status !== undefined && status >= 200 && status < 300)
			return { kind: 'response', status, headers, body: undefined, text: '' };
		return attemptOfError(error);
	}
}
