// Errors in other forms than the document's envelope, as proxies and gateways send them.
import type { Dialect, WriteError } from '../dialect.mts';

const toErrors = (summary: string, error: WriteError): Dialect => ({
	summary,
	group: 'errors',
	error,
});

export const errorForms = {
	'plain-text-errors': toErrors('An error is plain text', ({ message }) => message),
	'error-texts': toErrors('An error is {error: "text"}', ({ message }) => ({ error: message })),
	'error-messages': toErrors('An error is {message}', ({ message, code }) => ({ message, code })),
	'error-lists': toErrors('An error is {errors: [...]}', ({ message, code }) => ({
		errors: [{ code, message }],
	})),
} satisfies Record<string, Dialect>;
