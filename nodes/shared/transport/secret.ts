import { parseJson } from './parseJson';

// A service may echo the key that it was sent. It must reach no error, log or output, in whatever form it comes back.

const SHOWN = '[API key]';

/** Escapes of JSON in which a character of a key could hide. A backslash that is escaped itself begins none. */
const ESCAPES = /\\(?:u00([2-7][\da-f])|\/|\\)/gi;

/** Of a text that is no JSON only so much is kept: nothing beyond its beginning is ever shown. */
const LONGEST_TEXT = 10_000;

/** The same JSON in which every printable ASCII character is written in one way. */
const plainly = (json: string): string =>
	json.replace(ESCAPES, (escape, code?: string) => {
		if (code === undefined) return escape === '\\/' ? '/' : escape;
		return JSON.stringify(String.fromCharCode(parseInt(code, 16))).slice(1, -1);
	});

/** Replaces a secret in a text, in all forms that it may have at once. */
export function withoutSecret(text: string, secret: string): string {
	const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
	const hidden = (where: string) => forms.reduce((t, form) => t.replaceAll(form, SHOWN), where);
	const clean = hidden(text);
	const plain = plainly(clean);
	const cleaner = hidden(plain);
	return cleaner === plain ? clean : cleaner;
}

/** What a body says, without the secret: as JSON, or the beginning of its text. */
export function bodyWithoutSecret(text: string, secret: string): { body: unknown; text?: string } {
	const clean = withoutSecret(text, secret);
	const body = parseJson(clean);
	return body === undefined ? { body, text: clean.slice(0, LONGEST_TEXT) } : { body };
}
