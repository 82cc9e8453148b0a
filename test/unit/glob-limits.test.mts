// What the wildcards of a rule that approves match, beside the commands of hostile requests.
import { describe, expect, test } from '@jest/globals';
import {
	matchesGlob,
	parseGlob,
	trimGlob,
	UNKNOWN_PART,
} from '../../nodes/RunAgentSession/policy/patterns.ts';
import { decide } from '../../nodes/RunAgentSession/policy/rules.ts';
import { findGuarded } from '../../nodes/RunAgentSession/policy/wildcards.ts';
import { policy, request, rule } from './policies.mts';

const verdict = (pattern: string, command: string) =>
	decide(request({ patterns: [command] }), policy({ rules: [rule('bash', pattern, 'approve')] }));

describe('an option with a path in it is one word', () => {
	test.each([
		['with quotation marks', 'gcc -I"a b/c"'],
		['with apostrophes', "gcc -I'a b/c'"],
		['with an escaped space', 'gcc -Ia\\ b/c'],
		['with an escaped space in quotation marks', 'gcc "-Ia\\" b/c"'],
		['after another option', 'gcc -c -I"a b/c" x.c'],
	])('%s: %j', (_, command) => {
		expect(findGuarded(command)).toEqual(['an absolute path']);
	});

	test.each([
		['a quotation mark in the other ones', 'echo "it\'s"'],
		['a backslash before an apostrophe', "echo 'a\\'"],
		['a dash before a path', 'echo - a/b'],
		['an option before a path', 'gcc -c a/b'],
	])('but not %s: %j', (_, command) => {
		expect(findGuarded(command)).toEqual([]);
	});
});

describe('an approval asks', () => {
	test.each([
		['an option with a path', 'gcc -I"a b*c"', 'gcc -I"a b/c"'],
		['a slash after a quotation mark, which can begin a path', 'ls *', 'ls x"/"y'],
		['the home folder, which a wildcard cannot lead to', '**', 'cd'],
		['an option before the first letter', '*.ts', '-x.ts'],
		['an operator', '?', ';'],
		['the rest of an operator', 'npm test &*', 'npm test &&rm'],
		['an assignment', 'ls*', 'ls=x'],
	])('about %s: %j, %j', (_, pattern, command) => {
		expect(verdict(pattern, command).decision).toBe('ask');
	});

	test.each([
		['cd *', 'cd -', 'a home folder'],
		['vim *', 'vim +e/etc/x', 'an absolute path'],
		['cat *', 'cat -f/etc/x', 'an absolute path'],
		['npm *', 'npm $X; ls *.ts', 'a second command, a redirection or a variable and a wildcard'],
		['cat ../*', 'cat ../x; rm y', 'a second command'],
	])('with the part that the wildcard in %j leaves: %j, %s', (pattern, command, what) => {
		expect(verdict(pattern, command)).toMatchObject({
			because: `it contains ${what}, which the wildcard in rule 1 doesn't cover`,
		});
	});
});

test.each([
	['an assignment after the program', 'deploy * now', 'deploy a=b now'],
	['a home folder that the rule names', 'l* && cd', 'ls && cd'],
	['a word of 2,000 letters, by ten wildcards', 'a*'.repeat(10), 'a'.repeat(2_000)],
])('an approval covers %s: %j', (_, pattern, command) => {
	expect(verdict(pattern, command).decision).toBe('approve');
});

test('only the space that a backslash escapes stays at the end of a glob', () => {
	expect(trimGlob(' rm\\    ')).toBe('rm\\ ');
	expect(trimGlob('rm\\\\   ')).toBe('rm\\\\');
});

test.each([
	['abc', 'abc'],
	['*c', 'abababc'],
	['a*b*c', 'aabbcc'],
	['?b*', 'abc'],
	['rm *', `r${UNKNOWN_PART}x`],
])('a match of %j with %j is known only within its budget', (pattern, text) => {
	const match = (budget: { left: number }) =>
		matchesGlob(parseGlob(pattern), { characters: [...text], hasUnknown: true }, budget);
	const budget = { left: 1_000 };
	expect(match(budget)).toBe(true);
	const spent = 1_000 - budget.left;
	expect(match({ left: spent })).toBe(true);
	for (let left = 0; left < spent; left++) expect(match({ left })).toBeUndefined();
});
