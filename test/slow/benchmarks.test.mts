// The charts in docs/benchmarks.md show the runs beside them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Table } from '../../bench/benchmark.mts';
import { draw, type Chart } from '../../bench/chart.mts';
import { charts } from '../../bench/charts.mts';
import { getCharts, pasteRun, pastedTable, readDocument } from '../../bench/document.mts';
import { ensureParts } from '../../tools/parts.mts';

const images = new URL('../../docs/images/benchmarks/', import.meta.url);

beforeAll(async () => await ensureParts(['charts'], console.error));

const table: Table = {
	columns: ['files read by', 'requests', 'seconds'],
	rows: [
		['node', '100', '0.12'],
		['a loop <&"by hand">', '250', ''],
		['another', '7', '3.40'],
	],
	expectations: [{ what: 'files missing', measured: 0, atMost: 0 }],
};
const chart: Chart = {
	title: 'A list & its time',
	panels: { requests: 'Requests', seconds: 'Time, s' },
	shows: (row) => row !== 'another',
	isOurs: (row) => row === 'node',
};

/** The texts of a picture; fails where its elements are not closed as they were opened. */
function getTexts(svg: string): string[] {
	expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
	const open: string[] = [];
	for (const [, end, name, empty] of svg.matchAll(/<(\/?)(\w+)(?:\s[\w:-]+="[^"<]*")*(\/?)>/g)) {
		if (end) expect(open.pop()).toBe(name);
		else if (!empty) open.push(name);
	}
	expect(open).toEqual([]);
	const texts = [...svg.matchAll(/>([^<>]+)</g)].map(([, text]) => text);
	// Every angle bracket and ampersand belongs to an element or is written as an entity.
	expect(svg.match(/</g)!.length).toBe(svg.match(/<\/?\w+(?:\s[\w:-]+="[^"<]*")*\/?>/g)!.length);
	expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot);)/);
	return texts;
}

describe('a chart', () => {
	test('is SVG with only the given title, headings, rows and figures', async () => {
		expect(getTexts(await draw(chart, table, 'light')).sort()).toEqual(
			[
				'A list &amp; its time',
				'Requests',
				'Time, s',
				'node',
				'a loop &lt;&amp;"by hand"&gt;',
				'100',
				'250',
				'0.12',
			].sort(),
		);
	});

	test('has bars in proportion to their figures, and ours in a color of its own', async () => {
		const svg = await draw(chart, table, 'light');
		const bars = [...svg.matchAll(/d="M[^"h]*h([\d.]+)v16[^"]*" fill="([^"]+)"/g)];
		const [[, node, ours], [, loop, others], ...rest] = bars;
		expect(Number(node) / Number(loop)).toBeCloseTo(100 / 250, 3);
		// The loop has no seconds, and no bar for them.
		expect(rest.map(([, , color]) => color)).toEqual([ours]);
		expect(others).not.toBe(ours);
	});

	test('is equal in every drawing, and differs only in colors when it is dark', async () => {
		const [light, again, dark] = await Promise.all(
			(['light', 'light', 'dark'] as const).map(async (scheme) => await draw(chart, table, scheme)),
		);
		expect(again).toBe(light);
		expect(dark).not.toBe(light);
		const colorless = (svg: string) => svg.replaceAll(/#[\da-f]{6}/g, '#');
		expect(colorless(dark)).toBe(colorless(light));
	});

	test("of a column that the table doesn't have is an error", async () => {
		const wrong = { ...chart, panels: { minutes: 'Time' } };
		await expect(draw(wrong, table, 'light')).rejects.toThrow('no column "minutes"');
	});
});

describe('a run on the page', () => {
	const page = (run: string, version = '24.0.0, n8n 2.40.0') =>
		`## lists\n\nNode ${version}:\n\n\`\`\`text\n${run}\n\`\`\`\n\n## waiting\n\nNode 24.0.0:\n\n\`\`\`text\nof waiting\n\`\`\`\n`;
	const versions = { node: '24.21.0', core: '2.41.1' };

	test('is replaced by a newer one, only in its own section', () => {
		const once = pasteRun(
			page('read by  files\n-------  -----\n\nas expected'),
			'lists',
			table,
			versions,
		);
		expect(once).toContain('Node 24.21.0, n8n 2.41.1:');
		expect(once).not.toContain('files missing');
		expect(once).not.toContain('read by  files\n');
		expect(once.split('## waiting')[1]).toBe(page('').split('## waiting')[1]);
		expect(pasteRun(once, 'lists', table, versions)).toBe(once);
	});

	test('is read as it was written', () => {
		const pasted = pasteRun(page('a\n-\n'), 'lists', table, versions);
		expect(pastedTable(pasted, 'lists')).toEqual({ ...table, expectations: [] });
		const bare = page('a    b\n---  -\nx    1\nx y  2');
		expect(pastedTable(bare, 'lists').rows).toEqual([
			['x', '1'],
			['x y', '2'],
		]);
	});

	test('needs a section with a run in it', () => {
		expect(() => pastedTable(page(''), 'sessions')).toThrow('no section "sessions"');
		expect(() => pastedTable('## lists\n', 'lists')).toThrow(
			'"lists" of docs/benchmarks.md has no run',
		);
	});
});

const benchmarks = readdirSync(new URL('../../bench/', import.meta.url))
	.filter((file) => file.endsWith('.bench.mts'))
	.map((file) => file.replace('.bench.mts', ''))
	.sort();

// Node itself loads them, which resolves no import of another file without its ending.
test('every benchmark has a script in `npm run bench`', () => {
	const main = fileURLToPath(new URL('../../bench/main.mts', import.meta.url));
	const { stderr } = spawnSync(process.execPath, [main, 'none'], { encoding: 'utf8' });
	expect(stderr).toContain(`There is no benchmark "none". There is: ${benchmarks.join(', ')}.`);
});

describe('docs/benchmarks.md', () => {
	test.each(benchmarks)('has a run of %s', (name) =>
		expect(pastedTable(readDocument(), name).rows.length).toBeGreaterThan(0),
	);

	// If this fails, run: npm run bench -- --charts
	test('shows the charts of its runs, and no others', async () => {
		const drawn = benchmarks.map(async (name) => await getCharts(name, readDocument()));
		const expected: Record<string, string> = Object.assign({}, ...(await Promise.all(drawn)));
		expect(Object.keys(expected).length).toBe(2 * Object.keys(charts).length);
		expect(readdirSync(images).sort()).toEqual(Object.keys(expected).sort());
		const stale = Object.entries(expected)
			.filter(([file, svg]) => readFileSync(new URL(file, images), 'utf8') !== svg)
			.map(([file]) => file);
		expect(stale).toEqual([]);
		for (const file of Object.keys(expected))
			expect(readDocument()).toContain(`="images/benchmarks/${file}"`);
	});
});
