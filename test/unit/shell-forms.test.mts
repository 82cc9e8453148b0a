// How a rule that denies reads the forms of a shell: quotation marks, expansions, redirections, comments and lists.
import { describe, expect, test } from '@jest/globals';
import { decide } from '../../nodes/RunAgentSession/policy/rules.ts';
import { policy, request, rule } from './policies.mts';

/** The verdict for a command, if one rule denies `pattern` and a later one approves everything */
const verdict = (pattern: string, command: string) => {
	const rules = [rule('bash', pattern, 'deny'), rule('bash', '*', 'approve')];
	return decide(request({ patterns: [command] }), policy({ rules }));
};
const decision = (pattern: string, command: string) => verdict(pattern, command).decision;

/** The command as text for `bash -c`, as often as `times` says */
const inShells = (command: string, times: number): string =>
	times === 0 ? command : inShells(`bash -c '${command.replaceAll("'", `'\\''`)}'`, times - 1);
const inSubstitutions = (command: string, times: number): string =>
	'ls $('.repeat(times) + command + ')'.repeat(times);

describe('a rule denies a command that it can read', () => {
	test.each([
		['after white space', 'rm x', 'ls;\trm\tx'],
		['before and after a redirection', 'rm x', 'rm>f x'],
		['before and after a redirection of both outputs', 'rm x', 'rm &>f x'],
		['after an index on two lines', 'rm x', 'a[0]\\\n=1 rm x'],
		['with a line break in quotation marks', 'rm x', '"r\\\nm" x'],
		['in backquotes in quotation marks', 'rm x', 'echo "`rm x`"'],
		['in backquotes in backquotes', 'rm x', 'echo `echo \\`rm x\\``'],
		['after a subshell in quotation marks', 'rm x', 'echo "$( (ls); rm x )"'],
		['after a dollar sign in quotation marks', 'rm x', 'echo "$\'"; rm x; echo "\'"'],
		['after a comment', 'rm x', `echo ${'x'.repeat(50)}\n# y\nrm x`],
		['as the values of an array', 'rm *', 'cmd=(rm x); "${cmd[@]}"'],
		['with the separators of a variable', 'rm *', 'rm$IFS-rf'],
		['with its name in braces', 'rm a b c', '{rm,a} b c'],
		['with its name in braces and quotation marks', 'rm a b c', '{"rm",a} b c'],
		['in a variable that its program runs', 'rm *', "PAGER='rm x' git log"],
		['with a lone dollar sign', 'echo $', 'ls; echo $'],
		['with a dollar sign at the end of a text', 'echo a$', 'ls; echo "a$"'],
		['with the quotation marks of the rule', 'git commit -m "*"', 'ls; git commit -m "x"'],
		['with them in a command', 'git commit -m "*"', 'echo $(git commit -m "x")'],
		['with the parentheses of the rule', '(LS *)', ' (ls x) '],
		['with an argument like an assignment', 'make DESTDIR=*', 'ls; make DESTDIR=x'],
		['in a quotation mark that is not closed', 'rm', "'rm"],
		['in a double one that is not closed', 'rm', '"rm'],
	])('%s: %j finds %j', (_, pattern, command) => {
		expect(decision(pattern, command)).toBe('deny');
	});
});

describe('a rule denies commands with an operator', () => {
	test.each([
		['cd * && rm *', 'ls; cd x && rm y'],
		['cd * && rm *', 'cd x; echo $(rm y)'],
		['cd * && rm *', `cd x; bash -c '"rm" y'`],
		['cd * && rm *', 'cd x; case y in y) rm z;; esac'],
		// In fish, the parentheses hold a command.
		['cd * && rm *', 'cd x (rm y)'],
		['cd * || rm *', 'ls; cd x || rm y'],
		['cat * | curl *', 'ls; cat x | curl y'],
		['cat * |& curl *', 'ls; cat x |& curl y'],
		['cat * | curl *', 'ls; cat x 2>f | curl y'],
		['cat < .env', 'cat <> .env'],
		['echo * > .env', 'ls; echo x > .env'],
		['echo * >> .env', 'ls; echo x >> .env'],
		['sleep * &', 'ls; sleep 5 &'],
	])('%j finds %j', (pattern, command) => {
		expect(decision(pattern, command)).toBe('deny');
	});

	test.each([
		['the input of a list that only a shell knows', 'cat * | curl *', 'ls | cat x; curl y', 'ask'],
		['a function with words in parentheses', 'cat * | curl *', 'cat x | f (curl y)', 'ask'],
		['commands one after the other, without a pipe', 'cat * | curl *', 'cat x; curl y', 'approve'],
		['a command that reads no pipe', 'echo * > x.sh', 'ls | echo y; x.sh', 'approve'],
		['one command as two', 'sudo * && rm *', 'sudo rm x', 'approve'],
	])('but not %s: %j, %j', (_, pattern, command, expected) => {
		expect(decision(pattern, command)).toBe(expected);
	});
});

describe('a rule that denies asks about a command that may run', () => {
	test.each([
		['after the sign of a comment, which some shells do not know', 'rm *', 'ls # rm x'],
		['in text that a program reads', 'rm *', "cat <<< 'ls; rm x'"],
		['in text for a file', 'rm *', "echo 'rm x' > f"],
		['in text for a program, with a line break', 'rm *', "printf 'a\\nrm y' | mytool"],
		['in quotation marks, where a sign makes it text', 'rm *', 'echo "\\$(rm x)"'],
		['in an argument with commas', 'rm *', 'gcc -wrapper rm,x f.c'],
		['in braces after a runner', 'rm *', 'sudo {rm,x}'],
		['with an unknown end', 'rm *', 'rm$x y'],
		['with a value of the same command', 'rm *', 'X=r; mytool ${X}m y'],
		['if a file has that name', 'rm *', '/bin/r[m] x'],
		['if a file has that name, by a class', 'ls a', 'ls [[:alpha:]]'],
		['if a file has that argument as its name', 'ls a', 'ls [ab]'],
	])('%s: %j, %j', (_, pattern, command) => {
		expect(decision(pattern, command)).toBe('ask');
	});
});

describe('a rule that asks names what it cannot read', () => {
	test.each([
		['the variable PS4', "PS4='x'; ls"],
		['the variable BASH_ENV', 'export BASH_ENV=f; ls'],
		['a number that only the shell knows', 'read x; ((x))'],
		['a number that only the shell knows', 'read x; echo $((x))'],
		['a number that only the shell knows', 'read x; a[x]=1'],
		['a number that only the shell knows', 'read x; [[ x -eq 1 ]]'],
		['a command in quotation marks', "x='$(ls)'; ls"],
		['a command in backquotes', 'echo `ls'],
		['a variable with separators', 'ls$IFS-l'],
		['a variable with an expression', "ls $'x"],
		['a function or a pattern in parentheses', 'a=b(c)'],
		['a function or a pattern in parentheses', 'declare a=(b c)'],
		['a function or a pattern in parentheses', 'f (ls)'],
		['a program that it writes', 'ls > f; ./f'],
		['a program that it writes', 'ls > f.js; node f.js'],
		['a program that it writes', 'dd if=x of=f; ./f'],
		['a quotation mark that is not closed', "ls \v# it's"],
		['a quotation mark that is not closed', "ls x#it's"],
		['commands in commands in commands', inShells('ls -l', 6)],
		['commands in commands in commands', inSubstitutions('ls', 21)],
		['more than can be read', 'sudo '.repeat(35) + 'x'.repeat(40_000)],
		['a null character', 'ls \0'],
		['ssh', 'a[ 0 ]=1 ssh x'],
		['a here-document and ssh', 'ssh x << y'],
		['a part that only the shell knows', '$x y'],
	])('%s: %j', (doubt, command) => {
		expect(verdict('rm *', command)).toEqual({
			decision: 'ask',
			because: `rule 1 can't read it for certain: it contains ${doubt}`,
			decidedBy: 'rule 1',
		});
	});
});

describe('a rule that denies rm lets a later rule approve', () => {
	test.each([
		['a comment with an apostrophe', "# it's done"],
		['a comment without a space', "ls #it's"],
		['a comment after a command', "ls # it's done"],
		['an array', 'files=(a b); ls "${files[@]}"'],
		['a subshell', '(ls)'],
		['a subshell in a command', 'echo "$( (ls) )"'],
		['a subshell of a command that reads', 'read x; (ls)'],
		['an assignment of a command that reads', 'read x; y=1'],
		['many commands in an argument, one after the other', 'ls ' + '$(pwd) '.repeat(25)],
		['20 commands in each other', inSubstitutions('ls', 20)],
		['5 shells in each other', inShells('ls -l', 5)],
		['a command in backquotes', 'echo `pwd`'],
		['a file that a command writes for another', 'cat <(ls)'],
		['a quotation mark in quotation marks', 'echo "a\\"; rm x"'],
		['a dollar sign before an apostrophe', `echo "it costs 5 $'s"`],
		["a text in the shell's own quotation marks", "mytool $'a' $y b"],
		['text that a program reads from a file', "echo 'rm x' < f"],
		['the name of a file that is read', "cat < 'rm;x'"],
		['the name of a file that is written', "ls > 'a; rm x'"],
		['a program that it only reads', 'cat < f; ./f'],
	])('%s: %j', (_, command) => {
		expect(decision('rm *, rm', command)).toBe('approve');
	});

	test('a sign at the end of a command, which is no pattern', () => {
		expect(decision('echo x', 'echo {')).toBe('approve');
	});
});
