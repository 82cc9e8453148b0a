import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseBody } from '../../nodes/shared/client/httpRequest.ts';
import { parseJson } from '../../nodes/shared/client/json.ts';
import { createRedactor } from '../../nodes/shared/client/redactSecret.ts';

const KEY = 'wa_9f/Ab+7=c"x\\y';
const redact = createRedactor(KEY);

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

test('a key in JSON within JSON is found, and the JSON stays readable', () => {
	const escapes = fc.array(fc.boolean(), { minLength: 1 });
	const around = fc.string().filter((text) => !text.includes('[API key]'));
	fc.assert(
		fc.property(escapes, around, around, (how, before, after) => {
			const inner = `"${written(before, [false])}${written(KEY, how)}${written(after, [false])}"`;
			const { body } = parseBody(JSON.stringify({ log: inner }), redact);
			expect(parseJson((body as { log: string }).log)).toBe(`${before}[API key]${after}`);
		}),
	);
});
