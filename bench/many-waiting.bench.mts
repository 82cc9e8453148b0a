// Very many sessions that wait in one execution: processor, memory, and how responsive the process stays.
import { decimals, type Table } from './benchmark.mts';
import type { ManyWaiting, Waited } from './manyWaitingRun.mts';
import { measureIn } from './ownProcess.mts';
import { onStage } from './stage.mts';

export const name = 'many-waiting';
export const about =
	'1,000 and 5,000 sessions that wait in one execution: what the waiting takes, and how late timers are meanwhile';

const COUNTS = [1_000, 5_000];
const MEASURE_MS = 30_000;

export async function run(log: (line: string) => void): Promise<Table> {
	const measured: Array<{ sessions: number } & Waited> = [];
	for (const sessions of COUNTS) {
		log(`${sessions} sessions, for ${MEASURE_MS / 1000} s once all of them wait`);
		measured.push({ sessions, ...(await measure(sessions)) });
	}
	return {
		columns: [
			'sessions',
			'requests a second',
			'processor %',
			'ours, % of it',
			'ms of it a request',
			'KiB each',
			'late ms, median',
			'late ms, 99 %',
			'longest turn ms',
			'credential reads',
		],
		rows: measured.map((each) => [
			String(each.sessions),
			decimals((1000 * each.requests) / each.tookMs),
			decimals((100 * each.cpuMs) / each.tookMs),
			decimals(100 * each.ownShare),
			decimals(each.cpuMs / each.requests),
			decimals(each.memory / 1024 / each.sessions),
			decimals(each.lateMedianMs),
			decimals(each.lateWorstMs),
			decimals(each.longestTurnMs),
			String(each.credentialReads),
		]),
		expectations: measured.flatMap(
			({ sessions, credentialReads, memory, cpuMs, tookMs, ownShare }) => [
				{ what: `${sessions}: cores in use`, measured: cpuMs / tookMs, atMost: 0.6 },
				{ what: `${sessions}: our share of it`, measured: ownShare, atMost: 0.2 },
				{ what: `${sessions}: credential reads`, measured: credentialReads, atMost: 2 },
				{
					what: `${sessions}: KiB for each session`,
					measured: memory / 1024 / sessions,
					atMost: 100,
				},
			],
		),
	};
}

async function measure(sessions: number): Promise<Waited> {
	return await onStage(async ({ credentials, projectId }) => {
		const wanted: ManyWaiting = { credentials, projectId, sessions, measureMs: MEASURE_MS };
		return await measureIn('manyWaitingRun.mts', [JSON.stringify(wanted)]);
	});
}
