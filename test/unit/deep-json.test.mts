// JSON of any depth, from the service or from a person, is read or is unreadable: nothing of it ends in a RangeError.
import { describe, expect, test } from '@jest/globals';
import { isTooDeep, sortedJson, toText } from '../../nodes/shared/values.ts';

const DEPTH = 100_000;
const nested = (start: string, inner: string, end: string, depth = DEPTH) =>
	JSON.parse(start.repeat(depth) + inner + end.repeat(depth)) as unknown;

describe.each([
	['lists', () => nested('[', '1', ']')],
	['objects', () => nested('{"a":', '1', '}')],
	['lists beside lists', () => nested('[1,[', '1', '],[]]')],
])('100,000 levels of %s', (_, create) => {
	const deep = create();

	test('are too deep to be read', () => {
		expect(isTooDeep(deep)).toBe(true);
		expect(sortedJson(deep)).toBeUndefined();
		expect(toText(deep)).toBe('JSON that is nested too deeply');
	});
});

test('a hundred levels are read', () => {
	expect(isTooDeep(nested('[', '1', ']', 100))).toBe(false);
	expect(isTooDeep(nested('[', '1', ']', 102))).toBe(true);
	expect(toText(nested('[', '1', ']', 100))).toHaveLength(201);
});
