import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../base/errors';
import { inMib, inSeconds, MIB } from '../base/values';
import { withinTime } from './clock';
import { CREDENTIAL, VERSION_HEADER } from './credential';
import { bodyWithoutSecret, jsonBytes, withoutSecret } from './json';
import type { ApiContext, ApiRequest, Attempt, ConnectionOptions, Headers } from './types';

/** A response as it is after unpacking */
const MOST_BYTES = 16 * MIB;

/** What axios and we call a response that is not complete in time */
const TIMEOUTS = ['ECONNABORTED', 'ETIMEDOUT'];
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
export function attemptOfError(error: unknown): Extract<Attempt, { code: string }> {
	const code = codeOf(error);
	if (UNSENT.includes(code)) return { kind: 'unsent', code };
	return { kind: UNUSABLE.test(code) ? 'unusable' : 'lost', code };
}

class TooLargeError extends Error {}

/** Everything a body holds, as bytes. What the body is unpacked to counts, not what travelled. */
async function readBytes(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > mostBytes) throw new TooLargeError();
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

export interface Connection {
	/** Ends in `/v1`, without a slash after it */
	baseUrl: string;
	/** Only to recognise it in responses; what sends it is the credential's `authenticate` */
	apiKey: string;
	/** What a user set under Request Options */
	options?: ConnectionOptions;
}

/** Refuses what would hand the key to whoever runs the proxy. @throws WorkspaceAutomationError */
export function checkConnection({ baseUrl, options = {} }: Connection): void {
	if (!options.proxy) return;
	const isReadable = options.skipSslCertificateValidation || baseUrl.startsWith('http:');
	if (!isReadable) return;
	throw new WorkspaceAutomationError(
		"'Proxy' under Request Options could read the API key",
		"Remove the proxy, or use it with an https base URL and without 'Ignore SSL Issues'.",
	);
}

/**
 * Sends a request once and says how it ended. Never throws for anything the network or the service did.
 * @param signal ends the request with the execution; without one it is finished even after Stop
 */
export async function sendHttpRequest(
	context: ApiContext,
	{ baseUrl, apiKey, options }: Connection,
	request: ApiRequest & { timeoutMs: number },
	signal: AbortSignal | undefined,
): Promise<Attempt> {
	const { timeoutMs, mostBytes = MOST_BYTES } = request;
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
		// The signal closes the connection. Destroying the body would not, because axios puts a stream of its own before the socket.
		const text = await withinTime(signal, timeoutMs, async (abortSignal) => {
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
					typeof value === 'string' ? withoutSecret(value, apiKey) : value,
				]),
			);
			const body = response.body ?? '';
			return typeof body === 'string' ? body : (await readBytes(body, mostBytes)).toString();
		});
		return { kind: 'response', status: status!, headers, ...bodyWithoutSecret(text, apiKey) };
	} catch (error) {
		if (error instanceof TooLargeError) return { kind: 'tooLarge', code: inMib(mostBytes) };
		const attempt = attemptOfError(error);
		if (TIMEOUTS.includes(attempt.code))
			attempt.code += `: it took longer than ${inSeconds(timeoutMs)}`;
		// The status arrived and the body did not.
		if (status !== undefined && status >= 200 && status < 300)
			return { kind: 'response', status, headers, body: undefined, broken: attempt.code };
		return attempt;
	}
}
