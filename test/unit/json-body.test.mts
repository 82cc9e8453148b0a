import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Base64, jsonBytes } from '../../nodes/shared/client/json.ts';

const text = fc.oneof(
	fc.string(),
	fc.constant('\u0000base64\u0000'),
	fc.string({ unit: 'grapheme' }),
);

test('a body equals the JSON with its contents as base64 text, for any other fields', () => {
	const bytes = fc
		.tuple(fc.nat(500_000), fc.string())
		.map(([length, filling]) => Buffer.alloc(length, filling || 'x'));
	fc.assert(
		fc.property(fc.array(bytes, { maxLength: 2 }), text, fc.jsonValue(), (contents, name, more) => {
			const body = (of: (content: Buffer) => unknown) => ({
				name,
				content: contents.map((content) => ({ data: of(content) })),
				more,
			});
			const sent = jsonBytes(body((content) => new Base64(content))).toString();
			expect(sent).toBe(JSON.stringify(body((content) => content.toString('base64'))));
		}),
		{ numRuns: 50 },
	);
});

test('a content within a longer text is base64, and in a fingerprint it is short', () => {
	const content = new Base64(Buffer.alloc(1_000_000, 7));
	expect(`data:${content}`).toBe(`data:${Buffer.alloc(1_000_000, 7).toString('base64')}`);
	expect(JSON.stringify(content).length).toBeLessThan(100);
	const other = Buffer.alloc(1_000_000, 7).fill(8, 500_000, 500_001);
	expect(JSON.stringify(new Base64(other))).not.toBe(JSON.stringify(content));
});
