// The way to the API over a wire of the test's own: what is sent is on record, and what returns is written down.
import type { IHttpRequestOptions } from 'n8n-workflow';
import { createClient } from '../../nodes/shared/client/createClient.ts';
import { RateLimiters } from '../../nodes/shared/client/rateLimiter.ts';
import type { ApiContext } from '../../nodes/shared/client/apiTypes.ts';
import { createVirtualClock } from './virtualClock.mts';

export interface Answer {
	status?: number;
	headers?: Record<string, string>;
	/** JSON, the text itself, or a stream */
	body?: unknown;
	/** The connection ends so instead */
	code?: string;
}

export interface SentRequest {
	method: string;
	/** Below the base URL */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, unknown>;
	body: any;
	/** Milliseconds since the start */
	at: number;
	/** Milliseconds after which the connection is closed */
	timeoutMs?: number;
}

/** @param answer what returns for each request; a list is gone through, and its last continues for ever */
export async function apiWith(
	answer: Answer | Answer[] | ((request: SentRequest) => Answer) = {},
	overrides: object = {},
	base = 'https://api.example.com/v1',
	signal?: AbortSignal,
) {
	const clock = createVirtualClock();
	const sent: SentRequest[] = [];
	const helper = async (_type: string, options: IHttpRequestOptions) => {
		const request: SentRequest = {
			method: options.method!,
			path: options.url.slice(base.length),
			query: options.qs ?? {},
			headers: options.headers ?? {},
			body: options.body === undefined ? undefined : JSON.parse(String(options.body)),
			at: clock.now(),
			timeoutMs: options.timeout,
		};
		sent.push(request);
		const next =
			typeof answer === 'function'
				? answer(request)
				: [answer].flat()[Math.min(sent.length, [answer].flat().length) - 1];
		const { status = 200, headers = {}, body = '', code } = next;
		if (code !== undefined) throw Object.assign(new Error(code), { code });
		const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
		const text = typeof body === 'string' || isStream ? body : JSON.stringify(body);
		return { statusCode: status, headers, body: text };
	};
	const context = {
		getNode: () => ({ name: 'Any' }),
		getCredentials: async () => ({
			baseUrl: base,
			accessToken: 'wa_live_key',
			apiVersion: '2026-10-05',
			overrides: JSON.stringify(overrides),
		}),
		helpers: { httpRequestWithAuthentication: helper },
		getExecutionCancelSignal: () => signal,
		logger: { info() {}, warn() {}, debug() {} },
	} as unknown as ApiContext;
	const api = await createClient(context, { clock, rateLimiters: new RateLimiters(clock) });
	return { api, sent, clock, context };
}
