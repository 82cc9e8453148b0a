import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { Method } from '../api/assumedRequests';

/** The part of n8n's contexts that a request needs. Execution, single-item, polling and load-options contexts all have it. */
export type ApiContext = Pick<IExecuteFunctions, 'getNode' | 'logger'> & {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IAllExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

export interface ApiRequest {
	method: Method;
	/** Below the base URL, such as `/projects` */
	path: string;
	query?: IDataObject;
	body?: unknown;
	/** A version that wins over the credential's */
	version?: string;
	/** Whether it may be sent again when it may have taken effect. By default every method but POST may. */
	idempotent?: boolean;
	/** Whether a success without JSON is a success; true for requests whose response nobody needs */
	mayAnswerNothing?: boolean;
	/** The scope that the key needs, where the API document names one */
	scope?: string;
	/** Bytes that are read of its response, where that is more than usual */
	mostBytes?: number;
	/** Milliseconds after which an attempt counts as lost, from its first byte to its last */
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
			/** The body where it was not JSON */
			text?: string;
			/** Why none of the body could be read */
			broken?: string;
	  } & ApiResponse)
	/** Never reached the service: nothing can have happened there */
	| { kind: 'unsent'; code: string }
	/** No usable response came back: the service may have acted or not */
	| { kind: 'lost'; code: string }
	/** A mistake that sending again cannot mend, such as a certificate that is not trusted */
	| { kind: 'unusable'; code: string }
	/** A response of more bytes than are read; `code` names the limit */
	| { kind: 'tooLarge'; code: string };
