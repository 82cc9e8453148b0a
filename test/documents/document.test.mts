// Every row of the API document has an operation of ours and a test that shows it. document.md is the table.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { documentRows, documentTable } from './document.mts';

const table = new URL('document.md', import.meta.url);

test('no cell is empty', () => {
	expect(documentRows.length).toBeGreaterThan(150);
	expect(documentRows.filter(({ operations, test }) => !operations?.length || !test)).toEqual([]);
});

test('each named test exists', () => {
	const named = [...new Set(documentRows.map(({ test }) => JSON.stringify(test)))];
	const missing = named
		.map((each) => JSON.parse(each) as { file: string; title: string })
		.filter(
			({ file, title }) =>
				!readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').includes(title),
		);
	expect(missing).toEqual([]);
});

test('document.md is the table of the contract', () => {
	if (process.env.WRITE_DOCUMENT === '1') writeFileSync(table, documentTable());
	expect(readFileSync(table, 'utf8')).toBe(documentTable());
});
