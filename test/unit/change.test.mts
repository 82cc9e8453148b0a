// The change of an edit, under the names that agents use: its files, its lines, and their numbers.
import { describe, expect, test } from '@jest/globals';
import { applyPatch, createTwoFilesPatch, diffArrays, parsePatch } from 'diff';
import fc from 'fast-check';
import {
	readChange,
	summarizeChange,
	type FileChange,
} from '../../nodes/RunAgentSession/changes/change.ts';
import { compareLines } from '../../nodes/RunAgentSession/changes/lineDiff.ts';
import { parseDiff } from '../../nodes/RunAgentSession/changes/unifiedDiff.ts';

const PATH = 'src/a.ts';
const numbered = (count: number, name = 'line') =>
	Array.from({ length: count }, (_, at) => `${name} ${at + 1}`);

/** `-3 text` for a removed line 3, `+4`, ` 4`, and `@` for lines of the diff itself */
const show = (files: FileChange[]): string[] =>
	files.flatMap(({ lines }) =>
		lines.map((line) => `${line.sign}${line.new ?? line.old ?? ''} ${line.text}`),
	);
const read = (metadata: object) =>
	readChange({ type: 'permission', id: 'i1', permission: 'edit', metadata });
const summary = (metadata: object) => summarizeChange(read(metadata), Infinity);
/** As `summarizeChange` writes a path */
const named = (path: string) => `«${path.replaceAll('/', '∕').replaceAll('.', '․')}»`;

const GIT_DIFF = [
	'diff --git a/src/a.ts b/src/a.ts',
	'index 83db48f..bf269f4 100644',
	'--- a/src/a.ts',
	'+++ b/src/a.ts',
	'@@ -3,2 +3,3 @@ function paint() {',
	' const a = 1;',
	'-color("red");',
	'+color("blue");',
	'+// done',
].join('\n');
const GIT_LINES = [
	'@ index 83db48f..bf269f4 100644',
	'@ @@ -3,2 +3,3 @@ function paint() {',
	' 3 const a = 1;',
	'-4 color("red");',
	'+4 color("blue");',
	'+5 // done',
];

describe('every change is shown', () => {
	const removal = (line: number) => `--- a/x\n+++ b/x\n@@ -${line},1 +${line},0 @@\n-gone`;

	test('two removals of the same line at two places are two', () => {
		expect(show(read({ diff: removal(3), patch: removal(40) }))).toEqual([
			'@ @@ -3,1 +3,0 @@',
			'-3 gone',
			'@ @@',
			'@ @@ -40,1 +40,0 @@',
			'-40 gone',
		]);
	});

	test('the same removal twice in a list of edits is two, also beside a diff of one', () => {
		const edit = { oldText: 'gone\n', newText: '' };
		const lines = show(read({ path: 'x', diff: removal(3), edits: [edit, edit] }));
		expect(lines.filter((line) => line.startsWith('-'))).toEqual(['-3 gone', '- gone']);
	});
});

describe('a change is found', () => {
	test.each<[string, object, string[]]>([
		['in diff', { diff: GIT_DIFF }, GIT_LINES],
		['in the arguments of a tool', { tool: { input: { fileDiff: GIT_DIFF } } }, GIT_LINES],
		[
			'in before and after',
			{ before: 'a\nb\n', after: 'a\nc\n' },
			['@ @@ -1,2 +1,2 @@', ' 1 a', '-2 b', '+2 c'],
		],
		['in oldText and newText', { oldText: 'a', newText: 'b' }, ['- a', '+ b']],
		['in content', { filePath: PATH, content: 'a\nb' }, ['+1 a', '+2 b']],
		[
			'in a list of edits',
			{
				path: PATH,
				edits: [
					{ oldText: 'a', newText: 'b' },
					{ oldText: 'c', newText: '' },
				],
			},
			['- a', '+ b', '@ @@', '- c'],
		],
		[
			'in files by path',
			{ changes: { 'a.md': { before: null, after: 'x' }, 'b.md': { before: 'y', after: null } } },
			['@ @@ -0,0 +1,1 @@', '+1 x', '@ @@ -1,1 +0,0 @@', '-1 y'],
		],
	])('%s', (_, metadata, lines) => expect(show(read(metadata))).toEqual(lines));

	test.each<[string, unknown]>([
		['nothing', undefined],
		['a command', { permission: 'bash', patterns: ['git diff'], metadata: { command: 'x' } }],
		['content that belongs to no file', { permission: 'webfetch', metadata: { content: 'x' } }],
		['only the text before', { permission: 'edit', metadata: { before: 'a' } }],
		['the options of a request', { permission: 'edit', response: { options: [{ diff: 'x' }] } }],
	])('but not in %s', (_, request) => expect(readChange(request)).toEqual([]));

	test.each<[string, object, Array<string | undefined>]>([
		['from the diff itself', { path: 'other', diff: GIT_DIFF }, [PATH]],
		[
			'around a list, unless an entry has its own',
			{
				path: PATH,
				edits: [
					{ oldText: 'a', newText: 'b' },
					{ path: 'c', oldText: 'a', newText: 'b' },
				],
			},
			[PATH, 'c'],
		],
		['as a key', { files: { 'a.md': { oldText: 'a', newText: 'b' } } }, ['a.md']],
	])('with its path %s', (_, metadata, paths) =>
		expect(read(metadata).map(({ path }) => path)).toEqual(paths),
	);

	test('with the only pattern as its path, unless that has wildcards', () => {
		const paths = [['a.md'], ['*.md'], ['a.md', 'b.md'], [7], 'a.md'].map(
			(patterns) =>
				readChange({ permission: 'edit', patterns, metadata: { oldText: 'a', newText: 'b' } })[0]
					.path,
		);
		expect(paths).toEqual(['a.md', undefined, undefined, undefined, undefined]);
	});
});

describe('the same change counts once', () => {
	test('but not if another text hides behind a diff', () => {
		const change = read({ path: PATH, diff: GIT_DIFF, before: 'x', after: 'evil' });
		expect(show(change)).toEqual(expect.arrayContaining(['+4 color("blue");', '+1 evil']));
	});

	test.each([
		['twice in one file', PATH],
		['in two files', 'b.ts'],
	])('but not if it is made %s', (_, path) => {
		const edit = { path: PATH, oldText: 'a', newText: 'b' };
		const added = show(read({ edits: [edit, { ...edit, path }] })).filter((line) => line === '+ b');
		expect(added).toHaveLength(2);
	});
});

describe('a unified diff', () => {
	const paths = (...lines: string[]) =>
		parseDiff(lines).map(({ path, from, lines: shown }) => [
			path,
			from,
			shown.map(({ sign, text: line }) => sign + line).join('|'),
		]);

	test.each<[string, string[], unknown[]]>([
		['without prefixes', ['--- x', '+++ x', '@@ -1 +1 @@', '-a', '+b'], ['x', undefined]],
		[
			'with timestamps',
			['--- x\t2026-01-01', '+++ x\t2026-01-02', '@@ -1 +1 @@'],
			['x', undefined],
		],
		['of a new file', ['--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+b'], ['x', undefined]],
		['of a deleted file', ['--- a/x', '+++ /dev/null', '@@ -1 +0,0 @@', '-b'], ['x', undefined]],
		['with Index', ['Index: x', '======', '--- x', '+++ x', '@@ -1 +1 @@'], ['x', undefined]],
		[
			'of a renamed file',
			['diff --git a/x b/y', 'rename from x', 'rename to y', '--- a/x', '+++ b/y'],
			['y', 'x'],
		],
		['of a rename only', ['diff --git a/x b/y', 'rename from x', 'rename to y'], ['y', 'x']],
		['of a mode', ['diff --git a/x b/x', 'old mode 100644', 'new mode 100755'], ['x', undefined]],
		['as agents write it', ['*** Begin Patch', '*** Update File: x', '@@', '-a'], ['x', undefined]],
		['that moves a file', ['*** Update File: x', '*** Move to: y', '-a'], ['y', 'x']],
	])('%s names its file', (_, lines, [path, from]) => {
		expect(paths(...lines).map((file) => file.slice(0, 2))).toEqual([[path, from]]);
	});

	test.each<[string, string[], string]>([
		['a mode', ['diff --git a/x b/x', 'new mode 100755'], '@new mode 100755'],
		['a new file', ['--- /dev/null', '+++ x', '+a'], '@--- /dev/null|+a'],
		['lines without a hunk', ['-a', '+b', ' c'], '-a|+b| c'],
		['hunks without numbers', ['--- x', '+++ x', '@@ f', '-a', '+b'], '@@@ f|-a|+b'],
		[
			'a missing line end',
			['@@ -1 +1 @@', '-a', '\\ No newline'],
			'@@@ -1 +1 @@|-a|@\\ No newline',
		],
		['more lines than it says', ['@@ -1 +1 @@', '-a', '+b', '+evil'], '@@@ -1 +1 @@|-a|+b|+evil'],
		['removed dashes', ['@@ -1,2 +1 @@', '--- x', '-- y', '+z'], '@@@ -1,2 +1 @@|--- x|-- y|+z'],
		['empty lines', ['@@ -1,3 +1,2 @@', ' a', '', '-b'], '@@@ -1,3 +1,2 @@| a| |-b'],
		[
			'words before it, which are no change',
			['- note', '@@ -1 +1 @@', '-a'],
			'@- note|@@@ -1 +1 @@|-a',
		],
		[
			'the signature of a mail',
			['@@ -1 +0,0 @@', '-a', '-- ', '2.39'],
			'@@@ -1 +0,0 @@|-a|@-- |@2.39',
		],
	])('shows %s', (_, lines, shown) => expect(paths(...lines)[0][2]).toBe(shown));
});

const line = fc.constantFrom('a', 'b', 'c', '', '-- x', '++ y', '@@ z', ' d');
const lines = fc.array(line, { maxLength: 12 });

const toText = (texts: readonly string[]) => texts.map((each) => `${each}\n`).join('');
const toPatchLine = ({ sign, text }: FileChange['lines'][number]) =>
	sign === '@' ? text : sign + text;

describe('comparing two texts', () => {
	test('changes as few lines as another library, which turns one text into the other with them', () => {
		fc.assert(
			fc.property(lines, lines, (before, after) => {
				const { lines: changed, isExact } = compareLines(before, after, true);
				const removed = changed.filter(({ sign }) => sign === '-');
				const added = changed.filter(({ sign }) => sign === '+');
				expect(isExact).toBe(true);
				expect(removed.map(({ old }) => before[old! - 1])).toEqual(
					removed.map((each) => each.text),
				);
				expect(added.map((each) => after[each.new! - 1])).toEqual(added.map((each) => each.text));
				const fewest = diffArrays(before, after).filter((each) => each.added || each.removed);
				expect(removed.length + added.length).toBe(
					fewest.reduce((sum, each) => sum + each.value.length, 0),
				);
				const patch = ['--- x', '+++ x', ...changed.map(toPatchLine)];
				if (changed.length > 0)
					expect(applyPatch(toText(before), toText(patch))).toBe(toText(after));
			}),
		);
	});

	test('reads the diff of another library as it does', () => {
		fc.assert(
			fc.property(lines, lines, (before, after) => {
				const patch = createTwoFilesPatch('a/x', 'b/x', toText(before), toText(after));
				const [file] = read({ diff: patch });
				const shown = file?.lines.filter(({ sign }) => sign !== '@').map(toPatchLine) ?? [];
				const [{ hunks }] = parsePatch(patch);
				expect(shown).toEqual(hunks.flatMap((hunk) => hunk.lines));
			}),
		);
	});

	test('shows three lines around each change, and joins changes that are close', () => {
		const before = numbered(40);
		const after = before.map((each, at) => ([9, 16, 34].includes(at) ? `${each}!` : each));
		const { lines: changed } = compareLines(before, after, true);
		expect(changed.filter(({ sign }) => sign === '@').map((each) => each.text)).toEqual([
			'@@ -7,14 +7,14 @@',
			'@@ -32,7 +32,7 @@',
		]);
		expect(changed.filter(({ sign }) => sign === ' ')).toHaveLength(18);
	});

	test('shows a change in 100,000 lines, also far from another', () => {
		const before = numbered(100_000);
		const after = before.map((each, at) => ([5, 99_990].includes(at) ? 'new' : each));
		const { lines: changed, isExact } = compareLines(before, after, true);
		expect(isExact).toBe(true);
		expect(changed.filter(({ sign }) => sign === '+').map((each) => each.new)).toEqual([6, 99_991]);
	});
});

describe('counts', () => {
	test.each<[string, object, string]>([
		['of a diff', { diff: GIT_DIFF }, `${named(PATH)} (+2 −1)`],
		['of two texts', { path: PATH, before: 'a\nb', after: 'b' }, `${named(PATH)} (+0 −1)`],
		['of new content', { path: PATH, content: 'a\nb\n' }, `${named(PATH)} (new content, 2 lines)`],
		['of an edit that replaces all', { oldText: 'a', newText: 'b', replace_all: true }, 'a file'],
		['of an expected number', { oldText: 'a', newText: 'b', expected_replacements: 2 }, 'a file'],
		['of one', { oldText: 'a', newText: 'b', expected_replacements: 1 }, 'a file (+1 −1)'],
		[
			'of three files, and the number of the others',
			{ edits: numbered(5, 'f').map((path) => ({ path, oldText: 'a', newText: 'b' })) },
			'«f 1» (+1 −1), «f 2» (+1 −1), «f 3» (+1 −1), 2 more files',
		],
	])('%s', (_, metadata, words) => expect(summary(metadata)).toBe(words));
});

test('texts that differ too much are removed and added as a whole', () => {
	const mixed = (step: number) =>
		Array.from({ length: 3_000 }, (_, at) => `${(at * step) % 7}`).join('\n');
	const [file] = read({ path: PATH, oldText: mixed(1), newText: mixed(3) });
	expect(file).toMatchObject({ isCountable: false });
	expect(file.lines.filter(({ sign }) => sign === '-')).toHaveLength(2_999);
});

test('anything is read without an error', () => {
	const names = 'diff patch before after oldText new_string content path edits metadata'.split(' ');
	const change = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ depthSize: 'small', withCrossShrink: true },
			fc.string({ unit: 'binary' }),
			fc.constantFrom(GIT_DIFF, '@@ -1,9999999 +1 @@\n--- \n+++ \n@@', null, 7, '\r\n\0\u001b[31m'),
			fc.array(tie('value'), { maxLength: 4 }),
			fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
		),
	})).value;
	fc.assert(
		fc.property(change, (value) => {
			const found = readChange({ permission: 'edit', metadata: value });
			expect(summarizeChange(found, Infinity)).toEqual(expect.any(String));
		}),
	);
});
