import { Problem, type Facts } from './problem';
import type { Outcome } from './resend';
import { retryAfterMs } from './retryAfter';

// What people read when the service did not do what it was asked.

type Sentence = (facts: Facts) => [message: string, wayOut: string];

const seconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);

const BY_STATUS: Record<number, Sentence> = {
	400: () => [
		'The service refused the request as invalid',
		'Check the values entered in the node.',
	],
	401: () => [
		'The access token was refused',
		"Check in the credential that the access token is complete and still exists in the service's settings, and that the base URL belongs to the same service.",
	],
	403: () => [
		'The access token does not permit this',
		'The person who created the key may lack the right to do this, or the key lacks a scope. Use a key that has both.',
	],
	404: () => [
		'The resource was not found',
		'Check the ID. The service answers the same when the key lacks a scope or its creator has lost access to the project: check those too.',
	],
	409: () => [
		'The resource is in a conflicting state',
		'Nothing was overwritten. Look at what is there already, such as a file of the same name.',
	],
	413: () => ['The content is too large', 'The service takes at most 10 MiB a file.'],
	429: ({ retryAfter }) => [
		'The service is receiving too many requests',
		retryAfter === undefined
			? 'Run fewer requests at once, or try again later.'
			: `It asked to wait ${seconds(retryAfter)}. Run fewer requests at once, or try again after that.`,
	],
	500: () => ['The service failed', 'The fault is on the side of the service. Try again later.'],
	503: () => ['The service is temporarily unavailable', 'Try again later.'],
};

const forOtherStatus = (status: number): Sentence =>
	status < 400
		? () => [
				'The service answered with a redirect',
				'Redirects are not followed, so that the access token stays where it belongs. Check the base URL in the credential.',
			]
		: status >= 500
			? () => [`The service failed with status ${status}`, 'Try again later.']
			: () => [
					`The service refused the request with status ${status}`,
					'Check the values entered in the node.',
				];

function factsOf(
	status: number,
	headers: Record<string, unknown>,
	body: unknown,
	nowMs: number,
): Facts {
	const envelope =
		typeof body === 'object' && body !== null ? (body as { error?: unknown }).error : undefined;
	const {
		code,
		message,
		doc_url: docUrl,
	} = (typeof envelope === 'object' && envelope !== null ? envelope : {}) as Record<
		string,
		unknown
	>;
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
	const wait = retryAfterMs(headers, nowMs);
	return {
		httpStatus: status,
		code: text(code),
		serviceMessage: text(message),
		docUrl: text(docUrl),
		retryAfter: wait === undefined ? undefined : Math.ceil(wait / 1000),
	};
}

/** The problem behind an attempt that did not end in success. */
export function problemOf(outcome: Outcome, nowMs: number): Problem {
	if (outcome.kind === 'answer') {
		const facts = factsOf(outcome.status, outcome.headers, outcome.body, nowMs);
		const [message, wayOut] = (BY_STATUS[outcome.status] ?? forOtherStatus(outcome.status))(facts);
		const said =
			facts.serviceMessage && `The service says: ${facts.serviceMessage.replace(/[.\s]+$/, '')}.`;
		const more = facts.docUrl && `More: ${facts.docUrl}`;
		return new Problem(message, [wayOut, said, more].filter(Boolean).join(' '), facts);
	}
	if (outcome.kind === 'malformed') {
		return new Problem(
			'The service did not answer with JSON',
			`It answered status ${outcome.status} with ${outcome.found}. Check that the base URL in the credential is the API's, and that no proxy or login page stands before it.`,
			{ httpStatus: outcome.status },
		);
	}
	if (outcome.kind === 'unusable') {
		return new Problem(
			'No safe connection to the service could be made',
			`The reason is ${outcome.code}. Check the base URL in the credential and the certificate of the service.`,
		);
	}
	return new Problem(
		outcome.kind === 'unsent' ? 'The service could not be reached' : 'The service did not answer',
		`The connection failed with ${outcome.code}. Check the base URL in the credential and the network between n8n and the service.`,
	);
}
