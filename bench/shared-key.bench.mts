// Many sessions with one key against a service that allows few requests a second: what is refused, and how long it takes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedRequest } from '../tools/demoService.mts';
import { decimals, type Expectation, type Table } from './benchmark.mts';
import { run as runNode } from '../test/engine/engine.mts';
import { getRequests } from './pollRecord.mts';
import { onStage, type Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

export const name = 'shared-key';
export const about =
	'sessions of 20 s with one key, against a service that allows 10 requests a second and answers 429 with Retry-After: 1 to the others';

const LIMIT = { perSecond: 10, burst: 10 };
const SESSION_S = 20;
const PROMPT = `[work ${SESSION_S}s] [say Done]`;
/** About as fast as n8n starts executions (docs/benchmarks.md) */
const STARTS_PER_SECOND = 25;

interface Outcome {
	by: string;
	sessions: number;
	requests: number;
	refused: number;
	/** The most refusals that the requests of one session met */
	mostRefusals: number;
	/** From the first request to the last result */
	seconds: number;
	/** The time in which the limit allows as many requests as were accepted */
	least: number;
	results: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		await stage.service.control.setRateLimit(LIMIT);
		log(`100 executions, ${STARTS_PER_SECOND} a second: about 40 s`);
		const executions = await measure(stage, '100 executions', 100, async (credentials) => {
			const all = Array.from({ length: 100 }, async (_, index) => {
				await sleep((index * 1000) / STARTS_PER_SECOND);
				return await runSessions(stage, credentials, 1);
			});
			return (await Promise.all(all)).reduce((total, count) => total + count, 0);
		});
		log('300 items of one execution: about 100 s');
		const items = await measure(
			stage,
			'300 items',
			300,
			async (credentials) => await runSessions(stage, credentials, 300),
		);
		return makeTable([executions, items]);
	});
}

/** Runs sessions in one execution. Returns how many completed. */
async function runSessions(
	{ projectId }: Stage,
	credentials: Stage['credentials'],
	count: number,
): Promise<number> {
	const { outputs, error } = await runNode({
		node: 'runAgentSession',
		credentials,
		items: Array.from({ length: count }, () => ({})),
		parameters: {
			operation: 'start',
			projectId: byId(projectId),
			prompt: PROMPT,
			permissionPolicy: 'ask',
			whileWaiting: 'keepRunning',
			options: { maxConcurrentSessions: count },
		},
	});
	if (error) throw error;
	return outputs[0].length;
}

async function measure(
	{ service, credentials }: Stage,
	by: string,
	sessions: number,
	work: (credentials: Stage['credentials']) => Promise<number>,
): Promise<Outcome> {
	const key = await service.control.createKey({ name: by });
	const results = await work({ ...credentials, accessToken: key });
	const end = Date.now();
	const requests = (await service.requests()).filter((request) => request.key === by);
	const isRefused = ({ status }: ServedRequest) => status === 429;
	const started = requests.filter(
		({ path, status }) => path.endsWith('/agent/sessions') && status !== 429,
	);
	const ofEach = started.map(
		({ answer }) => getRequests(answer.sessionId, requests).filter(isRefused).length,
	);
	const begin = Date.parse(requests[0].at);
	const accepted = requests.length - requests.filter(isRefused).length;
	return {
		by,
		sessions,
		requests: requests.length,
		refused: requests.filter(isRefused).length,
		mostRefusals: Math.max(...ofEach),
		seconds: (end - begin) / 1000,
		least: (accepted - LIMIT.burst) / LIMIT.perSecond,
		results,
	};
}

function makeTable(outcomes: Outcome[]): Table {
	const [executions, items] = outcomes;
	const expectations: Expectation[] = [
		{
			what: '100 executions: requests refused / requests',
			measured: executions.refused / executions.requests,
			atMost: 0.05,
		},
		{
			what: '300 items: requests refused / requests, those before the first 429 was known included',
			measured: items.refused / items.requests,
			atMost: 0.095,
		},
		...outcomes.flatMap(({ by, mostRefusals, seconds, least, sessions, results }) => [
			{ what: `${by}: most refusals for one session`, measured: mostRefusals, atMost: 3 },
			{
				what: `${by}: seconds / least for as many requests`,
				measured: seconds / least,
				atMost: by === executions.by ? 1.1 : 1.2,
			},
			{ what: `${by}: results missing`, measured: sessions - results, atMost: 0 },
		]),
	];
	return {
		columns: [
			'sessions of 20 s, by',
			'requests',
			'refused',
			'refused %',
			'most refusals',
			'least s',
			'took s',
			'took / least',
		],
		rows: outcomes.map(({ by, requests, refused, mostRefusals, seconds, least }) => [
			by,
			String(requests),
			String(refused),
			decimals((100 * refused) / requests),
			String(mostRefusals),
			decimals(least),
			decimals(seconds),
			decimals(seconds / least),
		]),
		expectations,
	};
}
