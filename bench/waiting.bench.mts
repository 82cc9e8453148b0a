// Many sessions in one execution: whether they wait side by side as they should, and what the waiting takes.
import { fileURLToPath } from 'node:url';
import { startGuarded } from '../n8n-host/guarded.mts';
import { decimals, type Table } from './benchmark.mts';
import { longestWait } from './pollPlan.mts';
import type { SessionRecord } from './sessionCourse.mts';
import { onStage, type Stage } from './stage.mts';
import { median } from './statistics.mts';
import type { Memory, Waited, Waiting } from './waitingRun.mts';

export const name = 'waiting';
export const about =
	'200 sessions of 30 s in one execution, 50 at a time: how long it takes, and the memory that each takes while it waits';

const SESSIONS = 200;
const CONCURRENCY = 50;
/** Service seconds per second, so that it takes a minute and a half; the node polls as in life */
const SPEED = 2;
/** In the first 50 sessions, all of which have been polled by then and none of which has ended */
const LOOKS = [7000, 8000, 9000, 10_000, 11_000, 12_000, 13_000];
/** The largest that a waiting session should take: a program that holds 1,000 of them takes less than 100 MiB for it. */
const KIB_AT_MOST = 100;

const program = fileURLToPath(new URL('./waitingRun.mts', import.meta.url));
const numbered = (count: number, what: string, script: string) =>
	Array.from({ length: count }, (_, index) => `${what} ${index}. ${script}`);

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		log(
			`${CONCURRENCY} short sessions that do not count, then ${SESSIONS}, ${CONCURRENCY} at a time, twice as fast as in life: a minute and a half`,
		);
		await stage.service.control.setSpeed(SPEED);
		const prompts = numbered(SESSIONS, 'Session', '[work 30s] [say Done]');
		const waited = await wait(stage, prompts);
		const [sessions, requests] = await Promise.all([
			stage.service.sessions() as Promise<SessionRecord[]>,
			stage.service.requests(),
		]);
		const ours = sessions.filter(({ prompt }) => prompts.includes(prompt));
		const ids = new Set(ours.map(({ sessionId }) => sessionId));
		const sent = requests.filter(
			({ path, answer }) => ids.has(answer?.sessionId) || [...ids].some((id) => path.includes(id)),
		).length;
		return makeTable(waited, ours, sent);
	});
}

async function wait({ credentials, projectId }: Stage, prompts: string[]): Promise<Waited> {
	const warmUp = numbered(CONCURRENCY, 'Warm up', '[work 1s] [say Done]');
	const wanted: Waiting = {
		credentials,
		projectId,
		prompts,
		warmUp,
		concurrency: CONCURRENCY,
		looks: LOOKS,
	};
	let answer: string | undefined;
	const child = startGuarded(process.execPath, ['--expose-gc', program, JSON.stringify(wanted)], {
		onLine: (line) => line.startsWith('{"sessionIds"') && (answer = line),
	});
	const code = await child.exited;
	if (code !== 0 || answer === undefined) throw new Error(`The execution failed:\n${child.tail()}`);
	return JSON.parse(answer) as Waited;
}

const getLength = ({ startedAt, finishedAt }: SessionRecord) =>
	Date.parse(finishedAt) - Date.parse(startedAt);

/** Returns the number of running sessions at a moment */
const waitingAt = (sessions: SessionRecord[], at: number) =>
	sessions.filter(
		({ startedAt, finishedAt }) => Date.parse(startedAt) <= at && Date.parse(finishedAt) > at,
	).length;

/** The least that they take, 50 at a time, for someone who sees the end of each at once: as many rounds of the mean session */
const countLeast = (sessions: SessionRecord[]) =>
	sessions.reduce((total, session) => total + getLength(session), 0) / CONCURRENCY;

function makeTable(
	{ sessionIds, startedAt, endedAt, before, during }: Waited,
	sessions: SessionRecord[],
	sent: number,
): Table {
	const least = countLeast(sessions);
	const took = endedAt - startedAt;
	// Each session's end is seen one interval later at the latest, and only then the next one is started.
	const longest = Math.max(...sessions.map(getLength)) + longestWait(0);
	const full = during.filter(({ at }) => waitingAt(sessions, at) === CONCURRENCY);
	if (full.length === 0)
		throw new Error('At no look at the memory were all sessions of a round waiting.');
	const each = (figure: (memory: Memory) => number) =>
		median(full.map((memory) => (figure(memory) - figure(before)) / CONCURRENCY / 1024));
	const [heap, rss] = [each((memory) => memory.heap), each((memory) => memory.rss)];
	const missing = sessions.filter(({ sessionId }) => !sessionIds.includes(sessionId)).length;
	return {
		columns: [
			'200 sessions, 50 at a time',
			'least s',
			'took s',
			'took / least',
			'requests each',
			'heap KiB each',
			'RSS KiB each',
			'looks',
		],
		rows: [
			[
				'node',
				decimals(least / 1000),
				decimals(took / 1000),
				decimals(took / least),
				decimals(sent / SESSIONS),
				decimals(heap),
				decimals(rss),
				String(full.length),
			],
		],
		expectations: [
			{
				what: 'sessions started beyond those ordered',
				measured: sessions.length - SESSIONS,
				atMost: 0,
			},
			{
				what: 'sessions whose result is missing',
				measured: missing + SESSIONS - new Set(sessionIds).size,
				atMost: 0,
			},
			{
				what: 'took / least possible',
				measured: took / least,
				atMost: (longest * (SESSIONS / CONCURRENCY)) / least,
			},
			{
				what: 'KiB of heap in use for each waiting session, median of the looks',
				measured: heap,
				atMost: KIB_AT_MOST,
			},
		],
	};
}
