// docs/benchmarks.md has a run of each benchmark, and of no other.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

test('docs/benchmarks.md has a run of each benchmark', () => {
	const page = readFileSync(new URL('docs/benchmarks.md', root), 'utf8');
	const shown = [...page.matchAll(/^## (\S+)\n.*?^```text\n.+?^```$/gms)].map(([, name]) => name);
	const benchmarks = readdirSync(new URL('bench/', root))
		.filter((file) => file.endsWith('.bench.mts'))
		.map((file) => file.replace('.bench.mts', ''));
	expect(shown.sort()).toEqual(benchmarks.sort());
});
