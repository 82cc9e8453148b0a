// npm run worlds -- --seeds 1-300 [--on 1.123]   runs generated worlds, and counts violations by kind
// npm run worlds -- --night [--on 1.123]         runs thousands of new ones
// npm run worlds -- --seed 7                     prints the log of one
// npm run worlds -- --shrink 7                   makes it smaller, and prints it as a row of the table
// npm run worlds -- --planted                    looks for the planted faults
// npm run worlds -- --table                      runs the rows of the table
import { parseArgs } from 'node:util';
import { build } from '../../tools/build.mts';
import { ensureHost } from '../../n8n-host/install.mts';
import { hostVersions, type HostVersion } from '../../n8n-host/versions.mts';
import { startPool } from './pool.mts';
import { FAULTS } from './faults.mts';
import { findFault } from './planted.mts';
import { shrink } from './shrink.mts';
import { TABLE } from './table.mts';
import { generate } from './world.mts';

const { values } = parseArgs({
	options: {
		seeds: { type: 'string', default: '1-300' },
		seed: { type: 'string' },
		shrink: { type: 'string' },
		kind: { type: 'string' },
		night: { type: 'boolean' },
		table: { type: 'boolean' },
		planted: { type: 'boolean' },
		on: { type: 'string', multiple: true },
	},
});

const NIGHT = 5_000;
const versions = (values.on ?? hostVersions) as HostVersion[];
await build();
for (const version of versions)
	if (version !== '2.41') await ensureHost({ log: console.error, version });

function chooseSeeds(): number[] {
	const first = Date.now() % 1_000_000_000;
	const [from, to = from] = values.night
		? [first, first + NIGHT - 1]
		: (values.seed ?? values.seeds).split('-').map(Number);
	console.log(`seeds ${from}-${to}`);
	return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

async function runSeeds(version: HostVersion, seeds: number[]): Promise<number> {
	const pool = startPool(version);
	const kinds = new Map<string, number[]>();
	const began = Date.now();
	let fallen = 0;
	await Promise.all(
		seeds.map(async (seed) => {
			const { violations, log } = await pool.run(generate(seed));
			if (seeds.length === 1) console.log(JSON.stringify(generate(seed)), log.join('\n'));
			if (violations.length > 0) fallen++;
			for (const { kind, circumstance, about, at } of violations) {
				kinds.set(kind, [...(kinds.get(kind) ?? []), seed]);
				console.log(
					`${version} ${seed}: ${kind} (${circumstance}), ${about} at ${at.toFixed(0)} s`,
				);
			}
		}),
	);
	pool.end();
	const seconds = (Date.now() - began) / 1_000;
	console.log(`\n${version}: ${fallen} of ${seeds.length} worlds fall, in ${seconds.toFixed(0)} s`);
	for (const [kind, found] of [...kinds].sort(([, one], [, other]) => other.length - one.length))
		console.log(
			`${((found.length * 100) / seeds.length).toFixed(1).padStart(6)} per 100  ${kind} (seeds ${found
				.sort((a, b) => a - b)
				.slice(0, 6)
				.join(', ')})`,
		);
	return fallen;
}

/** Prints the smallest worlds with the violations of these seeds, as rows of the table. */
async function shrinkSeeds(version: HostVersion, text: string): Promise<void> {
	const pool = startPool(version);
	await Promise.all(
		text.split(',').map(async (seed) => {
			const world = generate(Number(seed));
			const { violations } = await pool.run(world);
			for (const { kind } of violations) {
				if (values.kind !== undefined && values.kind !== kind) continue;
				const smallest = await shrink(world, kind, pool.run);
				console.log(
					`\t{ kind: ${JSON.stringify(kind)}, on: '${version}', world: ${JSON.stringify(smallest)} },`,
				);
			}
		}),
	);
	pool.end();
}

if (values.shrink !== undefined) {
	for (const version of versions) await shrinkSeeds(version, values.shrink);
	process.exit();
}

/** Prints what each row of the table violates. Returns the number of rows that fall. */
async function runTable(version: HostVersion): Promise<number> {
	const pool = startPool(version);
	const fallen = await Promise.all(
		TABLE.map(async (row) => {
			const { violations } = await pool.run({ seed: 1, ...row.world });
			const kinds = violations.map(({ kind }) => kind).join(', ');
			console.log(`${version} ${row.rule}: ${kinds || 'holds'}`);
			return kinds === '' ? 0 : 1;
		}),
	);
	pool.end();
	return fallen.reduce<number>((sum, each) => sum + each, 0);
}

if (values.table) {
	let fallen = 0;
	for (const version of versions) fallen += await runTable(version);
	process.exit(fallen > 0 ? 1 : 0);
}

if (values.planted) {
	for (const version of versions) {
		const pool = startPool(version);
		await Promise.all(
			FAULTS.map(async ({ says }, index) => {
				const began = Date.now();
				const seed = await findFault(pool, index, 60);
				const seconds = ((Date.now() - began) / 1_000).toFixed(0);
				console.log(
					`${version} ${index + 1}. ${says}: ${seed === undefined ? 'not found' : `found by seed ${seed}`} after ${seconds} s`,
				);
			}),
		);
		pool.end();
	}
	process.exit();
}

const seeds = chooseSeeds();
let fallen = 0;
for (const version of versions) fallen += await runSeeds(version, seeds);
process.exitCode = fallen > 0 ? 1 : 0;
