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
const REFERENCE = ['docs/programs.md', 'docs/dialects.md', 'docs/benchmarks.md'];

test.each([
	['README.md', 1_250, ['README.md']],
	['docs/approvals.md', 950, ['docs/approvals.md']],
	['docs without errors.md', 17_500, pages],
	['docs without reference', 13_000, pages.filter((page) => !REFERENCE.includes(page))],
])('%s has at most %d words', (_, most, files) => {
	expect(countWords(...files)).toBeLessThanOrEqual(most);
});

test('the guides that say what people send use the message', () => {
	for (const page of ['README.md', 'docs/approvals.md'])
		expect(read(page)).toContain('`{{ $json.message }}`');
});
