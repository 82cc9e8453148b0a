import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { isInternal, isLoopback } from '../../../shared/transport/credential';
import type { Api } from '../../../shared/api/types';
import {
	CanceledError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../../../shared/base/errors';
import { inMib, inSeconds, MIB } from '../../../shared/base/values';
import { TIMED_OUT, withinTime } from '../../../shared/transport/clock';
import { attemptError } from '../../../shared/transport/attemptError';
import { nextAction, NO_ATTEMPTS } from '../../../shared/transport/evidence';
import { attemptOfError } from '../../../shared/transport/httpRequest';
import type { Attempt, Headers } from '../../../shared/transport/types';

/** A stream as n8n's helpers take one */
export type Stream = Exclude<
	Parameters<IExecuteSingleFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/**
 * Why the address of a download is not followed; undefined where it is. One within n8n's own network that a service outside of it
 * names would reach what is not meant for it.
 */
function refusalOf(url: string, baseUrl: string): string | undefined {
	if (!URL.canParse(url)) return 'It is not a URL.';
	const { protocol, hostname, username, password } = new URL(url);
	const { hostname: service } = new URL(baseUrl);
	if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(service)))
		return 'It does not use https.';
	if (username || password) return 'It has a user name or password in it.';
	if (isInternal(hostname) && !isInternal(service))
		return 'It leads into the network that n8n is in.';
	return undefined;
}

/** Ten times what a file may have when it is created */
const MOST_BYTES = 100 * MIB;
/** All of a download: what takes longer would outlast its URL soon */
const MOST_MS = 300_000;
const MOST_ATTEMPTS = 4;

const tooMuch = (what: string, limit: string) =>
	new WorkspaceAutomationError(`The file ${what} to download`, `${limit}.`);
const tooLarge = () => tooMuch('is too large', `It has more than ${inMib(MOST_BYTES)}`);

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
			if (bytes > MOST_BYTES) body.destroy(tooLarge());
		}
		return emit(event, ...args);
	};
}

/**
 * Streams what a download URL holds into `consume`, again after a failure. The URL is signed and needs no key: this request
 * is sent without the credential, to the host that the service named, and redirects are not followed.
 */
export async function download<T>(
	context: IExecuteSingleFunctions,
	{ clock, baseUrl, signal }: Api,
	url: string,
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<T> {
	const refusal = refusalOf(url, baseUrl);
	if (refusal !== undefined)
		throw new WorkspaceAutomationError(
			'The service returned a download URL that is not followed',
			`${refusal} Nothing was downloaded.`,
		);
	const deadline = clock.now() + MOST_MS;
	const fetchOnce = async (abortSignal: AbortSignal): Promise<{ value: T } | Attempt> => {
		// n8n types the helper's result by what it is asked for at run time.
		const response = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: deadline - clock.now(),
			abortSignal,
		})) as { statusCode: number; headers: Headers; body: Stream };
		const { statusCode: status, headers, body } = response;
		if (status < 200 || status >= 300) {
			body.destroy();
			return { kind: 'response', status, headers, body: undefined };
		}
		if (Number(headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge();
		limitBytes(body);
		return { value: await consume(body, headers) };
	};
	for (let state = NO_ATTEMPTS; ;) {
		throwIfAborted(signal);
		const working = withinTime(signal, deadline - clock.now(), fetchOnce);
		const result = await working.catch((error: unknown) => {
			if (error === TIMED_OUT)
				throw tooMuch('takes too long', `It took longer than ${inSeconds(MOST_MS)}`);
			if (error instanceof WorkspaceAutomationError || error instanceof CanceledError) throw error;
			return attemptOfError(error);
		});
		if ('value' in result) return result.value;
		throwIfAborted(signal);
		const now = clock.now();
		const isRedirect = result.kind === 'response' && result.status < 400;
		const limits = { deadline, maxAttempts: MOST_ATTEMPTS, once: isRedirect };
		const request = { effect: 'read', method: 'GET' } as const;
		const next = nextAction(state, result, request, limits, now, Math.random());
		if (next.type !== 'sendAgain') {
			const { message, description, context: about } = attemptError(result, {}, now);
			throw new WorkspaceAutomationError(
				`The file could not be downloaded: ${message[0].toLowerCase()}${message.slice(1)}`,
				`Download URLs are valid for 15 minutes; run the node again for a new one. ${description}`,
				about,
			);
		}
		state = next.state;
		await clock.sleep(next.delayMs ?? 0, signal);
	}
}
