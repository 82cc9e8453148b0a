// How much longer a session with many requests takes if the execution pauses, in simulated time.
import '../n8n-host/core.mts';
import '../tools/packageSources.mts';
import type { Table } from './benchmark.mts';

export const name = 'decisions';
export const about =
	'sessions with 1 to 100 requests that rules decide, while the execution pauses and while it keeps running, in simulated time';

const COUNTS = [1, 3, 10, 100];
/** Between the requests of a session: up to a minute */
const GAPS_S = [5, 20, 45, 59];
const MAX_LONGER_S = 150;
const HOUR_MS = 3_600_000;

interface Waited {
	seconds: number;
	requests: number;
	/** Decisions that are missing or double */
	wrong: number;
}

interface Compared {
	count: number;
	gap: number;
	running: Waited;
	paused: Waited;
	/** How often n8n pauses the execution */
	pauses: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	const compared: Compared[] = [];
	for (const count of COUNTS) for (const gap of GAPS_S) compared.push(await compare(count, gap));
	log(`${compared.length} sessions, each waited for twice`);
	const longer = ({ running, paused }: Compared) => paused.seconds - running.seconds;
	const shown = compared.filter(({ gap }) => gap === GAPS_S.at(-1));
	return {
		columns: [
			'requests of the agent',
			'running s',
			'paused s',
			'longer s',
			'pauses',
			'sent running',
			'sent paused',
		],
		rows: shown.map((one) => [
			String(one.count),
			...[one.running.seconds, one.paused.seconds, longer(one)].map((figure) => figure.toFixed(0)),
			...[one.pauses, one.running.requests, one.paused.requests].map(String),
		]),
		expectations: [
			{
				what: `seconds longer while paused, ${GAPS_S.join(', ')} s between requests, worst`,
				measured: Math.max(...compared.map(longer)),
				atMost: MAX_LONGER_S,
			},
			{
				what: 'decisions missing or double',
				measured: Math.max(...compared.flatMap((one) => [one.running.wrong, one.paused.wrong])),
				atMost: 0,
			},
		],
	};
}

/** Waits for the same session in both ways. */
async function compare(count: number, gap: number): Promise<Compared> {
	// Imported here, because the hooks above have to be there first.
	const { of, simulation } = await import('../test/simulation/simulation.mts');
	const [running, paused] = [simulation(), simulation()];
	const prompt = `${`[work ${gap}s] [ask bash: x] `.repeat(count)}[work 20s] [say Done]`;
	await running.run(prompt, { maxWaitMs: 4 * HOUR_MS });
	const { wakes } = await paused.paused(prompt);
	const [ofRunning, ofPaused] = [running, paused].map(({ now, sent }) => ({
		seconds: now() / 1000,
		requests: sent.length,
		wrong: Math.abs(of(sent, 'POST', '/resolve').length - count),
	}));
	return { count, gap, running: ofRunning, paused: ofPaused, pauses: wakes - 1 };
}
