import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	matchesGlob,
	MATCH_BUDGET,
	parseGlob,
} from '../../nodes/RunAgentSession/policy/patterns.ts';

/** Returns whether a glob matches a whole text */
const globMatches = (pattern: string, text: string) =>
	matchesGlob(parseGlob(pattern), { characters: [...text] }, { left: MATCH_BUDGET });

/** Reference implementation of a glob, too slow for use. */
function meaning(pattern: string, text: string): boolean {
	if (pattern === '') return text === '';
	const [first, ...rest] = [...pattern];
	if (first === '*')
		return (
			meaning(rest.join(''), text) || (text !== '' && meaning(pattern, [...text].slice(1).join('')))
		);
	const plain = first === '\\' && rest.length > 0 ? rest.shift()! : first;
	const wild = first === '?';
	return (
		text !== '' &&
		(wild || [...text][0] === plain) &&
		meaning(rest.join(''), [...text].slice(1).join(''))
	);
}

describe('globs', () => {
	test.each([
		['*', 'anything at all / with slashes', true],
		['git *', 'git push origin main', true],
		['git *', 'git', false],
		['git*', 'git', true],
		['src/*.ts', 'src/a/b.ts', true],
		['npm run *', 'npm run build', true],
		['npm run *', 'sudo npm run build', false],
		['file-?', 'file-1', true],
		['file-?', 'file-12', false],
		['a\\*b', 'a*b', true],
		['a\\*b', 'axb', false],
		['', '', true],
		['', 'x', false],
		['👍?', '👍👎', true],
	])('%j on %j: %j', (pattern, text, expected) => {
		expect(globMatches(pattern, text)).toBe(expected);
	});

	test('match like the reference, for any pattern and text', () => {
		const characters = fc.string({
			unit: fc.constantFrom('a', 'b', '*', '?', '\\', '/', ' '),
			maxLength: 8,
		});
		fc.assert(
			fc.property(characters, characters, (pattern, text) => {
				expect(globMatches(pattern, text)).toBe(meaning(pattern, text));
			}),
			{ numRuns: 3000 },
		);
	});

	test('finish on a pattern made to stall a matcher', () => {
		expect(globMatches('*a'.repeat(200) + 'b', 'a'.repeat(5000))).toBe(false);
	});

	test('stop at their budget, and return that the result is unknown', () => {
		const stalling = parseGlob(`*${'a'.repeat(500)}b`);
		const text = { characters: [...'a'.repeat(100_000)] };
		const effort = { left: MATCH_BUDGET };
		expect(matchesGlob(stalling, text, effort)).toBeUndefined();
		expect(effort.left).toBeLessThanOrEqual(0);
		expect(matchesGlob(parseGlob('*'), text, effort)).toBeUndefined();
	});

	test.each([
		['git *', 10],
		['*', 10],
		['*a*', 10],
		['*b', 100_010],
		['*a'.repeat(200) + 'b', 200_010],
	])('%j costs at most %d comparisons on 100,000 times the letter a', (glob, most) => {
		const effort = { left: MATCH_BUDGET };
		matchesGlob(parseGlob(glob), { characters: [...'a'.repeat(100_000)] }, effort);
		expect(MATCH_BUDGET - effort.left).toBeLessThanOrEqual(most);
	});
});
