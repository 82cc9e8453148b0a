import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { isLoopback } from '../../../shared/credential/credential';
import { CanceledError, WorkspaceAutomationError } from '../../../shared/errors/errors';
import { inMib, LIMITS } from '../../../shared/limits';
import { attemptError, type ApiClient } from '../../../shared/transport/apiClient';
import { attemptOfError } from '../../../shared/transport/httpRequest';
import { isRefusal, retryDelayMs } from '../../../shared/transport/retryPolicy';
import type { Attempt, Headers } from '../../../shared/transport/types';

/** A stream as n8n's helpers take one */
export type Stream = Exclude<
	Parameters<IExecuteSingleFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/**
 * The address of a download. Only the service is trusted to be on this machine: an address in here that a remote service names
 * would reach what is not meant for it.
 */
function checkUrl(url: string, baseUrl: string): string {
	const refuse = (why: string) =>
		new WorkspaceAutomationError(
			'The service returned a download URL that is not followed',
			`${why} Nothing was downloaded.`,
		);
	let target: URL;
	try {
		target = new URL(url);
	} catch {
		throw refuse('It is not a URL.');
	}
	const isLocal = isLoopback(new URL(baseUrl).hostname);
	if (target.protocol !== 'https:' && !(isLocal && target.protocol === 'http:'))
		throw refuse('It does not use https.');
	if (target.username || target.password) throw refuse('It has a user name or password in it.');
	if (isLoopback(target.hostname) && !isLocal)
		throw refuse('It leads to the machine that n8n runs on.');
	return url;
}

const tooLarge = () =>
	new WorkspaceAutomationError(
		'The file is too large to download',
		`It has more than ${inMib(LIMITS.downloadBytes)}.`,
	);

/**
 * Ends a stream with an error as soon as it has too many bytes. Every way to read a stream passes `emit`, and counting there
 * neither starts the stream nor holds any of it.
 */
function limitBytes(body: Stream): void {
	const emit = body.emit.bind(body);
	let bytes = 0;
	body.emit = (event: string | symbol, ...args: unknown[]) => {
		if (event === 'data') {
			bytes += (args[0] as Uint8Array).length;
			if (bytes > LIMITS.downloadBytes) body.destroy(tooLarge());
		}
		return emit(event, ...args);
	};
}

/** What `consume` makes of a stream, within the time that a download may take and no longer than the execution goes on. */
async function consumeWithin<T>(
	context: IExecuteSingleFunctions,
	body: Stream,
	consume: (body: Stream) => Promise<T>,
): Promise<T> {
	const finished = new AbortController();
	const signal = context.getExecutionCancelSignal?.();
	const cancel = () => body.destroy(new CanceledError());
	signal?.addEventListener('abort', cancel);
	const timeout = sleep(LIMITS.downloadMs, finished.signal).then(
		() => body.destroy(Object.assign(new Error('Timed out'), { code: 'ETIMEDOUT' })),
		() => {},
	);
	try {
		limitBytes(body);
		const consuming = consume(body);
		// A consumer that does not notice the end of its stream is not waited for.
		return await Promise.race([consuming, timeout.then(async () => await consuming)]);
	} finally {
		finished.abort();
		signal?.removeEventListener('abort', cancel);
	}
}

interface Streamed {
	statusCode: number;
	headers: Headers;
	body: Stream;
}

async function fetchOnce<T>(
	context: IExecuteSingleFunctions,
	url: string,
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<{ value: T } | Attempt> {
	const work = async (): Promise<{ value: T } | Attempt> => {
		// n8n types the helper's result by what it is asked for at run time.
		const response = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: LIMITS.downloadMs,
		})) as Streamed;
		const { statusCode: status, headers, body } = response;
		if (status < 200 || status >= 300) {
			body.destroy();
			return { kind: 'response', status, headers, body: undefined };
		}
		if (Number(headers['content-length'] ?? 0) > LIMITS.downloadBytes) {
			body.destroy();
			throw tooLarge();
		}
		const consumeAll = async (stream: Stream) => await consume(stream, headers);
		return { value: await consumeWithin(context, body, consumeAll) };
	};
	return await work().catch((error: unknown) => {
		if (error instanceof WorkspaceAutomationError || error instanceof CanceledError) throw error;
		return attemptOfError(error);
	});
}

const failed = ({ message, description, context }: WorkspaceAutomationError) =>
	new WorkspaceAutomationError(
		`The file could not be downloaded: ${message[0].toLowerCase()}${message.slice(1)}`,
		`Download URLs are valid for 15 minutes; run the node again for a new one. ${description}`,
		context,
	);

/**
 * Streams what a download URL holds into `consume`, again after a failure. The URL is signed and needs no key: this request
 * is sent without the credential, to the host that the service named, and redirects are not followed.
 */
export async function download<T>(
	context: IExecuteSingleFunctions,
	{ clock, baseUrl }: ApiClient,
	url: string,
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<T> {
	checkUrl(url, baseUrl);
	for (let attempt = 1; ; attempt++) {
		clock.throwIfAborted();
		const result = await fetchOnce(context, url, consume);
		if ('value' in result) return result.value;
		clock.throwIfAborted();
		const final =
			result.kind === 'unusable' || (result.kind === 'response' && isRefusal(result.status));
		if (final || attempt === LIMITS.downloadAttempts)
			throw failed(attemptError(result, {}, clock.now()));
		const delayMs = retryDelayMs(result, attempt, clock.now(), Math.random());
		if (delayMs > LIMITS.downloadMs) throw failed(attemptError(result, {}, clock.now()));
		await clock.sleep(delayMs);
	}
}
