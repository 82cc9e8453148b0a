// Removes the API key from what a service sent, before anything of it is shown or logged. A service may echo the key that it got.

const REDACTED = '[API key]';

/** Names of characters in HTML entities. Letters, digits and the rest have none, or one that represents another character. */
const ENTITY_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
	'/': 'sol',
	'\\': 'bsol',
	'+': 'plus',
	'=': 'equals',
	_: 'lowbar',
	'.': 'period',
	':': 'colon',
};

/** A shorter piece of base64 could be part of any text. */
const MIN_BASE64_LENGTH = 10;

/**
 * Returns what base64 contains of the secret at each offset that it can have in the encoded bytes, without the characters that it
 * shares with its neighbors.
 */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.byteLength(secret);
	const forms = [0, 1, 2].map((offset) => {
		const encoded = Buffer.from(`${'\0'.repeat(offset)}${secret}`).toString('base64');
		return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes) * 4) / 3));
	});
	return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits in either case */
const hexPattern = (code: string): string =>
	code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/**
 * Returns a pattern for a printable ASCII character: as it is, escaped in JSON or in JSON within JSON, percent-encoded or as an HTML
 * entity.
 */
function characterPattern(character: string): string {
	const hex = hexPattern(character.charCodeAt(0).toString(16));
	const name = ENTITY_NAMES[character];
	const forms = [
		`\\\\{1,2}u00${hex}`,
		...('"/'.includes(character) ? [`\\\\{1,3}${escapeRegExp(character)}`] : []),
		`%${hex}`,
		`&#0{0,6}${character.charCodeAt(0)};?`,
		`&#[xX]0{0,6}${hex};?`,
		...(name ? [`&${name};`] : []),
		// Escaped text has backslashes in pairs.
		character === '\\' ? '(?:\\\\\\\\){1,2}' : escapeRegExp(character),
	];
	return `(?:${forms.join('|')})`;
}

/** Returns a pattern for a piece of base64. In base64 for URLs two characters differ. */
const base64Pattern = (form: string): string =>
	form.replace(/[+/]/g, (character) => `(?:${characterPattern(character)}|[-_])`);

/** Returns the longest part of a piece of base64 that nobody writes in another way, to look for first. */
const longestWord = (form: string): string =>
	form.split(/[+/]/).reduce((longest, word) => (word.length > longest.length ? word : longest));

/** Forms of escaped characters. Without one of these, a text has the key only unchanged, or in base64. */
const ANY_ESCAPE = /\\[u/"\\]|%[2-7][\da-f]|&[#a-z]/i;

/** Counts the backslashes right before a place in a text. */
function countBackslashes(text: string, end: number): number {
	let start = end;
	while (text[start - 1] === '\\') start--;
	return end - start;
}

/**
 * Returns a function that replaces a secret in a text, however it's written: as it is, escaped in JSON, percent-encoded, with HTML
 * entities, in base64, or mixed. The text around the secret doesn't change. The function takes linear time.
 * @param secret printable ASCII
 */
export function createRedactor(secret: string): (text: string) => string {
	const encoded = base64Forms(secret);
	// One pattern for all words takes a fifth of a search for each.
	const anyWord = encoded.length > 0 && new RegExp(encoded.map(longestWord).join('|'));
	const inBase64 = new RegExp(encoded.map(base64Pattern).join('|'), 'g');
	const escaped = new RegExp([...secret].map(characterPattern).join(''), 'g');
	const redactEscaped = (text: string) =>
		text.replace(escaped, (match, offset: number) => {
			// The first backslash of the match may be the second one of a pair, which has to stay complete.
			const isInPair = match.startsWith('\\') && countBackslashes(text, offset) % 2 === 1;
			return isInPair ? `\\${REDACTED}` : REDACTED;
		});
	return (text) => {
		const plain = text.replaceAll(secret, REDACTED);
		const decoded = ANY_ESCAPE.test(plain) ? redactEscaped(plain) : plain;
		return anyWord && anyWord.test(decoded) ? decoded.replace(inBase64, REDACTED) : decoded;
	};
}
