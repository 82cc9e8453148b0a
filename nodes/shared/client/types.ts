import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

/** The part of n8n's contexts that a request needs. Execution, single-item, polling and load-options contexts all have it. */
export type ApiContext = Pick<IExecuteFunctions, 'getNode' | 'logger'> & {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IAllExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

/** The error for a request that may not be repeated, if nobody can tell whether it took effect */
export interface NonIdempotent {
	message: string;
	description: string;
}

/**
 * The effect of a request on the service, which tells when it may be retried:
 * - `read`: none that matters. Without a response body it was useless.
 * - `idempotent`: done twice is as good as done once.
 * - `NonIdempotent`: done twice does harm.
 */
export type Effect = 'read' | 'idempotent' | NonIdempotent;

export interface ApiRequest {
	method: IHttpRequestMethods;
	effect: Effect;
	/** Below the base URL, such as `/projects` */
	path: string;
	query?: IDataObject;
	body?: unknown;
	/** The only version that the endpoint allows (API document, Versioning); by default the credential's is sent */
	version?: string;
	/** The scope that the API document names for it */
	scope?: string;
	/** Advice after a 409 */
	conflict?: string;
	/** The largest response to read; 16 MiB by default */
	maxBytes?: number;
	/** Milliseconds for an attempt, from its first byte to its last; 60 s by default */
	timeoutMs?: number;
}

/** The user's settings under Request Options, for all connections of a node */
export type ConnectionOptions = Pick<
	IHttpRequestOptions,
	'proxy' | 'skipSslCertificateValidation' | 'allowedDomains'
>;

export type Headers = Record<string, unknown>;

export interface ApiResponse {
	status: number;
	headers: Headers;
	/** The parsed JSON; undefined where there was none */
	body: unknown;
}

/**
 * Result of a lost response: the response that it would have got, `notApplied` if it provably had no
 * effect, or `unknown`.
 */
export type ReconcileResult = ApiResponse | 'notApplied' | 'unknown';

export interface ResponseAttempt extends ApiResponse {
	kind: 'response';
	/** The beginning of the body if it isn't JSON */
	text?: string;
	/** Why the body didn't arrive */
	broken?: string;
}

/** An attempt without a usable response */
export interface FailedAttempt {
	/**
	 * - `unsent`: the request never reached the service, so it had no effect.
	 * - `lost`: no response returned. The service may have acted.
	 * - `unusable`: there's no secure connection, for example because the certificate isn't trusted.
	 * - `tooLarge`: the response has more bytes than the limit that `code` names.
	 */
	kind: 'unsent' | 'lost' | 'unusable' | 'tooLarge';
	code: string;
}

/** The result of sending a request once */
export type Attempt = ResponseAttempt | FailedAttempt;
