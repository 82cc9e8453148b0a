// The runs that are pasted into docs/benchmarks.md, and the charts that are drawn of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Table } from './benchmark.mts';
import { draw } from './chart.mts';
import { charts } from './charts.mts';
import { lines } from './print.mts';

const file = new URL('../docs/benchmarks.md', import.meta.url);
const images = new URL('../docs/images/benchmarks/', import.meta.url);
const SCHEMES = [
	['light', ''],
	['dark', '-dark'],
] as const;

export const readDocument = (): string => readFileSync(file, 'utf8');

/** The table in a benchmark's section of the document. Its expectations are not read. */
export function pastedTable(document: string, name: string): Table {
	const [head, rule, ...rest] = runWithin(document, name).split('\n');
	// Columns are as wide as the rule below their heads is long.
	const ends = [...rule.matchAll(/-+/g)].map(({ index, 0: dashes }) => [
		index,
		index + dashes.length,
	]);
	const cells = (line: string) => ends.map(([from, to]) => line.slice(from, to).trim());
	const end = rest.indexOf('');
	const rows = rest.slice(0, end < 0 ? undefined : end).map(cells);
	return { columns: cells(head), rows, expectations: [] };
}

/** The document with a new run in the benchmark's section. What was expected is not pasted: a run that is not as expected never is. */
export function pasteRun(
	document: string,
	name: string,
	table: Table,
	versions: { node: string; core: string },
): string {
	const run = lines({ ...table, expectations: [] })
		.join('\n')
		.trimEnd();
	const section = getSection(document, name);
	return document.replace(section, () =>
		section
			.replace(runWithin(document, name), () => stripVTControlCharacters(run))
			.replace(/Node [\d.]+, n8n \d+\.\d+\.\d+/, `Node ${versions.node}, n8n ${versions.core}`),
	);
}

/** Writes the document with the new run in it. */
export function saveRun(
	name: string,
	table: Table,
	versions: { node: string; core: string },
): void {
	writeFileSync(file, pasteRun(readDocument(), name, table, versions));
}

/** Draws the chart of the run in the document, light and dark. Returns the contents of the files by their names. */
export async function getCharts(name: string, document: string): Promise<Record<string, string>> {
	const chart = charts[name];
	if (!chart) throw new Error(`bench/charts.mts has no chart of "${name}".`);
	const table = pastedTable(document, name);
	const drawn = SCHEMES.map(async ([scheme, suffix]) => [
		`${name}${suffix}.svg`,
		await draw(chart, table, scheme),
	]);
	return Object.fromEntries(await Promise.all(drawn)) as Record<string, string>;
}

export async function saveCharts(name: string): Promise<void> {
	mkdirSync(images, { recursive: true });
	for (const [image, svg] of Object.entries(await getCharts(name, readDocument())))
		writeFileSync(new URL(image, images), svg);
}

function getSection(document: string, name: string): string {
	const section = document.split(/^(?=## )/m).find((one) => one.startsWith(`## ${name}\n`));
	if (section === undefined) throw new Error(`docs/benchmarks.md has no section "${name}".`);
	return section;
}

function runWithin(document: string, name: string): string {
	const [, run] = /^```text\n(.*?)\n```$/ms.exec(getSection(document, name)) ?? [];
	if (run === undefined) throw new Error(`The section "${name}" of docs/benchmarks.md has no run.`);
	return run;
}
