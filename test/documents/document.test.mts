// Every row of the API document has an operation of ours and a test that shows it.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { documentRows } from './document.mts';

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
