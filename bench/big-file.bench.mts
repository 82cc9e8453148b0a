// The memory that a file of the largest size takes, on its way up and on its way down.
import { fileURLToPath } from 'node:url';
import { startGuarded } from '../n8n-host/guarded.mts';
import { decimals, type Table } from './benchmark.mts';
import type { Transfer, Transferred } from './bigFileRun.mts';
import { onStage, type Stage } from './stage.mts';
import { median } from './statistics.mts';

export const name = 'big-file';
export const about =
	'memory that a file of 10 MiB takes, with binary data in files as an n8n server keeps it';

const MIB = 1024 * 1024;
const BYTES = 10 * MIB;
/** Each transfer in a fresh process */
const ROUNDS = 3;
const program = fileURLToPath(new URL('./bigFileRun.mts', import.meta.url));

/** Amount that the memory may grow, in sizes of the file */
const AT_MOST = {
	// The API takes a file as base64 in JSON. That is the file, and four thirds of it: the bytes that are sent. All of it is in use, so
	// there is nothing to collect.
	up: { collect: 3, leave: 3 },
	// Streamed from the service into n8n's storage: memory beyond a few chunks isn't garbage-collected yet.
	down: { collect: 0.5, leave: 3 },
};

type Direction = Transfer['direction'];
type Garbage = 'collect' | 'leave';

interface Measured extends Transferred {
	direction: Direction;
	garbage: Garbage;
}

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		log(
			`${ROUNDS} rounds of up and down, each once as it comes and once with garbage collected at once`,
		);
		const measured: Measured[] = [];
		let changed = 0;
		for (let round = 0; round < ROUNDS; round++) {
			for (const garbage of ['leave', 'collect'] as const) {
				const up = await transfer(stage, 'up', garbage);
				const down = await transfer(stage, 'down', garbage, up.fileId);
				measured.push(up, down);
				if (up.sha256 !== down.sha256) changed++;
			}
		}
		return makeTable(measured, changed);
	});
}

/** Has its own process transfer the file. */
async function transfer(
	{ credentials, projectId }: Stage,
	direction: Direction,
	garbage: Garbage,
	fileId?: string,
): Promise<Measured> {
	const wanted: Transfer = {
		direction,
		credentials,
		projectId,
		bytes: BYTES,
		fileId,
		collect: garbage === 'collect',
	};
	let answer: string | undefined;
	const child = startGuarded(process.execPath, ['--expose-gc', program, JSON.stringify(wanted)], {
		onLine: (line) => line.startsWith('{"fileId"') && (answer = line),
	});
	const code = await child.exited;
	if (code !== 0 || answer === undefined) throw new Error(`The transfer failed:\n${child.tail()}`);
	return { ...(JSON.parse(answer) as Transferred), direction, garbage };
}

function makeTable(measured: Measured[], changed: number): Table {
	const kinds = (['up', 'down'] as const).flatMap((direction) =>
		(['leave', 'collect'] as const).map((garbage) => {
			const growths = measured
				.filter((one) => one.direction === direction && one.garbage === garbage)
				.map(({ growth }) => growth);
			return {
				direction,
				garbage,
				least: Math.min(...growths),
				middle: median(growths),
				most: Math.max(...growths),
			};
		}),
	);
	const title = ({ direction, garbage }: { direction: Direction; garbage: Garbage }) =>
		`${direction}, ${garbage === 'leave' ? 'as it comes' : 'garbage collected'}`;
	return {
		columns: ['10 MiB', 'least MiB', 'median MiB', 'most MiB', 'median / file'],
		rows: kinds.map((kind) => [
			title(kind),
			...[kind.least, kind.middle, kind.most].map((growth) => decimals(growth / MIB)),
			decimals(kind.middle / BYTES),
		]),
		expectations: [
			{ what: 'files that came back other than they were sent', measured: changed, atMost: 0 },
			...kinds.map((kind) => ({
				what: `peak growth of memory / size of the file, ${title(kind)}, median of the rounds`,
				measured: kind.middle / BYTES,
				atMost: AT_MOST[kind.direction][kind.garbage],
			})),
		],
	};
}
