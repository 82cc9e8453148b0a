// The commands that a text may run, and what no wildcard stands for.
import { describe, expect, test } from '@jest/globals';
import { escapeGlob, matchesGlob, parseGlob } from '../../nodes/RunAgentSession/policy/patterns.ts';
import { listCommands, findGuarded } from '../../nodes/RunAgentSession/policy/shell.ts';

describe('a command is found', () => {
	test.each([
		['find . -exec rm x', 'rm x'],
		['find . -execdir rm x', 'rm x'],
		['find . -ok rm x', 'rm x'],
		['find . -okdir rm x', 'rm x'],
		['echo $(rm x)', 'rm x'],
		['echo ${rm x}', 'rm x'],
		['a; rm x', 'rm x'],
		['FOO=1 rm x', 'rm x'],
		['FOO+=1 rm x', 'rm x'],
		['/usr/bin/sudo  rm x', 'rm x'],
		['/bin/rm x', 'rm x'],
		['C:\\bin\\rm x', 'rm x'],
	])('%j: %j', (text, command) => {
		expect([...listCommands(text)]).toContain(command);
	});

	test.each([
		['--flag=1 rm x', 'rm x'],
		['echo a-exec rm x', 'rm x'],
		['echo rm x', 'rm x'],
		['echo $rm', 'rm'],
	])('but not in %j: %j', (text, command) => {
		expect([...listCommands(text)]).not.toContain(command);
	});
});

test.each([
	['; ls', 'a second command'],
	['$(ls)', 'a second command'],
	['> x', 'a redirection or a variable'],
	['# x', 'a comment'],
	['* x', 'a wildcard'],
	['../x', 'a way out of its folder'],
])('%j holds %s at its beginning', (text, what) => {
	expect(findGuarded(text)).toContain(what);
});

test('a text as a glob matches itself and nothing else', () => {
	const text = 'a*b?c,d\\e\nf';
	const glob = parseGlob(escapeGlob(text));
	const isMatch = (other: string) => matchesGlob(glob, { characters: [...other] }, { left: 1_000 });
	expect([isMatch(text), isMatch('aXbYc,d\\e\nf'), isMatch('a*b?cXd\\e\nf')]).toEqual([
		true,
		false,
		false,
	]);
	expect(escapeGlob(',')).toBe('\\,');
});

test('what is compared is counted, and nothing is said without an end', () => {
	const effort = { left: 4 };
	const glob = parseGlob('abc');
	expect(matchesGlob(glob, { characters: ['a', 'b', 'c'] }, effort)).toBe(true);
	expect(effort.left).toBe(0);
	expect(matchesGlob(glob, { characters: ['a', 'b', 'c'] }, { left: 3 })).toBeUndefined();
	expect(
		matchesGlob(parseGlob('a*'), { characters: ['a', ';'], guarded: [false, true] }, { left: 9 }),
	).toBe(false);
});
