// The tests of one family of dialects, and its table in the documentation.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { dialectNames, dialects } from '../../../local-service/dialects/index.mts';
import { HEAD, HEAD_RIGHT, getRow, usesUnder, findProblems } from './table.mts';

const page = new URL('../../../docs/dialects.md', import.meta.url);

/** True to write the table instead of comparing it: `WRITE_DIALECTS=1 npm run test:e2e -- -i slow/dialects` */
const isWriting = process.env.WRITE_DIALECTS === '1';

/** Those that need something, and then those that are right as they are */
function getTables(rows: string[]): string {
	const asItIs = / \| nothing \| – \| – \|$/;
	const right = rows.filter((row) => asItIs.test(row)).map((row) => row.replace(asItIs, ' |'));
	const others = rows.filter((row) => !asItIs.test(row));
	return [...HEAD, ...others, '', ...HEAD_RIGHT, ...right].join('\n');
}

/** The tests of the dialects that ignore, or do not ignore, what they do not know; `title` is the heading of their table. */
export function testFamily(ignores: boolean, title: string): void {
	const names = dialectNames.filter((name) => dialects[name].ignores === ignores);
	const rows: string[] = [];

	describe('no outcome is silently wrong', () => {
		test.each(names)('%s', async (name) => {
			const uses = await usesUnder([name]);
			expect(findProblems(uses)).toEqual([]);
			rows.push(getRow(name, uses));
		});
	});

	test(`docs/dialects.md has the outcomes under "${title}"`, () => {
		const text = readFileSync(page, 'utf8');
		const [before, after = ''] = text.split(`## ${title}\n`);
		const [section] = after.split('\n## ');
		const [intro] = section.split('\n| ');
		const table = getTables(rows);
		if (isWriting)
			writeFileSync(
				page,
				`${before}## ${title}\n${intro}\n${table}\n${after.slice(section.length)}`,
			);
		else
			expect(
				section
					.split('\n')
					.filter((line) => line.startsWith('|'))
					.join('\n'),
			).toBe(table.replaceAll(/\n+/g, '\n'));
	});
}
