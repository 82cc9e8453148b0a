import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseBody, parseJson } from '../../nodes/shared/client/httpRequest.ts';

const KEY = 'wa_9f/Ab+7=c"x\\y';

/** The characters of a JSON text, each as it is or as an escape */
const written = (text: string, escapes: boolean[]) =>
	[...text]
		.map((character, at) => {
			const code = character.charCodeAt(0).toString(16).padStart(4, '0');
			return escapes[at % escapes.length] ? `\\u${code}` : JSON.stringify(character).slice(1, -1);
		})
		.join('');

test('a key is found in JSON however it is escaped, and what is around it stays', () => {
	const escapes = fc.array(fc.boolean(), { minLength: 1 });
	const around = fc.string().filter((text) => !text.includes('[API key]'));
	fc.assert(
		fc.property(escapes, around, around, (how, before, after) => {
			const text = `${written(before, how)}${written(KEY, how)}${written(after, how)}`;
			expect(parseBody(`{"${text}":["${text}"]}`, KEY)).toEqual({
				body: { [`${before}[API key]${after}`]: [`${before}[API key]${after}`] },
			});
		}),
	);
});

test('JSON without the key is what it was', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const text = JSON.stringify({ value });
			expect(parseBody(text, KEY)).toEqual({ body: parseJson(text) });
		}),
	);
});
