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

/** Of a request that must not be done twice: what to say where nobody can tell whether it was done */
export interface NonIdempotent {
	message: string;
	description: string;
}

/**
 * What a request does to the service, and so when it may be sent again:
 * - `read`: nothing that matters; without an answer it was for nothing.
 * - `repeat`: done twice it is as done once.
 * - `Once`: done twice it does harm.
 */
export type Effect = 'read' | 'repeat' | NonIdempotent;

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
	/** What to check after a 409 */
	conflict?: string;
	/** Bytes that are read of its response, where that is other than usual */
	maxBytes?: number;
	/** Milliseconds for an attempt, from its first byte to its last, where that is other than usual */
	timeoutMs?: number;
}

/** What a user sets for all connections of a node under Request Options */
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

/** How one attempt to send a request ended. */
export type Attempt =
	| ({
			kind: 'response';
			/** The beginning of the body where it was not JSON */
			text?: string;
			/** Why none of the body could be read */
			broken?: string;
	  } & ApiResponse)
	/**
	 * None that can be used:
	 * - `unsent`: it never reached the service, so nothing can have happened there.
	 * - `lost`: no response came back, and the service may have acted or not.
	 * - `unusable`: a mistake that sending again cannot mend, such as a certificate that is not trusted.
	 * - `tooLarge`: a response of more bytes than are read; `code` names the limit.
	 */
	| { kind: 'unsent' | 'lost' | 'unusable' | 'tooLarge'; code: string };
