import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseBody } from '../../nodes/shared/client/httpRequest.ts';
import { parseJson } from '../../nodes/shared/client/json.ts';
import { createRedactor } from '../../nodes/shared/client/redactSecret.ts';

const KEY = 'wa_9f/Ab+7=c"x\\y';
// A redactor is created in the test that uses it. `npm run mutate` wouldn't change one from outside.
const redact = (text: string) => createRedactor(KEY)(text);

/** The characters of a JSON text, each as it is or as an escape */
const written = (text: string, escapes: boolean[]) =>
	[...text]
		.map((character, at) => {
			const code = character.charCodeAt(0).toString(16).padStart(4, '0');
			return escapes[at % escapes.length] ? `\\u${code}` : JSON.stringify(character).slice(1, -1);
		})
		.join('');

test('a key is found in JSON in any escaped form, and the text around it stays', () => {
	const escapes = fc.array(fc.boolean(), { minLength: 1 });
	const around = fc.string().filter((text) => !text.includes('[API key]'));
	fc.assert(
		fc.property(escapes, around, around, (how, before, after) => {
			const text = `${written(before, how)}${written(KEY, how)}${written(after, how)}`;
			expect(parseBody(`{"${text}":["${text}"]}`, redact)).toEqual({
				body: { [`${before}[API key]${after}`]: [`${before}[API key]${after}`] },
			});
		}),
		{ examples: [[[true, false], 'a\\', '']] },
	);
});

test('JSON without the key stays unchanged', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const text = JSON.stringify({ value });
			expect(parseBody(text, redact)).toEqual({ body: parseJson(text) });
		}),
	);
});

const hex = (character: string) => character.charCodeAt(0).toString(16);

/** Ways to write a character in which a service could echo a key */
const WAYS: Array<(character: string) => string> = [
	(character) => `%${hex(character)}`,
	(character) => `%${hex(character).toUpperCase()}`,
	(character) => `&#${character.charCodeAt(0)};`,
	(character) => `&#x${hex(character)};`,
	(character) => `&#X00${hex(character).toUpperCase()};`,
	(character) => `\\u00${hex(character)}`,
	(character) =>
		({ '+': '&plus;', '=': '&equals;', '/': '&sol;', _: '&lowbar;' })[character] ?? character,
];
const PLAIN_KEY = 'wa_live_9f/Ab+7=cD-12.~';

test('a key is found with each character percent-encoded, as an entity, escaped or plain, and the text around it stays', () => {
	const redactPlain = createRedactor(PLAIN_KEY);
	const ways = fc.array(fc.constantFrom(...WAYS, String), { minLength: 1, maxLength: 30 });
	const around = fc.stringMatching(/^[ -$'-Z^-~]*$/).filter((text) => !text.includes('w'));
	fc.assert(
		fc.property(ways, around, around, (how, before, after) => {
			const echoed = [...PLAIN_KEY].map((each, at) => how[at % how.length](each)).join('');
			expect(redactPlain(`${before}${echoed}${after}`)).toBe(`${before}[API key]${after}`);
		}),
	);
});

test('a key is found in base64 and in base64 for URLs, at any position', () => {
	const redactPlain = createRedactor(PLAIN_KEY);
	fc.assert(
		fc.property(
			fc.uint8Array({ maxLength: 20 }),
			fc.uint8Array({ maxLength: 20 }),
			fc.constantFrom('base64' as const, 'base64url' as const),
			fc.boolean(),
			(before, after, encoding, isEscaped) => {
				const bytes = Buffer.concat([before, Buffer.from(PLAIN_KEY), after]);
				const encoded = bytes.toString(encoding);
				const found = redactPlain(isEscaped ? encoded.replaceAll('/', '\\/') : encoded);
				expect(found).toContain('[API key]');
				// Nothing but what the key shares with its neighbors is left of it.
				const left = bytes.length * (4 / 3) - PLAIN_KEY.length * (4 / 3);
				expect(found.replaceAll('\\', '').length).toBeLessThan(left + '[API key]'.length + 6);
			},
		),
	);
});

test("a short key isn't searched in base64, and a text without the key stays unchanged", () => {
	const encoded = Buffer.from('some key here').toString('base64');
	expect(createRedactor('key')(encoded)).toBe(encoded);
	const text = '{"a":"50% &amp; \\u0041\\\\ \\"x\\""}';
	expect(createRedactor(PLAIN_KEY)(text)).toBe(text);
});

test('a text that is only the key is redacted', () => {
	expect(redact(KEY)).toBe('[API key]');
});

/** Its base64 has a + or / at each byte offset, and it fills whole groups of base64. */
const SYMBOLS_KEY = 'wa~~~live???9f>>>0123456';
const redactSymbols = (text: string) => createRedactor(SYMBOLS_KEY)(text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.each([0, 1, 2])(
	'a key with %d bytes before it, in base64 with + and /, is found',
	(before) => {
		const encoded = base64(`${'x'.repeat(before)}${SYMBOLS_KEY}${'x'.repeat((3 - before) % 3)}`);

		test.each([
			['as it is', encoded],
			['for URLs', encoded.replaceAll('+', '-').replaceAll('/', '_')],
			['percent-encoded', encodeURIComponent(encoded)],
			['in JSON', encoded.replaceAll('/', '\\/').replaceAll('+', '\\u002b')],
			['as entities', encoded.replaceAll('/', '&#47;').replaceAll('+', '&plus;')],
		])('%s', (_, text) => {
			// The key shares up to three characters with its neighbors on each side.
			expect(redactSymbols(text)).toMatch(/^\w{0,3}\[API key\]\w{0,3}$/);
		});

		test.each(['*', 'x', ''])('but not with %j instead of them', (other) => {
			const text = encoded.replace(/[+/]/g, other);
			expect(redactSymbols(text)).toBe(text);
		});
	},
);

test("a key of eight characters is found in base64, and one of seven isn't", () => {
	const redactBase64 = (key: string) => createRedactor(key)(base64(key));
	expect(redactBase64('wa_12345')).toMatch(/^\[API key\].=$/);
	expect(redactBase64('wa_1234')).toBe(base64('wa_1234'));
});

test.each([
	['&', '&amp;'],
	['<', '&lt;'],
	['>', '&gt;'],
	['"', '&quot;'],
	["'", '&apos;'],
	['/', '&sol;'],
	['\\', '&bsol;'],
	['+', '&plus;'],
	['=', '&equals;'],
	['_', '&lowbar;'],
	['.', '&period;'],
	[':', '&colon;'],
])('a key with %s is found with %s, the name of that character in HTML', (character, entity) => {
	const redactNamed = createRedactor(`wa${character}12`);
	expect(redactNamed(`<b>wa${entity}12</b>`)).toBe('<b>[API key]</b>');
	expect(redactNamed('<b>wa&num;12</b>')).toBe('<b>wa&num;12</b>');
});

describe('a key in an encoding that a program has wrapped or written twice is redacted', () => {
	const LONG_KEY = `wa_live_${'9f/Ab+7=cD-12.~'.repeat(8)}`;
	const wrap = (text: string, width: number, with_: string) =>
		text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), (line) => line + with_);
	const bytes = (key: string, before: number) =>
		Buffer.from(`${'x'.repeat(before)}${key} and more`);

	const widths = [64, 76].flatMap((width) =>
		['\n', '\r\n', '\\n', '\\r\\n', '\n\t'].map((with_) => [width, with_] as const),
	);
	test.each(widths)('base64 in lines of %d characters, with %j', (width, with_) => {
		for (const key of [PLAIN_KEY, LONG_KEY])
			for (let before = 0; before < 90; before++) {
				const text = wrap(bytes(key, before).toString('base64'), width, with_);
				const left = createRedactor(key)(text).replaceAll(with_, '');
				expect(left).toMatch(/^[\w+/]*\[API key\][\w+/=]*$/);
				expect(Buffer.from(left.split('[API key]')[0], 'base64').length).toBeLessThanOrEqual(
					before,
				);
			}
	});

	test.each([
		['hex', (hex: string) => hex],
		['hex in capitals', (hex: string) => hex.toUpperCase()],
		['hex with spaces', (hex: string) => hex.replace(/..(?=.)/g, '$& ')],
		['hex with colons', (hex: string) => hex.replace(/..(?=.)/g, '$&:')],
		['hex in lines', (hex: string) => wrap(hex, 60, '\n')],
		['hex escapes', (hex: string) => hex.replace(/../g, '\\x$&')],
	])('%s', (_, write) => {
		for (const key of [PLAIN_KEY, LONG_KEY]) {
			const text = `a ${write(Buffer.from(key).toString('hex'))} b`;
			expect(createRedactor(key)(text)).toBe('a [API key] b');
		}
	});

	test('percent-encoding, twice', () => {
		const everyCharacter = [...PLAIN_KEY].map((each) => `%25${hex(each)}`).join('');
		for (const text of [encodeURIComponent(encodeURIComponent(PLAIN_KEY)), everyCharacter])
			expect(createRedactor(PLAIN_KEY)(`?key=${text}&`)).toBe('?key=[API key]&');
	});
});
