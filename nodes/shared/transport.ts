import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { CREDENTIAL } from './connection';
import { parseAnswer } from './parseAnswer';
import type { Method, Outcome } from './resend';

/** What a request needs of n8n. Execution, single-item and load-options contexts all have it. */
export type ApiContext = Pick<IExecuteFunctions, 'getNode' | 'logger'> & {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

export interface ApiRequest {
	method: Method;
	/** Below the base URL, such as `/projects` */
	path: string;
	qs?: IDataObject;
	body?: unknown;
	/** A version that the operation needs and that wins over the credential's */
	version?: string;
	/** Milliseconds after which an attempt counts as lost */
	timeoutMs?: number;
	/** What a user set for the connection under Request Options */
	via?: Partial<IHttpRequestOptions>;
}

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
	for (
		let at = error as { code?: unknown; httpCode?: unknown; cause?: unknown } | undefined,
			depth = 0;
		at && depth < 6;
		depth++
	) {
		const code = [at.code, at.httpCode].find(
			(value) => typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value),
		);
		if (code) return code as string;
		at = at.cause as typeof at;
	}
	return 'an unknown network error';
}

/** A failure to get any answer, sorted by what it tells about the request's fate. */
export function outcomeOfError(error: unknown): Outcome {
	const code = codeOf(error);
	if (UNSENT.includes(code)) return { kind: 'unsent', code };
	return { kind: UNUSABLE.test(code) ? 'unusable' : 'lost', code };
}

/** An HTTP answer, sorted: successes must carry JSON, errors may carry anything. */
export function outcomeOfAnswer(
	status: number,
	headers: Record<string, unknown>,
	text: string,
): Outcome {
	const body = parseAnswer(text);
	if (body !== undefined || status < 200 || status >= 300)
		return { kind: 'answer', status, headers, body };
	const found =
		text.trim() === ''
			? 'an empty body'
			: /^\s*</.test(text)
				? 'a web page'
				: 'text that is not JSON';
	return { kind: 'malformed', status, found };
}

/** Sends a request once and says how it ended. Never throws for anything the network or the service did. */
export async function exchange(
	context: ApiContext,
	baseUrl: string,
	request: ApiRequest,
	versionHeader: string,
): Promise<Outcome> {
	const options: IHttpRequestOptions = {
		method: request.method,
		url: baseUrl + request.path,
		qs: request.qs,
		headers: {
			Accept: 'application/json',
			...(request.version && { [versionHeader]: request.version }),
			...(request.body !== undefined && { 'Content-Type': 'application/json' }),
		},
		// Bytes, because a text that is labelled JSON is parsed once more on its way: a 10 MiB file would be in memory yet another time.
		...(request.body !== undefined && { body: Buffer.from(JSON.stringify(request.body)) }),
		// Text, so that an answer which is no JSON is noticed and no number loses digits on the way.
		encoding: 'text',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: request.timeoutMs,
		...request.via,
	};
	try {
		const answer = (await context.helpers.httpRequestWithAuthentication.call(
			context as unknown as IAllExecuteFunctions,
			CREDENTIAL,
			options,
		)) as { statusCode: number; headers: Record<string, unknown>; body: unknown };
		const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
		return outcomeOfAnswer(answer.statusCode, answer.headers, text);
	} catch (error) {
		return outcomeOfError(error);
	}
}
