// How long the pages are, and what they may not say.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const countWords = (...files: string[]) =>
	files.reduce((sum, file) => sum + read(file).split(/\s+/).filter(Boolean).length, 0);
const pages = readdirSync(new URL('docs/', root))
	.filter((name) => name.endsWith('.md') && name !== 'errors.md')
	.map((name) => `docs/${name}`);

test.each([
	['README.md', 1_250, ['README.md']],
	['docs/approvals.md', 950, ['docs/approvals.md']],
	['docs without errors.md', 19_400, pages],
])('%s has at most %d words', (_, most, files) => {
	expect(countWords(...files)).toBeLessThanOrEqual(most);
});

/** Sentences that were wrong, and where n8n 1 and 2 differ */
const WRONG: Array<[text: RegExp, why: string]> = [
	[/hint that \*\*Completed\*\* isn't connected/, 'n8n has no such hint'],
	[/(?<!n8n 1 )\*\*Import from File\*\*/, 'n8n 2 has Import > From file'],
	[/select \*\*Test\*\*|^\*\*Test\*\*/im, 'n8n tests when the credential is saved'],
	[/some seconds after the agent asks/, 'it takes longer with several sessions'],
	[/leave at once\*\*, once for each request/, 'an item has several requests'],
	[/Copy `sessionId` from the execution's custom data/, 'unregistered editions show none'],
	[/the calling workflow gets all items/, 'with a run for each item, it gets one'],
	[/from the address bar/, "the API document doesn't say where the ID of a site is"],
	[/Needs Approval/, 'n8n cuts a name this long, so the output is To Approve'],
	[/A test checks each line/, 'each line has its tests'],
	[/\{\{ \$json\.question \}\}` and `\{\{ \$json\.approvalUrl/, 'message has both'],
];

test.each(WRONG)('no page says %s, because %s', (text) => {
	const all = ['README.md', 'examples/README.md', ...pages];
	expect(all.filter((page) => text.test(read(page)))).toEqual([]);
});

test('the guides that say what people send use the message', () => {
	for (const page of ['README.md', 'docs/approvals.md'])
		expect(read(page)).toContain('`{{ $json.message }}`');
});
