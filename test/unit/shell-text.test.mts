// The commands that a text may run, and what only the shell knows.
import { describe, expect, test } from '@jest/globals';
import {
	escapeGlob,
	literalAfter,
	matchesGlob,
	parseGlob,
	UNKNOWN_PART,
} from '../../nodes/RunAgentSession/policy/patterns.ts';
import { readShell } from '../../nodes/RunAgentSession/policy/shell.ts';
import { guardText, findGuarded } from '../../nodes/RunAgentSession/policy/wildcards.ts';

const getForms = (text: string) => readShell(text).forms.map((form) => form.text);

describe('a command is found', () => {
	test.each([
		['find . -exec rm x', 'rm x'],
		['find . -execdir rm x', 'rm x'],
		['find . -ok rm x', 'rm x'],
		['find . -okdir rm x', 'rm x'],
		['fdfind -t f --exec-batch rm x', 'rm x'],
		['echo $(rm x)', 'rm x'],
		['echo "a $(rm x) b"', 'rm x'],
		['echo `rm x`', 'rm x'],
		['cat <(rm x)', 'rm x'],
		['a; rm x', 'rm x'],
		['a|rm x', 'rm x'],
		['(rm x)', 'rm x'],
		['FOO=1 rm x', 'rm x'],
		['FOO+=1 rm x', 'rm x'],
		[`${'A=1 '.repeat(50)}rm x`, 'rm x'],
		['A=(x y) rm x', 'rm x'],
		['A[0]=y rm x', 'rm x'],
		['>f rm x', 'rm x'],
		['2>f </dev/null rm x', 'rm x'],
		['{fd}>f rm x', 'rm x'],
		['rm x >f', 'rm x'],
		['rm 2>&1 x', 'rm x'],
		["$'rm' x", 'rm x'],
		['$"rm" x', 'rm x'],
		['r\\\nm x', 'rm x'],
		['coproc rm x', 'rm x'],
		['stdbuf -oL rm x', 'rm x'],
		["trap 'rm x' EXIT", 'rm x'],
		['eval "rm x"', 'rm x'],
		['if true; then rm x; fi', 'rm x'],
		['for i in 1; do rm x; done', 'rm x'],
		['ls # ; rm x', 'rm x'],
		['/usr/bin/sudo  rm x', 'rm x'],
		['/bin/rm x', 'rm x'],
		['C:\\bin\\rm x', 'rm x'],
		['RM x', 'rm x'],
	])('%j: %j', (text, command) => {
		expect(getForms(text)).toContain(command);
	});

	test.each([
		['git --flag=1 rm x', 'rm x'],
		['echo a-exec rm x', 'rm x'],
		['echo rm x', 'rm x'],
		["echo 'a; rm x'", 'rm x'],
		['echo "a | rm x"', 'rm x'],
		['echo a\\; rm x', 'rm x'],
		['then echo rm x', 'rm x'],
		['echo $rm', 'rm'],
	])('but not in %j: %j', (text, command) => {
		expect(getForms(text)).not.toContain(command);
	});
});

describe('only the shell knows', () => {
	test.each([
		['$x y', `${UNKNOWN_PART}y`],
		['"$@"', UNKNOWN_PART],
		['$* x', `${UNKNOWN_PART}x`],
		['r$x y', `r${UNKNOWN_PART}y`],
		["$'r\\x6d' y", `${UNKNOWN_PART}y`],
		['r* y', `r${UNKNOWN_PART}y`],
		['r[m] y', `r${UNKNOWN_PART}y`],
		['{rm,x}', UNKNOWN_PART],
		['~/rm y', `${UNKNOWN_PART}y`],
		['!x y', `${UNKNOWN_PART}y`],
		['$(x) y', `${UNKNOWN_PART}y`],
		['$((1+1)) y', `${UNKNOWN_PART}y`],
	])('the commands of %j: %j', (text, form) => {
		expect(getForms(text)).toContain(form);
	});

	test('whether the arguments of a container program are a command', () => {
		const { forms } = readShell('docker rm y');
		expect(forms.map(({ text, isCertain }) => [text, isCertain])).toEqual([
			['docker rm y', true],
			['rm y', false],
			['y', false],
		]);
	});

	test.each([
		['cat <<EOF\nx\nEOF', 'a here-document'],
		['f() { ls; }', 'a function or a pattern in parentheses'],
		['function f { ls; }', 'function'],
		['case x in x) ls;; esac', 'case'],
		['eval ls', 'eval'],
		['trap ls EXIT', 'trap'],
		['coproc ls', 'coproc'],
		['alias x=ls', 'alias'],
		['. ./x', 'source'],
		['command . ./x', 'source'],
		['source ./x', 'source'],
		['parallel ls ::: x', 'parallel'],
		['ssh host ls', 'ssh'],
		['ls | sh', 'sh without a script'],
		['bash <(ls)', 'bash without a script'],
		['ls | xargs bash -c', 'xargs with bash'],
		['xargs -I{} ls {}', 'code for xargs'],
		['env -S "ls x"', 'code for env'],
		['find . -exec {} ;', 'code for find'],
		['python3 -c x', 'code for python3'],
		['node -e x', 'code for node'],
		["awk 'BEGIN { system(x) }'", 'code for awk'],
		['git -c alias.x=!ls x', 'code for git'],
		["ls 'x", 'a quotation mark that is not closed'],
		['ls "x', 'a quotation mark that is not closed'],
		['ls $(x', 'a parenthesis that is not closed'],
		['ls ${x:-y}', 'a variable with an expression'],
		['ls ${x\\\n}', 'a variable with an expression'],
		['ls $x\\\ny', 'a variable with a line break in it'],
		["ls '$(x)'", 'a command in quotation marks'],
		['ls `x \\`y\\``', 'a command in backquotes'],
		[`sudo ${'-x '.repeat(50)}`, 'more than 40 words after sudo'],
		['$('.repeat(30), 'commands in commands in commands'],
		['$('.repeat(50_000), 'commands in commands in commands'],
	])('the commands of %s: it has %s', (text, doubt) => {
		expect([...readShell(text).doubts]).toContain(doubt);
	});

	test.each([
		'npm run build -- --watch',
		'git commit -m "fix: it\'s done"',
		'NODE_ENV=test npm test > out.txt 2>&1',
		'[ -f x ] && cat x',
		'[[ -n "$x" ]] || exit 1',
		'find . -name "*.ts" -not -path "./node_modules/*"',
		'grep -rn "a|b" src | head -20',
		'echo $HOME "$PATH"',
		'for f in src/*.ts; do wc -l "$f"; done',
		'bash scripts/build.sh',
		'sudo apt-get install -y jq',
		'env NODE_ENV=test npm test',
		'ls | xargs grep x',
		"find . -type f -exec grep -l 'a b' {} +",
		'! grep x y',
	])('nothing of %s', (text) => {
		expect([...readShell(text).doubts]).toEqual([]);
	});
});

test.each([
	['; ls', 'a second command'],
	['$(ls)', 'a second command'],
	['> x', 'a redirection or a variable'],
	['# x', 'a comment'],
	['* x', 'a wildcard'],
	['../x', 'a path out of its folder'],
	['/x', 'an absolute path'],
	['~', 'a home folder'],
	["'", "a quotation mark that isn't closed"],
])('%j contains %s at its beginning', (text, what) => {
	expect(findGuarded(text)).toContain(what);
});

test('the positions that no wildcard matches are those of the text, quoted or not', () => {
	const guarded = (text: string) => {
		const { characters, guarded: places } = guardText(text);
		return characters.map((character, at) => (places[at] ? '^' : character)).join('');
	};
	expect(guarded('👍;a')).toBe('👍^a');
	expect(guarded("a '/b' c")).toBe("a '^b' c");
	expect(guarded('-C.\\./x')).toBe('-C^\\^/x');
	expect(guarded('a/b --c=d/e')).toBe('a/b --c=d/e');
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

test.each([
	['src\\', '*', 'src\\*', 'src\\x'],
	['src\\\\', '*', 'src\\*', 'src\\x'],
	['src/', '*', 'src/*', 'src/x'],
	['\\', '\\', '\\\\', '\\x'],
	['\\', 'a?', '\\a?', '\\ab'],
])('behind %j, the value %j is literal: it matches %j and not %j', (before, value, same, other) => {
	const glob = parseGlob(before + literalAfter(before, value));
	const isMatch = (text: string) => matchesGlob(glob, { characters: [...text] }, { left: 1_000 });
	expect([isMatch(same), isMatch(other)]).toEqual([true, false]);
});

test('each comparison is counted, and the match ends when the budget is spent', () => {
	const budget = { left: 4 };
	const glob = parseGlob('abc');
	expect(matchesGlob(glob, { characters: ['a', 'b', 'c'] }, budget)).toBe(true);
	expect(budget.left).toBe(0);
	expect(matchesGlob(glob, { characters: ['a', 'b', 'c'] }, { left: 3 })).toBeUndefined();
	const canMatch = (_: number, at: number) => at !== 1;
	expect(matchesGlob(parseGlob('a*'), { characters: ['a', ';'], canMatch }, { left: 9 })).toBe(
		false,
	);
});

test('an unknown part of a text matches any text, if the match allows it', () => {
	const isMatch = (glob: string, text: string, hasUnknown = true) =>
		matchesGlob(parseGlob(glob), { characters: [...text], hasUnknown }, { left: 1_000 });
	expect(isMatch('rm *', `${UNKNOWN_PART}x`)).toBe(true);
	expect(isMatch('rm *', `r${UNKNOWN_PART}`)).toBe(true);
	expect(isMatch('rm x', `${UNKNOWN_PART}y`)).toBe(false);
	expect(isMatch('rm *', `ls ${UNKNOWN_PART}`)).toBe(false);
	expect(isMatch('*x', `a${UNKNOWN_PART}`)).toBe(true);
	expect(isMatch('rm *', `${UNKNOWN_PART}x`, false)).toBe(false);
});
