import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { globMatches } from '../../nodes/RunAgentSession/glob.ts';

/** What a glob means, said as plainly as possible; too slow for use. */
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

	test('match as they are meant to, whatever the pattern and the text', () => {
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

	test('a pattern made to stall a matcher does not stall this one', () => {
		expect(globMatches('*a'.repeat(200) + 'b', 'a'.repeat(5000))).toBe(false);
	});
});
