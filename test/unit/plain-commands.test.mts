// What is read as plain words, and how.
import { describe, expect, test } from '@jest/globals';
import { readPlainCommand } from '../../nodes/RunAgentSession/policy/plainCommand.ts';

const words = (text: string) => {
	const read = readPlainCommand(text);
	return 'parts' in read ? read.parts.map((part) => part.words) : read.problem;
};

describe('a plain command', () => {
	test.each<[string, string[][]]>([
		['npm test', [['npm', 'test']]],
		['  npm \t test  ', [['npm', 'test']]],
		[
			'npm ci && npm test',
			[
				['npm', 'ci'],
				['npm', 'test'],
			],
		],
		['a&&b||c;d|e', [['a'], ['b'], ['c'], ['d'], ['e']]],
		['a\n\n b \n', [['a'], ['b']]],
		['a &&\n b', [['a'], ['b']]],
		['a;', [['a']]],
		['a;\n\n', [['a']]],
		['\n a', [['a']]],
		[
			`git log --format='%h "x"' "it's" a'b'"c"d`,
			[['git', 'log', '--format=%h "x"', "it's", 'abcd']],
		],
		[`x '' ""`, [['x', '', '']]],
		[`x 'a\nb' "c\nd"`, [['x', 'a\nb', 'c\nd']]],
		[`x 'a; b | c && $(d) \`e\` *.ts'`, [['x', 'a; b | c && $(d) `e` *.ts']]],
		[`x "a; (b) [c] {d} * ? > <"`, [['x', 'a; (b) [c] {d} * ? > <']]],
		['ls résumé 日本語 ёлка', [['ls', 'résumé', '日本語', 'ёлка']]],
		[
			'a _./:@%+,=-~^#1 HEAD~1 HEAD^ x#y @a/b',
			[['a', '_./:@%+,=-~^#1', 'HEAD~1', 'HEAD^', 'x#y', '@a/b']],
		],
		['npm test 2>&1', [['npm', 'test']]],
		['npm test # a "b" (c', [['npm', 'test']]],
		['# a\nnpm test', [['npm', 'test']]],
		['npm test; # a', [['npm', 'test']]],
		['a &&\\\nb', [['a'], ['b']]],
		['a | \\\n  b \\\n\t-c', [['a'], ['b', '-c']]],
		['a b*/c ./d? --e=*', [['a', 'b*/c', './d?', '--e=*']]],
		['CI=1 NODE_ENV="a b" a', [['a']]],
		['a "\\d\\."', [['a', '\\d\\.']]],
		['npm test >/dev/null 2>&1', [['npm', 'test']]],
		['npm test > /dev/null 2> /dev/null; ls &>/dev/null', [['npm', 'test'], ['ls']]],
		['ls>/dev/null|wc', [['ls'], ['wc']]],
	])('is %j', (text, expected) => expect(words(text)).toEqual(expected));

	test.each<[string, string]>([
		['', 'no words'],
		[' \n', 'no words'],
		['a &', '«&»'],
		['a & b', '«&»'],
		['a &&', '«&&» at its end'],
		['a | ', '«|» at its end'],
		['a;;b', '«;» without a command before it'],
		['a;;', '«;» without a command before it'],
		['; a', '«;» without a command before it'],
		['a |& b', '«&»'],
		['a\n&& b', '«&&» without a command before it'],
		['a $b', '«$»'],
		['a `b`', '«`»'],
		['a "$b"', 'a quotation mark that is not closed, or «$», «`» or «\\» in it'],
		['a "`b`"', 'a quotation mark that is not closed, or «$», «`» or «\\» in it'],
		['a "\\"', 'a quotation mark that is not closed, or «$», «`» or «\\» in it'],
		["a 'b", 'a quotation mark that is not closed'],
		["a $'b'", '«$»'],
		['a \\b', '«\\»'],
		['a \\\nb', '«\\»'],
		['a\\\n-b', '«\\»'],
		['a \\\n; b', '«\\»'],
		['a *.ts', '«*»'],
		['a ?', '«?»'],
		['a -*', '«*»'],
		['a b/.*', '«*»'],
		['a* b', '«*»'],
		['CI=1', 'an assignment'],
		['CI=$x a', 'an assignment'],
		['CI=~ a', 'an assignment'],
		['a [b]', '«[»'],
		['a {b,c}', '«{»'],
		['(a)', '«(»'],
		['a > b', '«>»'],
		['a >> b', '«>»'],
		['a < b', '«<»'],
		['a <<< b', '«<»'],
		['a <<EOF\nb\nEOF', '«<»'],
		['a 2>&1x', '«>»'],
		['a >/dev/nullx', '«>»'],
		['a >/dev/null b', 'a redirection'],
		['>/dev/null a', '«>»'],
		['a 2>&2', '«>»'],
		['# b', 'no words'],
		['=ls', '«=»'],
		['a =ls', '«=»'],
		['!rm', '«!»'],
		['a !b', '«!»'],
		['^a^b', '«^»'],
		['A=1 b', 'an assignment'],
		['A+=1', 'an assignment'],
		['if a; then b; fi', '«if» at the start of a command'],
		['a; while b', '«while» at the start of a command'],
		['function f', '«function» at the start of a command'],
		['coproc a', '«coproc» at the start of a command'],
		['not rm x', '«not» at the start of a command'],
		['- rm x', '«-» at the start of a command'],
		['a\r\nb', 'a control character'],
		['a \u0000b', 'a control character'],
		["a '\u001b'", 'a control character'],
		["a 'b\tc'", 'a quotation mark that is not closed'],
		['a\u00a0b', '«\u00a0»'],
		['a \u2028 b', 'a control character'],
		['a ‘b’', '«‘»'],
		['a \ufdd0', 'a character that is not assigned'],
	])("isn't %j, because of %s", (text, problem) => expect(words(text)).toBe(problem));

	test('keeps the text of each part', () => {
		const read = readPlainCommand(' npm  ci 2>&1 && "npm" test;');
		expect('parts' in read && read.parts.map(({ text }) => text)).toEqual([
			'npm  ci',
			'"npm" test',
		]);
	});
});
