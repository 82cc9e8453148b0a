// The API key in what the service sends back.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseBody } from '../../nodes/shared/client/httpRequest.ts';
import { parseJson } from '../../nodes/shared/values.ts';
import { createRedactor } from '../../nodes/shared/client/credential.ts';

// A redactor is created in the test that uses it. `npm run mutate` wouldn't change one from outside.
const redactIn = (text: string, key: string) => createRedactor(key).redact(text);

const KEY = 'wa_9f/Ab+7=c"x\\y';
const PLAIN_KEY = 'wa_live_9f/Ab+7=cD-12.~';
/** Its base64 has a + or / at each byte offset, and it fills whole groups of base64. */
const SYMBOLS_KEY = 'wa~~~live???9f>>>0123456';

/** The characters of a JSON text, each as it is or as an escape */
const written = (text: string, escapes: boolean[]) =>
	[...text]
		.map((character, at) => {
			const code = character.charCodeAt(0).toString(16).padStart(4, '0');
			return escapes[at % escapes.length] ? `\\u${code}` : JSON.stringify(character).slice(1, -1);
		})
		.join('');

test.each([KEY, PLAIN_KEY])('the key %s is found in JSON in any escaped form', (key) => {
	const escapes = fc.array(fc.boolean(), { minLength: 1 });
	const around = fc.string().filter((text) => !text.includes('[API key]'));
	fc.assert(
		fc.property(escapes, around, around, (how, before, after) => {
			const text = `${written(before, how)}${written(key, how)}${written(after, how)}`;
			expect(parseBody(`{"${text}":["${text}"]}`, createRedactor(key))).toEqual({
				body: { [`${before}[API key]${after}`]: [`${before}[API key]${after}`] },
			});
		}),
		{ examples: [[[true, false], 'a\\', '']] },
	);
});

test('JSON without the key stays unchanged, and so does what is around it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const text = JSON.stringify({ value });
			expect(parseBody(text, createRedactor(KEY))).toEqual({ body: parseJson(text) });
			const echo = JSON.stringify({ value, key: KEY });
			expect(parseBody(echo, createRedactor(KEY))).toEqual({
				body: { value: parseJson(JSON.stringify(value)), key: '[API key]' },
			});
		}),
	);
});

test('the key is found beside JSON that is nested too deeply, also escaped and as a name', () => {
	const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
	const escaped = written(KEY, [true]);
	const text = `{"error":{"message":"${escaped}","${escaped}":1},"deep":${deep}}`;
	expect(parseBody(text, createRedactor(KEY)).body).toMatchObject({
		error: { message: '[API key]', '[API key]': 1 },
	});
});

test.each([
	['a number', '{"a":12345678}', '12345678', { a: '[API key]' }],
	[
		'JSON that is nested too deeply',
		`${'['.repeat(200)}"${KEY}"${']'.repeat(200)}`,
		KEY,
		undefined,
	],
])('the key is found in %s', (_, text, key, body) => {
	const parsed = parseBody(text.replace(KEY, KEY.replace(/["\\]/g, '\\$&')), createRedactor(key));
	expect(JSON.stringify(parsed)).not.toContain(key);
	if (body) expect(parsed).toEqual({ body });
});

const hex = (text: string) => Buffer.from(text).toString('hex');

test('a key is found with each character percent-encoded or plain, and the text around it stays', () => {
	const ways = [
		String,
		(each: string) => `%${hex(each)}`,
		(each: string) => `%${hex(each).toUpperCase()}`,
	];
	const around = fc.stringMatching(/^[ -$'-Z^-~]*$/).filter((text) => !text.includes('w'));
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom(...ways), { minLength: 1, maxLength: 30 }),
			around,
			around,
			(how, before, after) => {
				const echoed = [...PLAIN_KEY].map((each, at) => how[at % how.length](each)).join('');
				expect(redactIn(`${before}${echoed}${after}`, PLAIN_KEY)).toBe(
					`${before}[API key]${after}`,
				);
			},
		),
	);
});

test.each([hex(PLAIN_KEY), hex(PLAIN_KEY).toUpperCase()])('a key is found in hex: %s', (text) => {
	expect(redactIn(`a ${text} b`, PLAIN_KEY)).toBe('a [API key] b');
});

test('a key is found in base64 and in base64 for URLs, at any position', () => {
	fc.assert(
		fc.property(
			fc.constantFrom(PLAIN_KEY, SYMBOLS_KEY),
			fc.uint8Array({ maxLength: 20 }),
			fc.uint8Array({ maxLength: 20 }),
			fc.constantFrom('base64' as const, 'base64url' as const),
			(key, before, after, encoding) => {
				const bytes = Buffer.concat([before, Buffer.from(key), after]);
				const found = redactIn(bytes.toString(encoding), key);
				expect(found).toContain('[API key]');
				// Nothing but what the key shares with its neighbors is left of it.
				const left = (bytes.length - key.length) * (4 / 3);
				expect(found.length).toBeLessThan(left + '[API key]'.length + 6);
			},
		),
	);
});

describe('what only looks like the key stays', () => {
	test.each([
		['a short key in base64', Buffer.from('some key here').toString('base64'), 'key'],
		['seven characters in base64', Buffer.from('wa_1234').toString('base64'), 'wa_1234'],
		['other escapes', '{"a":"50% &amp; \\u0041\\\\ \\"x\\""}', PLAIN_KEY],
	])('%s', (_, text, key) => {
		expect(redactIn(text, key)).toBe(text);
	});

	test.each(['*', 'x', ''])('base64 with %j instead of + and /', (other) => {
		const text = Buffer.from(SYMBOLS_KEY).toString('base64').replace(/[+/]/g, other);
		expect(redactIn(text, SYMBOLS_KEY)).toBe(text);
	});
});
