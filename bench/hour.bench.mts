// Measures a session of an hour: in the database, in memory, and with the workflow that people build by hand.
import { setTimeout as sleep } from 'node:timers/promises';
import { listExecutions, readExecution } from '../n8n-host/executions.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { startLocalService, type LocalService } from '../tools/demoService.mts';
import { decimals, type Table } from './benchmark.mts';
import { callWebhook, onN8nStage, workflowFile, type N8nStage } from './n8nStage.mts';
import { importCredential } from '../tools/demoStage.mts';

export const name = 'hour';
export const about =
	'a session of an hour, waited for in the database, in memory and by hand: requests, node runs and what n8n writes';

/** All of it, n8n too, lives so many times as fast as others. */
const FASTER = 10;
const SESSIONS = 5;
const MINUTE_MS = 60_000;
/** Sessions of about an hour, which end at different moments of an interval, with a permission in the middle */
const PROMPTS = Array.from({ length: SESSIONS }, (_, index) => {
	const half = 30 * MINUTE_MS + index * 4_700;
	return `Order ${index}. [work ${half}ms] [ask bash: npm run build] [work ${half}ms] [say Done]`;
});

/** The parts of a workflow that this benchmark changes */
type Change = (file: WorkflowFile) => void;

const wired: Change = ({ nodes, connections }) => {
	nodes.find(({ name: node }) => node === 'Run Agent Session')!.parameters.wait = 'database';
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	connections['Run Agent Session'] = { main: [to('Run Agent Session'), to('Result')] };
};
const patient: Change = ({ nodes }) => {
	nodes.find(({ name: node }) => node === 'Run Agent Session')!.parameters.maxWait = 120;
};
const parking: Change = ({ nodes }) => {
	nodes.find(({ name: node }) => node === 'Wait')!.parameters.amount = 70;
};

const WAYS: Array<{ title: string; file: 'byNode' | 'byHand'; change?: Change }> = [
	{ title: 'node, in the database', file: 'byNode', change: wired },
	{ title: 'node, in memory', file: 'byNode', change: patient },
	{ title: 'by hand, Wait of 70 s', file: 'byHand', change: parking },
	{ title: 'by hand, Wait of 5 s', file: 'byHand' },
];
/** The address and names in the workflows, where `npm run service` listens */
const ADDRESS = 'http://127.0.0.1:4010/v1';

export async function run(log: (line: string) => void): Promise<Table> {
	const clock = { faster: FASTER, origin: Date.now() };
	const service = await startLocalService();
	await service.control.setSpeed(FASTER);
	/** The moment of a time that n8n has given, as others have it, and so the service's own record */
	const getMoment = (time: number) => clock.origin + (time - clock.origin) / FASTER;
	try {
		return await onN8nStage({ log, clock }, async (stage) => {
			await importCredentials(stage, service);
			log(`${WAYS.length} times ${SESSIONS} sessions of an hour side by side, in 6 minutes`);
			const rows = await Promise.all(
				WAYS.map(async (_, index) => {
					const ended = await measure(stage, service, index);
					const delays = ended.map(
						({ outputAt, finishedAt }) =>
							((getMoment(outputAt) - Date.parse(finishedAt)) * FASTER) / 1000,
					);
					return { ended, delays };
				}),
			);
			return makeTable(rows);
		});
	} finally {
		await service.close();
	}
}

async function importCredentials({ host }: N8nStage, service: LocalService): Promise<void> {
	await host.importCredential({
		name: 'API key',
		type: 'httpHeaderAuth',
		data: { name: 'Authorization', value: `Bearer ${service.key}` },
	});
	await importCredential(host, service, 'Workspace Automation');
}

interface Ended {
	finishedAt: string;
	requests: number;
	outputAt: number;
	nodeRuns: number;
	writes: { count: number; bytes: number };
	kept: number;
}

/** Runs the sessions of one way, an execution for each, and reads what they took. */
async function measure(stage: N8nStage, service: LocalService, index: number): Promise<Ended[]> {
	const { host } = stage;
	const { title, file: fileName, change } = WAYS[index];
	const path = `way-${index}`;
	const webhook = fileName === 'byNode' ? 'by-node' : 'by-hand';
	const file = workflowFile(fileName, {
		[ADDRESS]: service.baseUrl,
		// n8n does not find the item any more after some hundred rounds.
		"$('Start Session').item": "$('Start Session').first()",
		[`"${webhook}"`]: `"${path}"`,
		[`"${webhook}-wait"`]: `"${path}-wait"`,
	});
	change?.(file);
	const workflowId = await host.importWorkflow({ ...file, name: title });
	await host.activate(workflowId);
	const { projects } = await service.control.seed();
	await Promise.all(
		PROMPTS.map(
			async (prompt) =>
				await callWebhook(`${host.url}/webhook/${path}`, {
					projectId: projects[0].id,
					prompt: `${title}. ${prompt}`,
				}),
		),
	);
	for (;;) {
		await sleep(1000);
		const executions = await listExecutions(host.rest, workflowId);
		if (executions.every(({ status }) => !['new', 'running', 'waiting'].includes(status))) break;
	}
	const executions = (await listExecutions(host.rest, workflowId)) as Array<{
		id: string;
		status: string;
		mode: string;
		jsonSizeBytes?: number;
	}>;
	const [sessions, requests] = await Promise.all([service.sessions(), service.requests()]);
	return await Promise.all(
		executions.map(async ({ id, jsonSizeBytes = 0 }) => {
			const execution = await readExecution(host.rest, id);
			const [result] = execution.items('Result');
			if (!result) throw new Error(`${title}: no result. ${execution.error?.message ?? ''}`);
			const { sessionId } = result;
			const session = sessions.find((one) => one.sessionId === sessionId)!;
			const output = execution.runData.Result.at(-1) as unknown as { startTime: number };
			return {
				finishedAt: session.finishedAt!,
				// Its start names it in the answer only.
				requests: requests.filter(
					({ path: asked, answer }) => asked.includes(sessionId) || answer?.sessionId === sessionId,
				).length,
				outputAt: output.startTime,
				nodeRuns: Object.values(execution.runData).reduce((total, runs) => total + runs.length, 0),
				writes: stage.writes.get(id) ?? { count: 0, bytes: 0 },
				kept: jsonSizeBytes,
			};
		}),
	);
}

const mean = (figures: number[]) =>
	figures.reduce((total, figure) => total + figure, 0) / figures.length;

function makeTable(ways: Array<{ ended: Ended[]; delays: number[] }>): Table {
	const figures = ways.map(({ ended, delays }) => {
		const of = (figure: (one: Ended) => number) => mean(ended.map(figure));
		return {
			requests: of(({ requests }) => requests),
			delay: mean(delays),
			worst: Math.max(...delays),
			nodeRuns: of(({ nodeRuns }) => nodeRuns),
			writes: of(({ writes }) => writes.count),
			written: of(({ writes }) => writes.bytes) / 1024,
			kept: of(({ kept }) => kept) / 1024,
		};
	});
	const [database, memory, paused] = figures;
	return {
		columns: [
			'workflow',
			'requests',
			'delay s',
			'worst s',
			'node runs',
			'writes',
			'KiB written',
			'KiB kept',
		],
		rows: figures.map((one, index) => [
			WAYS[index].title,
			...Object.values(one).map((figure) => decimals(figure)),
		]),
		expectations: [
			{
				what: 'in the database: requests / in memory',
				measured: database.requests / memory.requests,
				atMost: 0.2,
			},
			{
				what: 'in the database: requests / by hand with a Wait of 70 s',
				measured: database.requests / paused.requests,
				atMost: 1,
			},
			{
				what: 'in the database: KiB written / by hand with a Wait of 70 s',
				measured: database.written / paused.written,
				atMost: 0.5,
			},
			{
				what: 'in the database: worst delay / 4.5 minutes',
				measured: database.worst / 270,
				atMost: 1,
			},
		],
	};
}
