import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

export const CREDENTIAL = 'workspaceAutomationApi';

/** The version of the API document. Two endpoints allow only an older one (API document, Versioning). */
export const CURRENT_VERSION = '2026-10-05';
export const VERSION_HEADER = 'Service-Api-Version';

/** The part that execution, single-item, polling and load-options contexts of n8n have in common */
export type ApiContext = Pick<IExecuteFunctions, 'getNode' | 'logger'> & {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IAllExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

interface ErrorText {
	message: string;
	/** What to do now */
	description: string;
}

/** A request that changes something, and the error if the node couldn't confirm that it did */
export interface Write extends ErrorText {
	/** True if a repeated request does no harm (API document, Idempotency summary) */
	isIdempotent?: true;
	/** True if a 503 with the service's own error proves that it didn't: nobody waits for an answer to a start that isn't taken */
	isRefusedBy503?: true;
}

export type Effect = 'read' | Write;

export interface ApiRequest {
	method: IHttpRequestMethods;
	effect: Effect;
	/** True if the API document shows a body for the response to a change. A read always has one. */
	needsBody?: true;
	/** Below the base URL, such as `/projects` */
	path: string;
	query?: IDataObject;
	body?: unknown;
	/** The only version that the endpoint allows (API document, Versioning), instead of the credential's */
	version?: string;
	scope?: string;
	/** Errors of this operation by status, where the general one would mislead */
	errors?: Readonly<Record<number, ErrorText>>;
	/** 16 MiB by default */
	maxBytes?: number;
	/** What to do if the response is larger than that */
	tooLarge?: string;
	/** Per attempt, from its first byte to its last. 60 s by default */
	timeoutMs?: number;
}

/** The user's settings under Request Options, for all connections of a node */
export type ConnectionOptions = Pick<
	IHttpRequestOptions,
	'proxy' | 'skipSslCertificateValidation' | 'allowedDomains'
>;

/** The single resource that a response has to be about */
export interface AskedResource {
	/** The value with the ID that was asked for */
	id?: string;
	/** Fields that always have these values. Absent if the API document shows no field. */
	shows?: Readonly<Record<string, string | true>>;
	/** A field that has to be a text */
	text?: string;
}

/** A JSON value in which texts may hold `{placeholders}` */
export type Template = unknown;

/** An operation as the API document shows it or, where it is silent, as we assume it (`x-assumed` in the contract) */
export interface OperationRow extends Omit<ApiRequest, 'query' | 'body'> {
	path: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	/** The part that the API document doesn't show: the path, or a name in the query or body */
	assumed?: 'path' | 'shape';
	/** Values that only an override uses */
	values?: readonly string[];
	/** Words that we send or look for, by our own name. An override may give the service's */
	words?: readonly string[];
	/** Values of which the request has to carry one */
	carries?: readonly string[];
	/** Absent if the API offers no way to check the effect, or the caller brings its own */
	reconciler?: 'message' | 'interaction' | 'applied';
	/** The session may not be readable yet (API document, Polling procedure, 5) */
	newSession?: true;
	resource?: AskedResource;
	/** Of a failed request. The transport has a default. */
	maxAttempts?: number;
	/** True if an agent waits for the request, or someone ends the session with it. The rate limiter sends it first. */
	urgent?: true;
	/** Values that the nodes read from the response: one or two dotted paths by name */
	response?: Record<string, readonly string[]>;
}

export type Headers = Record<string, unknown>;

export interface ApiResponse {
	status: number;
	headers: Headers;
	/** Parsed JSON, or undefined if there's none */
	body: unknown;
}

/** Result of a lost response: the response itself, `notApplied` if the request provably had no effect, or `unknown` */
export type ReconcileResult = ApiResponse | 'notApplied' | 'unknown';

export interface ResponseAttempt extends ApiResponse {
	kind: 'response';
	/** The beginning of the body if it isn't JSON */
	text?: string;
	/** Why the body didn't arrive or can't be read */
	broken?: string;
}

export interface FailedAttempt {
	/** `unsent`: never reached the service. `blocked`: n8n refused to send it. `lost`: it may have acted. `unusable`: no secure connection. `tooLarge`: over the limit in `code`. */
	kind: 'unsent' | 'blocked' | 'lost' | 'unusable' | 'tooLarge';
	/** Of the system error, or the reason in words */
	code: string;
}

export type Attempt = ResponseAttempt | FailedAttempt;
