// Measures shared-key in n8n's queue mode: two workers with one key, each with its own rate limiter.
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, listExecutions, readExecution } from '../n8n-host/executions.mts';
import type { QueueHost } from '../n8n-host/queue.mts';
import { onSeveralMachines, setStage, type Stage, importCredential } from '../tools/demoStage.mts';
import { decimals, type Table } from './benchmark.mts';
import { callWebhook, workflowFile } from './n8nStage.mts';
import { getRequests } from './pollRecord.mts';

export const name = 'two-workers';
export const about =
	"100 sessions of 20 s on two workers of n8n's queue mode with one key, against a service that allows 10 requests a second";

const SESSIONS = 100;
const LIMIT = { perSecond: 10, burst: 10 };
const STARTS_PER_SECOND = 25;
const getPrompt = (index: number) => `Order ${index}. [work 20s] [say Done]`;

/** Figures of one worker, or both */
interface Outcome {
	by: string;
	sessions: number;
	requests: number;
	refused: number;
	/** The most refusals that the requests of one session met, its start included */
	mostRefusals: number;
	/** From the first request of all to the last result */
	seconds: number;
	completed: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	const start = onSeveralMachines({ concurrency: SESSIONS });
	const stage = await setStage(log, { build: false, start });
	try {
		return makeTable(await measure(stage, log));
	} finally {
		await stage.close();
	}
}

async function measure(stage: Stage<QueueHost>, log: (line: string) => void): Promise<Outcome[]> {
	const { service, host } = stage;
	const key = await service.control.createKey({ name });
	await importCredential(host, { baseUrl: service.baseUrl, key }, 'Workspace Automation');
	const workflowId = await host.importWorkflow(workflowFile('byNode', {}));
	await host.activate(workflowId);
	const { projects } = await service.control.seed();
	await service.control.setRateLimit(LIMIT);

	log(`${SESSIONS} executions, ${STARTS_PER_SECOND} a second: about a minute`);
	const url = `${host.url}/webhook/by-node`;
	const order = async (index: number) =>
		await callWebhook(url, { projectId: projects[0].id, prompt: getPrompt(index) });
	await order(0);
	const others = Array.from({ length: SESSIONS - 1 }, async (_, index) => {
		await sleep((index * 1000) / STARTS_PER_SECOND);
		await order(index + 1);
	});
	await Promise.all(others);
	for (const end = Date.now() + 300_000; Date.now() < end; await sleep(1000)) {
		const listed = await listExecutions(host.rest, workflowId);
		if (listed.length === SESSIONS && listed.every(hasEnded)) break;
	}
	return await getOutcomes(stage, workflowId);
}

async function getOutcomes(
	{ service, host }: Stage<QueueHost>,
	workflowId: string,
): Promise<Outcome[]> {
	const requests = (await service.requests()).filter((request) => request.key === name);
	const begin = Date.parse(requests[0].at);
	const listed = await listExecutions(host.rest, workflowId);
	const executions = await Promise.all(
		listed.map(async ({ id }) => {
			const execution = await readExecution(host.rest, id);
			// n8n says when a node began, too, which its type here leaves out.
			const result = execution.runData.Result?.at(-1) as unknown as
				{ startTime: number } | undefined;
			const { error, status } = execution;
			if (status !== 'success')
				throw new Error(`Execution ${id}: ${status} ${error?.message ?? ''}`);
			const [{ body }] = execution.items('Order');
			const [session] = execution.items('Result');
			const own = [
				...requests.filter((request) => request.body?.prompt === body.prompt),
				...getRequests(session?.sessionId ?? 'none', requests).filter(
					({ body: sent }) => !sent?.prompt,
				),
			];
			return { id, own, endedAt: result?.startTime, isCompleted: session?.status === 'completed' };
		}),
	);
	const getOutcome = (by: string, ids: readonly string[]): Outcome => {
		const its = executions.filter(({ id }) => ids.includes(id));
		const refusals = its.map(({ own }) => own.filter(({ status }) => status === 429).length);
		return {
			by,
			sessions: its.length,
			requests: its.reduce((total, { own }) => total + own.length, 0),
			refused: refusals.reduce((total, count) => total + count, 0),
			mostRefusals: Math.max(0, ...refusals),
			seconds: (Math.max(...its.map(({ endedAt }) => endedAt ?? 0)) - begin) / 1000,
			completed: its.filter(({ isCompleted }) => isCompleted).length,
		};
	};
	return [
		...host.workers.map((worker, index) => getOutcome(`worker ${index + 1}`, worker.executions)),
		getOutcome(
			'both',
			listed.map(({ id }) => id),
		),
	];
}

function makeTable(outcomes: Outcome[]): Table {
	const both = outcomes.at(-1)!;
	const countLeast = ({ requests, refused }: Outcome) =>
		(requests - refused - LIMIT.burst) / LIMIT.perSecond;
	return {
		columns: [
			'sessions of 20 s, on',
			'sessions',
			'requests',
			'refused',
			'refused %',
			'most refusals',
			'least s',
			'took s',
			'took / least',
		],
		rows: outcomes.map((outcome) => [
			outcome.by,
			...[outcome.sessions, outcome.requests, outcome.refused].map(String),
			decimals((100 * outcome.refused) / outcome.requests),
			String(outcome.mostRefusals),
			outcome === both ? decimals(countLeast(both)) : '-',
			decimals(outcome.seconds),
			outcome === both ? decimals(both.seconds / countLeast(both)) : '-',
		]),
		expectations: [
			{ what: 'requests refused / requests', measured: both.refused / both.requests, atMost: 0.05 },
			{ what: 'most refusals for one session', measured: both.mostRefusals, atMost: 3 },
			{
				what: 'seconds / least for as many requests',
				measured: both.seconds / countLeast(both),
				atMost: 1.5,
			},
			{ what: 'results missing', measured: SESSIONS - both.completed, atMost: 0 },
		],
	};
}
