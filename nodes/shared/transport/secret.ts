// A service may echo the key that it was sent. It must reach no error, log or output, in whatever form it comes back.

const SHOWN = '[API key]';

/** Escapes of JSON in which a character of a key could hide; outside of strings JSON has none. */
const ESCAPE = /\\(?:u00|\/)/i;

/** Of a text that is no JSON only so much is kept: nothing beyond its beginning is ever shown. */
const LONGEST_TEXT = 10_000;

const formsOf = (secret: string) => [
	secret,
	encodeURIComponent(secret),
	JSON.stringify(secret).slice(1, -1),
];

/** A text in which no character of the secret is written as an escape. A pass for each character takes linear time. */
function unescaped(text: string, secret: string): string {
	return [...new Set(secret)].reduce(
		(plain, character) => {
			const code = character.charCodeAt(0).toString(16).padStart(4, '0');
			return plain
				.replaceAll(`\\u${code}`, character)
				.replaceAll(`\\u${code.toUpperCase()}`, character);
		},
		text.replaceAll('\\/', '/'),
	);
}

/** Replaces a secret in a text, in all forms that it may have at once. */
export function withoutSecret(text: string, secret: string): string {
	const forms = formsOf(secret);
	const hidden = (where: string) => forms.reduce((t, form) => t.replaceAll(form, SHOWN), where);
	const clean = hidden(text);
	if (!ESCAPE.test(clean)) return clean;
	const plain = unescaped(clean, secret);
	const cleaner = hidden(plain);
	return cleaner === plain ? clean : cleaner;
}

/** The same in every text of a parsed JSON value, keys included. In place and without recursion: it may be nested deeply. */
function removeSecret(root: { value: unknown }, secret: string): void {
	const left: object[] = [root];
	for (let at = left.pop(); at; at = left.pop()) {
		for (const [key, value] of Object.entries(at)) {
			const name = Array.isArray(at) ? key : withoutSecret(key, secret);
			const clean: unknown = typeof value === 'string' ? withoutSecret(value, secret) : value;
			if (name !== key) delete (at as Record<string, unknown>)[key];
			if (name !== key || clean !== value)
				Object.defineProperty(at, name, {
					value: clean,
					configurable: true,
					enumerable: true,
					writable: true,
				});
			if (typeof value === 'object' && value !== null) left.push(value);
		}
	}
}

/**
 * What a body says, without the secret: as JSON, or the beginning of its text. JSON is looked through after it was parsed, where
 * escapes hide nothing, and only where there may be something to find.
 */
export function bodyWithoutSecret(
	text: string,
	secret: string,
	parse: (text: string) => unknown,
): { body: unknown; text?: string } {
	const parsed = { value: parse(text) };
	if (parsed.value === undefined)
		return { body: undefined, text: withoutSecret(text.slice(0, LONGEST_TEXT), secret) };
	if (ESCAPE.test(text) || formsOf(secret).some((form) => text.includes(form)))
		removeSecret(parsed, secret);
	return { body: parsed.value };
}
