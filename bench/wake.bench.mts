// Measures the wakes of an execution with few and with many paused sessions, in n8n-core's engine and in simulated time.
import { decimals, type Table } from './benchmark.mts';

export const name = 'wake';
export const about =
	'the processor time of a wake for each session, with 50 and with 500 paused sessions';

const COUNTS = [50, 500];

interface Figures {
	count: number;
	wakes: number;
	completed: number;
	/** For each session in each wake */
	cpuMs: number;
}

/** Runs sessions of 25 minutes in one execution, which pauses between polls. */
async function measure(count: number): Promise<Figures> {
	const { createStage, NODE } = await import('../test/engine/flow.mts');
	const items = Array.from({ length: count }, () => ({ prompt: '[work 25m] [say Done]' }));
	const stage = createStage();
	const before = process.cpuUsage();
	const { wakes, data } = await stage.run({ items });
	const { user, system } = process.cpuUsage(before);
	const completed = data.resultData.runData[NODE].at(-1)?.data?.main[0]?.length ?? 0;
	return { count, wakes, completed, cpuMs: (user + system) / 1000 / wakes / count };
}

export async function run(log: (line: string) => void): Promise<Table> {
	await measure(COUNTS[0]); // warm-up
	const figures: Figures[] = [];
	for (const count of COUNTS) {
		log(`${count} sessions`);
		figures.push(await measure(count));
	}
	const [few, many] = figures;
	return {
		columns: ['paused sessions', 'wakes', 'processor ms of a wake for each', 'completed'],
		rows: figures.map(({ count, wakes, cpuMs, completed }) =>
			[count, wakes, decimals(cpuMs), completed].map(String),
		),
		expectations: [
			{
				what: 'time for each of 500 / for each of 50',
				measured: many.cpuMs / few.cpuMs,
				atMost: 1.5,
			},
			{ what: 'results missing', measured: many.count - many.completed, atMost: 0 },
		],
	};
}
