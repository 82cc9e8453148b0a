// Errors of the API, and their envelope.

/** The codes with their statuses. The API document shows `not_found` and `conflict`; the others are our own. */
export const statusOf = {
	invalid_request: 400,
	invalid_version: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	conflict: 409,
	payload_too_large: 413,
	too_many_requests: 429,
	internal_error: 500,
	unavailable: 503,
} as const;

type ErrorCode = keyof typeof statusOf;

/** Thrown by handlers and turned into the answer. */
export class ApiError extends Error {
	readonly code: ErrorCode;
	readonly headers: Record<string, string>;

	constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
		super(message);
		this.code = code;
		this.headers = headers;
	}

	/** Status that Fastify answers with */
	get statusCode(): number {
		return statusOf[this.code];
	}
}

/** The same for what does not exist and for what the key may not see: the service does not confirm private identifiers. */
export const notFound = (what = 'resource'): ApiError =>
	new ApiError(
		'not_found',
		`The ${what} was not found, or the key's scopes or project access do not permit it.`,
	);

export interface ErrorEnvelope {
	error: { code: string; message: string; doc_url: string };
}

/** The body of every error answer. */
export function envelope(code: string, message: string): ErrorEnvelope {
	return {
		error: { code, message, doc_url: `https://docs.workspace-automation.example/errors/${code}` },
	};
}

/** The code for a status, where only the status is known. */
export function getCode(status: number): string {
	const known = Object.entries(statusOf).find(([, candidate]) => candidate === status);
	return known?.[0] ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}
