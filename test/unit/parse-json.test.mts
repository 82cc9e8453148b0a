import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../nodes/shared/values.ts';

/** Whole numbers beyond 2^53 as texts, everything else as it is */
const held = (_key: string, value: unknown) =>
	Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
		? String(value)
		: value;

test('other JSON has the result of JSON.parse', () => {
	const number = fc
		.double({ noNaN: true, noDefaultInfinity: true })
		.map((value) => JSON.stringify({ value }));
	fc.assert(
		fc.property(fc.oneof(fc.json(), number), (text) =>
			expect(parseJson(text)).toEqual(JSON.parse(text, held)),
		),
	);
});

test('a whole number beyond 2^53 becomes a text of its digits, at any depth', () => {
	const big = fc.oneof(
		fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
		fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
	);
	const held = (number: bigint) =>
		Number.isSafeInteger(Number(number)) ? Number(number) : String(number);
	fc.assert(
		fc.property(big, big, fc.string(), (a, b, text) => {
			const string = JSON.stringify(`${text}",${a}`);
			expect(parseJson(`{ "a":${a}, ${string} : [${b},${string} ,\n${a}]}`)).toEqual({
				a: held(a),
				[`${text}",${a}`]: [held(b), `${text}",${a}`, held(a)],
			});
		}),
	);
});

test('at any position of the text', () => {
	for (let length = 0; length < 64; length++) {
		const text = 'x'.repeat(length);
		expect(parseJson(`["${text}",9007199254740993]`)).toEqual([text, '9007199254740993']);
	}
});

test.each([
	['0.1234567890123456789', '0.1234567890123456789'],
	['-12345678901234567890.5e3', '-12345678901234567890.5e3'],
	['1.7976931348623157e308', 1.7976931348623157e308],
	['1e400', '1e400'],
	['1e-400', '1e-400'],
	['0e999', 0],
	['1.0000000000000000001', '1.0000000000000000001'],
	['1000000000000000.125', '1000000000000000.125'],
])('%s becomes %j', (text, value) => expect(parseJson(text)).toBe(value));

test.each(['', '{', '"12345678901234567890', '\\', '[1 2]', '-', '12345678901234567890x'])(
	'%j is no JSON',
	(text) => expect(parseJson(text)).toBeUndefined(),
);
