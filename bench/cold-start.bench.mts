// Measures n8n's work for the package at each start, beside other community packages.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment, startGuarded } from '../n8n-host/guarded.mts';
import { packedPackage } from '../tools/package.mts';
import { decimals, type Table } from './benchmark.mts';
import type { ColdStart } from './coldStartRun.mts';
import { comparedPackages } from './comparedPackages.mts';
import { median } from './statistics.mts';

export const name = 'cold-start';
export const about =
	"size of the package, and time and heap that n8n's loader takes for it, beside other community packages";

/** Rounds for each package, each in a fresh process */
const ROUNDS = 9;
const LARGEST_TARBALL_KB = 120;
const program = fileURLToPath(new URL('./coldStartRun.mts', import.meta.url));
/** Path of n8n-workflow, which packages get from n8n */
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));

interface Loaded {
	title: string;
	/** By round */
	starts: ColdStart[];
}

export async function run(log: (line: string) => void): Promise<Table> {
	const others = await comparedPackages(log);
	const packed = await packedPackage(false);
	try {
		const packages = [{ title: 'this package', folder: packed.folder }, ...others];
		const loaded: Loaded[] = packages.map(({ title }) => ({ title, starts: [] }));
		log(`${ROUNDS} rounds, in turns, after one that does not count`);
		for (let round = 0; round <= ROUNDS; round++) {
			for (const [index, { folder }] of packages.entries()) {
				const start = await loadOnce(folder);
				if (round > 0) loaded[index].starts.push(start);
			}
		}
		const [own, ...rest] = loaded;
		return makeTable(own, rest, statSync(packed.archive).size);
	} finally {
		packed.remove();
	}
}

/** Has its own process load the package. */
async function loadOnce(folder: string): Promise<ColdStart> {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-cold-start-'));
	try {
		let answer: string | undefined;
		const child = startGuarded(process.execPath, ['--expose-gc', program, folder], {
			env: {
				...nodeEnvironment(),
				NODE_PATH: modules,
				N8N_USER_FOLDER: userFolder,
				N8N_LOG_LEVEL: 'silent',
			},
			onLine: (line) => line.startsWith('{"ms"') && (answer = line),
		});
		const code = await child.exited;
		if (code !== 0 || answer === undefined)
			throw new Error(`${folder} could not be loaded:\n${child.tail()}`);
		return JSON.parse(answer) as ColdStart;
	} finally {
		rmSync(userFolder, { recursive: true, force: true });
	}
}

function makeTable(own: Loaded, others: Loaded[], tarball: number): Table {
	const middle = ({ starts }: Loaded, figure: keyof ColdStart) =>
		median(starts.map((start) => start[figure]));
	/** Ratio to the best of the others in the same round */
	const ratio = ({ starts }: Loaded, figure: keyof ColdStart) =>
		median(
			starts.map(
				(start, round) =>
					start[figure] / Math.min(...others.map((other) => other.starts[round][figure])),
			),
		);
	const row = (one: Loaded, tarballKb: string) => [
		one.title,
		tarballKb,
		String(middle(one, 'files')),
		decimals(middle(one, 'ms')),
		decimals(ratio(one, 'ms')),
		decimals(middle(one, 'heap') / 1e6),
		decimals(ratio(one, 'heap')),
	];
	return {
		columns: [
			'package',
			'tarball kB',
			'files loaded',
			'load ms',
			'load / best other',
			'heap MB',
			'heap / best other',
		],
		rows: [row(own, decimals(tarball / 1000)), ...others.map((other) => row(other, ''))],
		expectations: [
			{ what: 'kB of the tarball', measured: tarball / 1000, atMost: LARGEST_TARBALL_KB },
			{
				what: 'time to load / best of the others, median of the rounds',
				measured: ratio(own, 'ms'),
				atMost: 0.85,
			},
			{
				what: 'heap in use / best of the others, median of the rounds',
				measured: ratio(own, 'heap'),
				atMost: 0.9,
			},
		],
	};
}
