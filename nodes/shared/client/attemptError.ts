import { WorkspaceAutomationError, type ErrorContext } from '../errors';
import { pluralize, optionalExcerpt, quote } from '../values';
import {
	isHtmlPage,
	isRejection,
	PROXY_REFUSED,
	readErrorEnvelope,
	retryAfterMs,
} from './retryPolicy';
import type { ApiRequest, Attempt, ResponseAttempt } from './apiTypes';

type Wording = readonly [message: string, description: string];

const STATUS_TEXTS: Record<number, Wording> = {
	400: ['The service refused the request as invalid', 'Check the values entered in the node.'],
	401: [
		'The API key was refused',
		"Check in the credential that the API key is complete and still exists in the service's settings, and that the base URL belongs to the same service.",
	],
	403: [
		"The API key doesn't allow this",
		'The person who created the key may lack the right to do this, or the key lacks a scope. Use a key that has both.',
	],
	402: [
		'The service asks for a payment',
		"Check the plan and the credits of your workspace in the service's settings.",
	],
	404: [
		"The resource wasn't found",
		"Check the ID. Also check the key's scopes and its creator's access to the project, because the service returns 404 for both.",
	],
	407: [
		'The proxy refused the connection',
		'The request never reached the service. Check the user name and password of the proxy.',
	],
	408: ['The service timed out', 'Run the node again.'],
	409: [
		'The resource is in a conflicting state',
		'Check the current state of the resource, then run the node again.',
	],
	413: ['The request is too large', 'Shorten the values entered in the node.'],
	429: [
		'The service is receiving too many requests',
		'Run fewer requests at once, or try again later.',
	],
	500: ['The service failed', 'Try again later. The problem is at the service.'],
	503: ['The service is temporarily unavailable', 'Try again later.'],
};

const sayToWait = (waitMs: number): string =>
	`It asked to wait ${pluralize(Math.ceil(waitMs / 1000), 'second')}.`;

/** Thrown if a request can't be sent before its deadline because of the rate limit. */
export class RateLimitError extends WorkspaceAutomationError {
	/** @param waitMs until the request could be sent, or 0 if it waited for others to end */
	constructor(waitMs: number) {
		const [message, advice] = STATUS_TEXTS[429];
		const retryAfter = waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined;
		const wait =
			waitMs > 0
				? ` The node has to wait ${pluralize(Math.ceil(waitMs / 1000), 'second')} before the next request.`
				: '';
		super(message, `${advice}${wait}`, { httpStatus: 429, retryAfter });
	}
}

function findWording(status: number): Wording {
	if (STATUS_TEXTS[status]) return STATUS_TEXTS[status];
	if (status < 400)
		return [
			'The service answered with a redirect',
			"Check the base URL in the credential. The node doesn't follow redirects, so that the API key goes nowhere else.",
		];
	if (status >= 500) return [`The service failed with status ${status}`, 'Try again later.'];
	return [`The service refused the request with status ${status}`, STATUS_TEXTS[400][1]];
}

const CHECK_NETWORK =
	'The connection failed with %. Check the base URL in the credential and the network between n8n and the service.';

/** % is replaced by the attempt's code. */
const KIND_TEXTS = {
	unsent: ["The service couldn't be reached", CHECK_NETWORK],
	blocked: [
		"n8n didn't send the request",
		"The reason: %. Nothing reached the service. If n8n's SSRF protection blocks the service, ask your n8n administrator to allow its host. Otherwise check the credential.",
	],
	lost: ["The service didn't answer", CHECK_NETWORK],
	unusable: [
		'No secure connection to the service',
		'The reason is %. Check the base URL in the credential and the certificate of the service. For a certificate of a private authority, set NODE_EXTRA_CA_CERTS where n8n runs: https://docs.n8n.io/hosting/configuration/configuration-examples/custom-certificate-authority/',
	],
	tooLarge: [
		'The response of the service is too large',
		"It's larger than %. Check that the base URL in the credential is the API's address.",
	],
} as const;

export function describeBody({ text = '', broken }: { text?: string; broken?: string }): string {
	if (broken !== undefined) return `a body that can't be read (${broken})`;
	if (text.trim() === '') return 'an empty body';
	return /^\s*</.test(text) ? 'a web page' : "text that isn't JSON";
}

const CHECK_VERSION =
	"Check 'API Version' in the credential. If one operation needs another version, enter it under 'Overrides'.";

const CHECK_PROXY =
	"Check that the base URL in the credential is the API's address, and that there's no proxy or login page in front of it.";

/** Omits `httpStatus` for a page with a status that denies, so that the status isn't taken for a rejection by the service. */
function notJsonError(attempt: ResponseAttempt): WorkspaceAutomationError {
	const { status } = attempt;
	const isPage = isHtmlPage(attempt);
	return new WorkspaceAutomationError(
		isPage
			? 'A proxy or login page answered instead of the service'
			: "The service didn't answer with JSON",
		`It answered status ${status} with ${describeBody(attempt)}. ${CHECK_PROXY}`,
		isRejection(status) ? {} : { httpStatus: status },
	);
}

type ErrorTexts = Pick<ApiRequest, 'scope' | 'errors' | 'tooLarge'>;

export const isVersionRefused = ({ httpStatus = 0, code, serviceMessage }: ErrorContext): boolean =>
	[400, 406, 422].includes(httpStatus) && /version/i.test(`${code} ${serviceMessage}`);

/** Quotes the service's own error (API document, Errors), or the beginning of anything else, but no page. */
export function attemptError(
	attempt: Attempt,
	request: ErrorTexts,
	wallMs: number,
): WorkspaceAutomationError {
	const error = describeAttempt(attempt, request, wallMs);
	error.kind = findKind(attempt);
	error.attempt = attempt.kind;
	return error;
}

/** Returns undefined for an outage. */
function findKind(attempt: Attempt): WorkspaceAutomationError['kind'] {
	if (attempt.kind === 'tooLarge' || attempt.kind === 'blocked') return 'unusable';
	if (attempt.kind !== 'response' || attempt.status >= 500 || attempt.status === 429)
		return undefined;
	return isRejection(attempt.status) && !isHtmlPage(attempt) ? 'rejected' : 'unusable';
}

function describeAttempt(
	attempt: Attempt,
	{ scope, errors = {}, tooLarge }: ErrorTexts,
	wallMs: number,
): WorkspaceAutomationError {
	if (attempt.kind !== 'response') {
		const [message, general] = KIND_TEXTS[attempt.kind];
		const description =
			attempt.kind === 'tooLarge' && tooLarge ? `It's larger than %. ${tooLarge}` : general;
		return new WorkspaceAutomationError(
			message,
			description.replace('%', () => attempt.code.replace(/[.\s]+$/, '')),
		);
	}
	const { status, headers, body, text = '' } = attempt;
	const isPage = isHtmlPage(attempt) && status !== PROXY_REFUSED;
	const isSuccess = status >= 200 && status < 300;
	if (isSuccess || (isPage && isRejection(status))) return notJsonError(attempt);
	// The words of a proxy aren't the service's.
	const isProxy = status === PROXY_REFUSED;
	const { code, message: said, doc_url } = (isProxy ? undefined : readErrorEnvelope(body)) ?? {};
	const serviceMessage = optionalExcerpt(said, 500);
	const docUrl = optionalExcerpt(doc_url);
	const waitMs = retryAfterMs(headers, wallMs);
	const retryAfter = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
	const answered = isPage || isProxy ? '' : quote(body ?? text.trim());
	const [title, next] = findWording(status);
	const { message = title, description: advice = next } = errors[status] ?? {};
	const facts = [
		waitMs !== undefined && sayToWait(waitMs),
		isPage && `A proxy or login page answered, not the service. ${CHECK_PROXY}`,
		scope && [403, 404].includes(status) && `This operation needs the scope ${scope}.`,
		serviceMessage && `The service says: ${serviceMessage.replace(/[.\s]+$/, '')}.`,
		serviceMessage === undefined && answered && `The service answered: ${answered}.`,
		docUrl && `More: ${docUrl}`,
	]
		.filter(Boolean)
		.join(' ');
	const context = {
		httpStatus: status,
		code: optionalExcerpt(code),
		serviceMessage,
		docUrl,
		retryAfter,
	};
	const way = isVersionRefused(context) ? CHECK_VERSION : advice;
	const error = new WorkspaceAutomationError(message, `${way} ${facts}`.trim(), context);
	error.facts = facts;
	return error;
}
