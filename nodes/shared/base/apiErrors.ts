import { excerptOf, isRecord, textOf, withoutTrailingDots } from './values';
import { WorkspaceAutomationError, type ErrorContext } from './errors';

// The wording of what people read when the service did not do what it was asked.

type Wording = readonly [message: string, description: string];

/** A response that is not a success, as far as its wording needs it */
export interface ErrorResponse {
	status: number;
	body: unknown;
	/** What the response was as text, where it was not JSON */
	text?: string;
	/** Seconds from the `Retry-After` header */
	retryAfter?: number;
	/** The scope that the key needs for the operation, where the API document names one */
	scope?: string;
}

const BY_STATUS: Record<number, Wording> = {
	400: ['The service refused the request as invalid', 'Check the values entered in the node.'],
	401: [
		'The API key was refused',
		"Check in the credential that the API key is complete and still exists in the service's settings, and that the base URL belongs to the same service.",
	],
	403: [
		'The API key does not permit this',
		'The person who created the key may lack the right to do this, or the key lacks a scope. Use a key that has both.',
	],
	404: [
		'The resource was not found',
		'Check the ID. The service gives the same answer when the key lacks a scope or its creator has lost access to the project: check those too.',
	],
	409: [
		'The resource is in a conflicting state',
		'Nothing was overwritten. Check what exists already, such as a file of the same name.',
	],
	413: ['The content is too large', 'The service takes at most 10 MiB a file.'],
	429: [
		'The service is receiving too many requests',
		'Run fewer requests at once, or try again later.',
	],
	500: ['The service failed', 'The fault is on the side of the service. Try again later.'],
	503: ['The service is temporarily unavailable', 'Try again later.'],
};

function wordingOf(status: number): Wording {
	if (BY_STATUS[status]) return BY_STATUS[status];
	if (status < 400)
		return [
			'The service answered with a redirect',
			'Redirects are not followed, so that the API key stays where it belongs. Check the base URL in the credential.',
		];
	if (status >= 500) return [`The service failed with status ${status}`, 'Try again later.'];
	return [`The service refused the request with status ${status}`, BY_STATUS[400][1]];
}

/** The first text among a value and what errors are usually wrapped in. */
function wordsIn(value: unknown, depth = 0): string | undefined {
	if (textOf(value)) return textOf(value);
	if (depth > 2) return undefined;
	if (Array.isArray(value))
		return value
			.slice(0, 3)
			.map((each) => wordsIn(each, depth + 1))
			.find(Boolean);
	if (!isRecord(value)) return undefined;
	const places = [value.message, value.detail, value.error, value.errors, value.title];
	return places.map((each) => wordsIn(each, depth + 1)).find(Boolean);
}

/**
 * What the service says of an error: its envelope (API document, Errors), or what other services write instead: `{error: "text"}`,
 * `{message}`, `{errors: [...]}`, plain text. A web page says nothing that would help.
 */
function contextOf({ status, body, text, retryAfter }: ErrorResponse): ErrorContext {
	const envelope = isRecord(body) && isRecord(body.error) ? body.error : isRecord(body) ? body : {};
	const plain = text !== undefined && !/^\s{0,100}</.test(text) ? text.trim() : undefined;
	const words = wordsIn(body) ?? textOf(plain);
	return {
		httpStatus: status,
		code: excerptOf(envelope.code),
		serviceMessage: excerptOf(words, 500),
		docUrl: excerptOf(envelope.doc_url),
		retryAfter,
	};
}

/** The error for a response that is not a success. */
export function responseError(response: ErrorResponse): WorkspaceAutomationError {
	const context = contextOf(response);
	const { status, scope, retryAfter } = response;
	const [message, way] = wordingOf(status);
	const needed = [403, 404].includes(status) && scope;
	const sentences = [
		way,
		retryAfter !== undefined &&
			`It asked to wait ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`,
		needed && `This operation needs the scope ${needed}.`,
		context.serviceMessage && `The service says: ${withoutTrailingDots(context.serviceMessage)}.`,
		context.docUrl && `More: ${context.docUrl}`,
	];
	return new WorkspaceAutomationError(message, sentences.filter(Boolean).join(' '), context);
}

/** The error for a success status without the JSON that belongs to it. `found` says what came instead. */
export const malformedError = (status: number, found: string): WorkspaceAutomationError =>
	new WorkspaceAutomationError(
		'The service did not answer with JSON',
		`It answered status ${status} with ${found}. Check that the base URL in the credential is that of the API, and that there is no proxy or login page in front of it.`,
		{ httpStatus: status },
	);

const CHECK_NETWORK =
	'The connection failed with %. Check the base URL in the credential and the network between n8n and the service.';

/** What is known of an attempt without a response; % stands for its code. */
const NETWORK = {
	unsent: ['The service could not be reached', CHECK_NETWORK],
	lost: ['The service did not answer', CHECK_NETWORK],
	unusable: [
		'No secure connection to the service could be made',
		'The reason is %. Check the base URL in the credential and the certificate of the service.',
	],
	tooLarge: [
		'The response of the service is too large',
		'It is larger than %, the most that is read. Ask for less, such as with Limit or a narrower query.',
	],
} as const;

/** The error for an attempt without a response. `code` is a system error code such as ECONNRESET. */
export function networkError(kind: keyof typeof NETWORK, code: string): WorkspaceAutomationError {
	const [message, description] = NETWORK[kind];
	return new WorkspaceAutomationError(
		message,
		description.replace('%', () => code),
	);
}
