// Removes the API key before anything is shown or logged, because a service may echo it.

const REDACTED = '[API key]';

/** Names in HTML entities. Letters, digits and the rest have none, or one that represents another character. */
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

/** Returns the base64 of the secret at each byte offset, without the characters that it shares with its neighbors. */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.byteLength(secret);
	const forms = [0, 1, 2].map((offset) => {
		const encoded = Buffer.from(`${'\0'.repeat(offset)}${secret}`).toString('base64');
		return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes) * 4) / 3));
	});
	return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const hexPattern = (code: string): string =>
	code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Matches a character as it is, escaped in JSON or in JSON within JSON, percent-encoded once or twice, or as an HTML entity. */
function characterPattern(character: string): string {
	const hex = hexPattern(character.charCodeAt(0).toString(16));
	const name = ENTITY_NAMES[character];
	const forms = [
		`\\\\{1,2}(?:u00|x)${hex}`,
		...('"/'.includes(character) ? [`\\\\{1,3}${escapeRegExp(character)}`] : []),
		`%(?:25)?${hex}`,
		`&#0{0,6}${character.charCodeAt(0)};?`,
		`&#[xX]0{0,6}${hex};?`,
		...(name ? [`&${name};`] : []),
		// JSON has backslashes in pairs, and other escaped text has single ones.
		character === '\\' ? '(?:(?:\\\\\\\\){1,2}|\\\\)' : escapeRegExp(character),
	];
	return `(?:${forms.join('|')})`;
}

/** Between two characters of base64 or hex that a program has wrapped, also within JSON */
const WRAP = '(?:(?:\\\\{1,2}[rn]|[\\r\\n]){1,4}[ \\t]{0,8})?';

/** Matches base64 for URLs too, in which two characters differ. */
const base64Pattern = (form: string): string =>
	[...form]
		.map((each) => (/[+/]/.test(each) ? `(?:${characterPattern(each)}|[-_])` : each))
		.join(WRAP);

const hexBytesPattern = (secret: string): string =>
	[...secret]
		.map((character) => hexPattern(character.charCodeAt(0).toString(16)))
		.join(`(?:${WRAP}|[ :-])`);

/** Less than half of the width at which programs wrap base64, so that one piece of this length is never wrapped */
const PIECE_LENGTH = 24;

/** Returns pieces of a form, one of which is in every text that has the form, wrapped or not. */
function unwrappedPieces(form: string): string[] {
	const count = Math.max(2, Math.ceil(form.length / PIECE_LENGTH));
	const length = Math.ceil(form.length / count);
	return Array.from({ length: count }, (_, index) =>
		longestWord(form.slice(index * length, (index + 1) * length)),
	);
}

/** Returns the longest part without + and /, which are the only characters that have other forms. */
const longestWord = (form: string): string =>
	form.split(/[+/]/).reduce((longest, word) => (word.length > longest.length ? word : longest));

/** Without one of these, a text has the key only unchanged, in base64 or in hex. */
const ANY_ESCAPE = /\\[ux/"\\]|%[2-7][\da-f]|&[#a-z]/i;
/** Each escape begins with one of these, and searching for them is faster. */
const ESCAPE_BEGINNINGS = ['\\', '%', '&'];

const mayHaveEscapes = (text: string): boolean =>
	ESCAPE_BEGINNINGS.some((character) => text.includes(character)) && ANY_ESCAPE.test(text);

function countBackslashes(text: string, end: number): number {
	let start = end;
	while (text[start - 1] === '\\') start--;
	return end - start;
}

/** Returns a function that redacts printable ASCII in linear time: as it is, JSON-escaped, percent-encoded, as entities, in base64 or hex, or mixed. */
export function createRedactor(secret: string): (text: string) => string {
	const base64 = base64Forms(secret);
	// One pattern for all of them takes a fifth of a search for each.
	const unescaped = new RegExp(
		[secret, ...base64.flatMap(unwrappedPieces)].map(escapeRegExp).join('|'),
	);
	const inBase64 = new RegExp(base64.map(base64Pattern).join('|'), 'g');
	const inHex = new RegExp(hexBytesPattern(secret), 'g');
	// A short pattern that finds nothing is several times as fast as the long one.
	const hexBeginning = new RegExp(hexBytesPattern(secret.slice(0, 4)));
	const escaped = new RegExp([...secret].map(characterPattern).join(''), 'g');
	const redactEscaped = (text: string) =>
		text.replace(escaped, (match, offset: number) => {
			// The first backslash of the match may be the second one of a pair, which has to stay complete.
			const isInPair = match.startsWith('\\') && countBackslashes(text, offset) % 2 === 1;
			return isInPair ? `\\${REDACTED}` : REDACTED;
		});
	return (text) => {
		// The secret is as short as any of its forms.
		if (text.length < secret.length) return text;
		const isUnescaped = unescaped.test(text);
		const plain = isUnescaped ? text.replaceAll(secret, REDACTED) : text;
		const decoded = mayHaveEscapes(plain) ? redactEscaped(plain) : plain;
		if (base64.length === 0) return decoded;
		const withoutBase64 = isUnescaped ? decoded.replace(inBase64, REDACTED) : decoded;
		return hexBeginning.test(withoutBase64)
			? withoutBase64.replace(inHex, REDACTED)
			: withoutBase64;
	};
}
