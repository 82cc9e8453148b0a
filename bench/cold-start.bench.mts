// Measures what n8n loads of the package at each start, beside other community packages.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeEnvironment } from '../n8n-host/guarded.mts';
import { packedPackage } from '../tools/package.mts';
import { ensureParts } from '../tools/parts.mts';
import { decimals, type Table } from './benchmark.mts';
import type { ColdStart } from './coldStartRun.mts';
import { measureIn } from './ownProcess.mts';
import { median } from './statistics.mts';

export const name = 'cold-start';
export const about =
	"time and heap of n8n's loader for the package, beside other community packages";

/** Each in a fresh process for each package */
const ROUNDS = 9;
const compared = join(import.meta.dirname, 'compared');
/** With n8n-workflow, which packages get from n8n */
const modules = join(import.meta.dirname, '../node_modules');

export async function run(log: (line: string) => void): Promise<Table> {
	await ensureParts(['compared'], log);
	const { dependencies } = JSON.parse(readFileSync(join(compared, 'package.json'), 'utf8')) as {
		dependencies: Record<string, string>;
	};
	const packed = await packedPackage(false);
	const packages = [
		{ title: 'this package', folder: packed.folder },
		...Object.entries(dependencies).map(([other, version]) => ({
			title: `${other} ${version}`,
			folder: join(compared, 'node_modules', other),
		})),
	];
	try {
		log(`${ROUNDS} rounds, in turns, after one that does not count`);
		const rounds: ColdStart[][] = [];
		for (let round = 0; round <= ROUNDS; round++) {
			rounds.push([]);
			for (const { folder } of packages) rounds[round].push(await loadOnce(folder));
		}
		return makeTable(
			packages.map(({ title }) => title),
			rounds.slice(1),
		);
	} finally {
		packed.remove();
	}
}

/** Has its own process load the package. */
async function loadOnce(folder: string): Promise<ColdStart> {
	const temporary = mkdtempSync(join(tmpdir(), 'cold-start-'));
	try {
		return await measureIn('coldStartRun.mts', [folder, temporary], {
			...nodeEnvironment(),
			NODE_PATH: modules,
			N8N_USER_FOLDER: temporary,
			N8N_LOG_LEVEL: 'silent',
		});
	} finally {
		rmSync(temporary, { recursive: true, force: true });
	}
}

/** @param rounds the figures of each package, by round */
function makeTable(titles: string[], rounds: ColdStart[][]): Table {
	const middle = (at: number, figure: keyof ColdStart) =>
		median(rounds.map((starts) => starts[at][figure]));
	/** Ratio to the best of the others in the same round */
	const ratio = (at: number, figure: keyof ColdStart) =>
		median(
			rounds.map(
				(starts) => starts[at][figure] / Math.min(...starts.slice(1).map((start) => start[figure])),
			),
		);
	return {
		columns: ['package', 'load ms', 'time ratio', 'heap MB', 'heap ratio'],
		rows: titles.map((title, at) => [
			title,
			decimals(middle(at, 'ms')),
			decimals(ratio(at, 'ms')),
			decimals(middle(at, 'heap') / 1e6),
			decimals(ratio(at, 'heap')),
		]),
		expectations: [
			{ what: 'time to load / best of the others', measured: ratio(0, 'ms'), atMost: 0.75 },
			{ what: 'heap in use / best of the others', measured: ratio(0, 'heap'), atMost: 0.65 },
		],
	};
}
