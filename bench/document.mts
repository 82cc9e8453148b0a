// The runs that are pasted into docs/benchmarks.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Table } from './benchmark.mts';
import { lines } from './print.mts';

const file = new URL('../docs/benchmarks.md', import.meta.url);

/** The document with a new run in the benchmark's section. What was expected is not pasted: a run that is not as expected never is. */
function pasteRun(
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
	writeFileSync(file, pasteRun(readFileSync(file, 'utf8'), name, table, versions));
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
