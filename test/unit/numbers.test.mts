// Numbers in JSON fields and in responses keep their digits, or are refused.
import { describe, expect, test } from '@jest/globals';
import { requireAnyId, requireJsonObject } from '../../nodes/shared/validation.ts';

describe('a JSON field', () => {
	test.each(['9007199254740993', '1e400', '1e-400', '0.12345678901234567', '9007199254740993.0'])(
		'with %s is refused, and the error names the number',
		(number) => {
			for (const json of [`{"a": ${number}}`, `{"b": [1, {"c":${number} }]}`])
				expect(() => requireJsonObject('Fields', json)).toThrow(
					expect.objectContaining({
						message: "'Fields' has a number that would change",
						description: expect.stringContaining(number),
					}),
				);
		},
	);

	test.each([
		['-0', -0],
		['1.50', 1.5],
		['1.2300e-7', 1.23e-7],
		['9007199254740991', 9007199254740991],
		['0.0000000000000000000001', 1e-22],
	])('with %s is sent with the same value', (json, value) => {
		expect(requireJsonObject('Fields', `{"a": ${json}}`)).toEqual({ a: value });
	});

	test('with digits in a text is sent as it is', () => {
		const fields = {
			id: '12345678901234567890',
			note: 'quote " 1e400 \\',
			'0.12345678901234567890': 1,
		};
		expect(requireJsonObject('Fields', JSON.stringify(fields))).toEqual(fields);
	});

	test.each([12345678901234567890, Infinity, NaN, -(2 ** 53)])(
		'that is the object of an expression with %d is refused',
		(number) => {
			expect(() => requireJsonObject('Fields', { a: [{ b: number }] })).toThrow(
				expect.objectContaining({ description: expect.stringContaining(String(number)) }),
			);
		},
	);

	test('that is nested too deeply is refused', () => {
		const deep = `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
		expect(() => requireJsonObject('Fields', deep)).toThrow("'Fields' is nested too deeply");
	});
});

test('an ID that is a number beyond 2^53 is refused, because another one would be addressed', () => {
	expect(requireAnyId('Product', 42)).toBe(42);
	expect(requireAnyId('Product', '12345678901234567890')).toBe('12345678901234567890');
	expect(() => requireAnyId('Product', 12345678901234567890)).toThrow(
		"'Product' has a number that would change",
	);
});
