// Run Agent Session beside the workflow that people build without it, both in the real n8n.
import { setTimeout as sleep } from 'node:timers/promises';
import { readExecution } from '../n8n-host/executions.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { startLocalService, type LocalService, type ServedRequest } from '../tools/demoService.mts';
import { createDice } from '../local-service/faults.mts';
import { faultsFrom } from './faultRules.mts';
import { decimals, type Table } from './benchmark.mts';
import { callWebhook, onN8nStage, workflowFile, type N8nStage, type Writes } from './n8nStage.mts';
import { getLastInterval, getRequests } from './pollRecord.mts';
import { importCredential } from '../tools/demoStage.mts';

export const name = 'by-hand';
export const about =
	'Run Agent Session beside a loop of HTTP Request, Wait and If, both in the real n8n, in good weather and under faults';

const SESSIONS = 20;
/** Each draws other faults; the table sums up the sessions of all of them. */
const SEEDS = [20261005, 20261006, 20261007];
/** Share of the probabilities in faultRules.mts */
const FEW = 0.1;
const MANY = 1;
/** Longer than the loop waits and a node's tries take: an execution that does not send anything for so long will not any more. */
const QUIET_MS = 90_000;
/**
 * The HTTP Request node doesn't notice when a response ends in the middle; n8n gives up when nothing has come for 5 minutes. Here
 * sooner, in favor of the loop, because a benchmark cannot take that long.
 */
const BROKEN_ANSWER = { N8N_HTTP_RESPONSE_BODY_READ_TIMEOUT: '15000' };
/** The address in byHand.workflow.json, where `npm run service` listens */
const ADDRESS = 'http://127.0.0.1:4010/v1';

interface Kind {
	title: string;
	/** The file, `<name>.workflow.json` */
	file: 'byNode' | 'byHand';
	webhook: string;
}
const NODE: Kind = { title: 'node', file: 'byNode', webhook: 'by-node' };
const HAND: Kind = { title: 'by hand', file: 'byHand', webhook: 'by-hand' };

interface Trial {
	kind: Kind;
	conditions: string;
	faults?: { seed: number; share: number };
	settings?: object;
}
const CALM: Trial[] = [NODE, HAND].flatMap((kind) => [
	{ kind, conditions: 'no faults' },
	{ kind, conditions: 'no faults, progress saved', settings: { saveExecutionProgress: true } },
]);
const UNDER_FAULTS: Trial[] = [NODE, HAND].flatMap((kind) => [
	...SEEDS.map((seed) => ({ kind, conditions: 'few faults', faults: { seed, share: FEW } })),
	...SEEDS.map((seed) => ({ kind, conditions: 'many faults', faults: { seed, share: MANY } })),
]);

/** Sessions of 25 to 35 s, spread over two intervals, so that they end at every moment of one; every other one asks a permission. */
const PROMPTS = Array.from({ length: SESSIONS }, (_, index) => {
	const half = Math.round(12_500 + (index * 5000) / SESSIONS);
	const middle = index % 2 === 1 ? '[ask bash: npm run build] ' : '';
	return `Order ${index}. [work ${half}ms] ${middle}[work ${half}ms] [say Done]`;
});

export async function run(log: (line: string) => void): Promise<Table> {
	return await onN8nStage({ log, env: BROKEN_ANSWER }, async (stage) => {
		const measured: Measured[] = [];
		// Side by side, so that they have the same machine; without faults first, so that they have it for themselves.
		for (const [id, trials] of Object.entries({ calm: CALM, faults: UNDER_FAULTS })) {
			log(
				`${trials.length} times ${SESSIONS} sessions side by side: ${[...new Set(trials.map(title))].join('; ')}`,
			);
			measured.push(
				...(await Promise.all(
					trials.map(async (trial, index) => await measure(stage, trial, `${id}-${index}`)),
				)),
			);
		}
		return makeTable(measured);
	});
}

/** A session as the control API shows it; moments are ISO 8601. */
interface SessionRecord {
	sessionId: string;
	prompt: string;
	finishedAt: string;
	interactions: Array<{ resolvedAt: string }>;
}

const title = ({ kind, conditions }: Trial) => `${kind.title}, ${conditions}`;

/** An execution that has come to an end, and the order that it was for */
interface Ended {
	prompt: string;
	/** The session that it returned, and when */
	sessionId?: string;
	outputAt: number;
	/** Its error */
	failure: string;
	nodeRuns: number;
	writes: Writes;
	/** Size of its data, as n8n reports it */
	kept: number;
}

interface Measured {
	trial: Trial;
	ended: Ended[];
	sessions: SessionRecord[];
	requests: ServedRequest[];
	/** From a session's end to the output of its execution, in milliseconds, and the node's interval in force where it is known */
	delays: Array<{ delay: number; interval?: number }>;
}

/** Each with its own service: a seed draws the same faults for both workflows. */
async function measure(stage: N8nStage, trial: Trial, id: string): Promise<Measured> {
	const service = await startLocalService();
	try {
		const { projects } = await service.control.seed();
		const workflowId = await install(stage, service, trial, id);
		if (trial.faults)
			await service.control.addFaults(
				faultsFrom(createDice(trial.faults.seed), trial.faults.share),
			);
		await Promise.all(
			PROMPTS.map(
				async (prompt) =>
					await callWebhook(`${stage.host.url}/webhook/${id}`, {
						projectId: projects[0].id,
						prompt,
					}),
			),
		);
		await untilNothingMoves(stage, service, workflowId, Date.now());
		const [ended, sessions, requests] = await Promise.all([
			readEnded(stage, workflowId),
			service.sessions() as Promise<SessionRecord[]>,
			service.requests(),
		]);
		return {
			trial,
			ended,
			sessions,
			requests,
			delays: getDelays(trial, ended, sessions, requests),
		};
	} finally {
		await service.close();
	}
}

/** Imports the workflow with credentials for this very service, and makes it live. */
async function install(
	{ host }: N8nStage,
	service: LocalService,
	{ kind, settings }: Trial,
	id: string,
): Promise<string> {
	await host.importCredential({
		name: `header ${id}`,
		type: 'httpHeaderAuth',
		data: { name: 'Authorization', value: `Bearer ${service.key}` },
	});
	await importCredential(host, service, `package ${id}`);
	const replacements = {
		[ADDRESS]: service.baseUrl,
		'"API key"': `"header ${id}"`,
		'"Workspace Automation"': `"package ${id}"`,
		[`"${kind.webhook}"`]: `"${id}"`,
	};
	const file: WorkflowFile = workflowFile(kind.file, replacements);
	const workflowId = await host.importWorkflow({
		...file,
		name: id,
		settings: { ...file.settings, ...settings },
	});
	await host.activate(workflowId);
	return workflowId;
}

interface Listed {
	id: string;
	status: string;
	jsonSizeBytes: number;
}

/** The workflow's executions that have come to an end */
async function listEnded({ host }: N8nStage, workflowId: string): Promise<Listed[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results }: { results: Listed[] } = await host.rest.get(
		`/executions?filter=${filter}&limit=${2 * SESSIONS}`,
	);
	return results.filter(({ status }) => !['new', 'running', 'waiting'].includes(status));
}

const isAsking = ({ interactions }: SessionRecord) =>
	interactions.some(({ resolvedAt }) => !resolvedAt);

/**
 * Until all executions have ended, or have sent nothing for long; and until every session has ended, also those whose execution
 * has failed, or waits for an answer that will not come.
 */
async function untilNothingMoves(
	stage: N8nStage,
	service: LocalService,
	workflowId: string,
	orderedAt: number,
): Promise<void> {
	for (; ; await sleep(1000)) {
		const [ended, sessions, requests] = await Promise.all([
			listEnded(stage, workflowId),
			service.sessions() as Promise<SessionRecord[]>,
			service.requests(),
		]);
		const isQuiet =
			Date.now() - Math.max(orderedAt, ...requests.map(({ at }) => Date.parse(at))) > QUIET_MS;
		if (
			(ended.length === SESSIONS || isQuiet) &&
			sessions.every((session) => session.finishedAt || isAsking(session))
		)
			return;
	}
}

async function readEnded(stage: N8nStage, workflowId: string): Promise<Ended[]> {
	const listed = await listEnded(stage, workflowId);
	return await Promise.all(
		listed.map(async ({ id, jsonSizeBytes }) => {
			const execution = await readExecution(stage.host.rest, id);
			// n8n says when a node began, too, which its type here leaves out.
			const output = execution.runData.Result?.at(-1) as unknown as
				{ startTime: number } | undefined;
			return {
				prompt: execution.items('Order')[0].body.prompt,
				sessionId: execution.items('Result')[0]?.sessionId,
				outputAt: output?.startTime ?? NaN,
				failure: execution.error?.message ?? '',
				nodeRuns: Object.values(execution.runData).reduce((total, runs) => total + runs.length, 0),
				writes: stage.writes.get(id) ?? { count: 0, bytes: 0 },
				kept: jsonSizeBytes,
			};
		}),
	);
}

function getDelays(
	{ kind, faults }: Trial,
	ended: Ended[],
	sessions: SessionRecord[],
	requests: ServedRequest[],
): Measured['delays'] {
	return ended.flatMap(({ sessionId, outputAt }) => {
		const session = sessions.find((one) => one.sessionId === sessionId);
		if (!session) return [];
		const delay = outputAt - Date.parse(session.finishedAt);
		// Under faults the record does not tell what the node has seen.
		if (kind === HAND || faults) return [{ delay }];
		return [
			{
				delay,
				interval: getLastInterval(getRequests(session.sessionId, requests)) * (1 + 1 / 5),
			},
		];
	});
}

/** The node's message after a lost response to a start. */
const NOT_KNOWN = /session may have been started/;

const LOSSES = ['failed', 'twice', 'lost', 'unanswered', 'announced'] as const;
/**
 * `failed`: orders without a result. `twice`: those for which more than one session was started. `lost`: sessions that have completed,
 * and whose result no execution returned. `unanswered`: sessions that wait for a decision when nobody looks any more. `announced`: the
 * lost and unanswered ones whose execution said that they may be there.
 */
type Losses = Record<(typeof LOSSES)[number], number>;

function getLosses({ ended, sessions }: Measured): Losses {
	const lost = sessions.filter(
		({ sessionId, finishedAt }) => finishedAt && !ended.some((one) => one.sessionId === sessionId),
	);
	const unanswered = sessions.filter((session) => !session.finishedAt && isAsking(session));
	return {
		failed: SESSIONS - ended.filter(({ sessionId }) => sessionId).length,
		twice: PROMPTS.filter(
			(prompt) => sessions.filter((session) => session.prompt === prompt).length > 1,
		).length,
		lost: lost.length,
		unanswered: unanswered.length,
		announced: [...lost, ...unanswered].filter(({ prompt }) =>
			ended.some((one) => one.prompt === prompt && NOT_KNOWN.test(one.failure)),
		).length,
	};
}

const sum = (figures: number[]) => figures.reduce((total, figure) => total + figure, 0);
const mean = (figures: number[]) => sum(figures) / figures.length;

/** The losses of several together */
const allLosses = (measured: Measured[]): Losses => {
	const each = measured.map(getLosses);
	return Object.fromEntries(
		LOSSES.map((loss) => [loss, sum(each.map((losses) => losses[loss]))]),
	) as Losses;
};

function row(what: string, measured: Measured[]): string[] {
	const delays = measured.flatMap((one) => one.delays.map(({ delay }) => delay / 1000));
	const done = measured.flatMap(({ ended }) => ended.filter(({ sessionId }) => sessionId));
	const sessions = measured.length * SESSIONS;
	const losses = allLosses(measured);
	return [
		what,
		String(sessions),
		decimals(sum(measured.map(({ requests }) => requests.length)) / sessions),
		...[mean(delays), Math.max(...delays)].map(decimals),
		...[
			mean(done.map(({ nodeRuns }) => nodeRuns)),
			mean(done.map(({ writes }) => writes.count)),
		].map(decimals),
		...[mean(done.map(({ writes }) => writes.bytes)), mean(done.map(({ kept }) => kept))].map(
			(bytes) => decimals(bytes / 1024),
		),
		...LOSSES.map((loss) => String(losses[loss])),
	];
}

function makeTable(measured: Measured[]): Table {
	const ours = measured.filter(({ trial }) => trial.kind === NODE);
	const calm = ours.filter(({ trial }) => !trial.faults);
	const losses = allLosses(ours);
	return {
		columns: [
			'workflow',
			'sessions',
			'requests',
			'delay s',
			'worst s',
			'node runs',
			'writes',
			'KiB written',
			'KiB kept',
			...LOSSES,
		],
		rows: [...new Set(measured.map(({ trial }) => title(trial)))].map((what) =>
			row(
				what,
				measured.filter(({ trial }) => title(trial) === what),
			),
		),
		expectations: [
			{
				what: "node, no faults: delay after the session's end / interval in force, worst session",
				measured: Math.max(
					...calm.flatMap(({ delays }) => delays.map(({ delay, interval }) => delay / interval!)),
				),
				atMost: 1,
			},
			{
				what: 'node, no faults: orders without a result',
				measured: allLosses(calm).failed,
				atMost: 0,
			},
			{
				what: 'node: orders for which two sessions were started',
				measured: losses.twice,
				atMost: 0,
			},
			{
				what: 'node: sessions lost or left unanswered without a word',
				measured: losses.lost + losses.unanswered - losses.announced,
				atMost: 0,
			},
		],
	};
}
