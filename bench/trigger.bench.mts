// A trigger that watches 10,000 files, beside the workflow that people build by hand: a schedule, Get Many and Remove Duplicates.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import type { LocalService, ServedRequest } from '../tools/demoService.mts';
import { importCredential } from '../tools/demoStage.mts';
import { credentialName } from '../tools/examples.mts';
import type { Table } from './benchmark.mts';
import { onN8nStage } from './n8nStage.mts';
import { measureIn } from './ownProcess.mts';
import { onStage, type Stage } from './stage.mts';
import { median } from './statistics.mts';
import type { Looked, Looking, Way } from './triggerRun.mts';
import { byId } from '../n8n-host/workflows.mts';

export const name = 'trigger';
export const about =
	'requests, time, memory and saved bytes of a look at 10,000 files, beside Get Many and Remove Duplicates';

const FILES = 10_000;
const LARGEST_PAGE = 100;
const ROUNDS = 5;
/** Looks in the real n8n */
const IN_N8N = 3;
const MOST_STATE_BYTES = 250_000;
const WAYS: Way[] = ['trigger', 'get many'];

/** Cost of a poll in the real n8n */
interface InN8n {
	requests: number;
	/** From the first request to the last, by the service's record */
	seconds: number;
	/** Written bytes of an execution, and 0 without one */
	bytes: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		log(`${FILES} files in one folder`);
		const { folderId } = await stage.service.control.fillFiles(stage.projectId, FILES);
		log(`${ROUNDS} rounds, each way in a fresh process`);
		const figures = new Map<Way, Looked[]>(WAYS.map((way) => [way, []]));
		for (let round = 0; round < ROUNDS; round++)
			for (const way of WAYS) figures.get(way)!.push(await look(stage, folderId, way));
		log(`${IN_N8N} looks of each in the real n8n`);
		const inN8n = await looksInN8n(stage, folderId, log);
		return makeTable(figures, inN8n);
	});
}

/** Has its own process take a look. */
async function look(
	{ credentials, projectId }: Stage,
	folderId: string,
	way: Way,
): Promise<Looked> {
	const looking: Looking = { way, credentials, projectId, folderId };
	return await measureIn('triggerRun.mts', [JSON.stringify(looking)]);
}

async function looksInN8n(
	{ service, projectId }: Stage,
	folderId: string,
	log: (line: string) => void,
): Promise<Record<Way, InN8n[]>> {
	return await onN8nStage({ log, env: {} }, async ({ host, writes }) => {
		await importCredential(host, service);
		const clear = async () => await service.control.clearRequests();

		const byHand: InN8n[] = [];
		const handId = await host.importWorkflow(byHandWorkflow(projectId, folderId));
		// The first look remembers all files.
		for (let round = 0; round <= IN_N8N; round++) {
			await clear();
			const executionId = await host.run(handId);
			const { status } = await host.waitForExecution(executionId, { timeoutMs: 300_000 });
			if (status !== 'success') throw new Error(`The workflow made by hand ended as ${status}.`);
			const requests = await service.requests();
			const bytes = writes.get(executionId)?.bytes ?? NaN;
			if (round > 0)
				byHand.push({ requests: requests.length, seconds: getSeconds(requests), bytes });
		}

		await clear();
		const triggerId = await host.importWorkflow(triggerWorkflow(projectId, folderId));
		await host.activate(triggerId);
		const trigger = await polls(service, IN_N8N);
		await host.deactivate(triggerId);
		return { trigger, 'get many': byHand };
	});
}

type Asked = ServedRequest & { query: { cursor?: string } };

/** So many polls of the trigger, after its first look, as the service saw them: each begins with a request without a cursor. */
async function polls(service: LocalService, count: number): Promise<InN8n[]> {
	for (; ; await sleep(1000)) {
		const requests = await service.requests();
		const starts = requests.flatMap(({ query }, index) =>
			query.cursor === undefined ? index : [],
		);
		if (starts.length < count + 2) continue;
		return starts.slice(1, count + 1).map((start, index) => {
			const poll = requests.slice(start, starts[index + 2]);
			return { requests: poll.length, seconds: getSeconds(poll), bytes: 0 };
		});
	}
}

function getSeconds(requests: Asked[]): number {
	const times = requests.map(({ at }) => Date.parse(at));
	return (Math.max(...times) - Math.min(...times)) / 1000;
}

const ours = { workspaceAutomationApi: { id: null, name: credentialName } };

function byHandWorkflow(projectId: string, folderId: string): WorkflowFile {
	return {
		name: 'By hand',
		nodes: [
			{
				id: 'start',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: 'list',
				name: 'Get Many',
				type: 'n8n-nodes-workspace-automation.workspaceAutomation',
				typeVersion: 1,
				position: [200, 0],
				parameters: {
					resource: 'file',
					operation: 'getAll',
					projectId: byId(projectId),
					returnAll: true,
					filters: { parentId: byId(folderId) },
				},
				credentials: ours,
			},
			{
				id: 'new',
				name: 'Remove Duplicates',
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				position: [400, 0],
				parameters: {
					operation: 'removeItemsSeenInPreviousExecutions',
					dedupeValue: '={{ $json.id }} {{ $json.updatedAt }}',
					options: { historySize: 2 * FILES },
				},
			},
		],
		connections: {
			Start: { main: [[{ node: 'Get Many', type: 'main', index: 0 }]] },
			'Get Many': { main: [[{ node: 'Remove Duplicates', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}

function triggerWorkflow(projectId: string, folderId: string): WorkflowFile {
	return {
		name: 'Trigger',
		nodes: [
			{
				id: 'trigger',
				name: 'Trigger',
				type: 'n8n-nodes-workspace-automation.workspaceAutomationTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					// Every 20 seconds: n8n polls no schedule more often than once a minute, but a trigger may have several.
					pollTimes: {
						item: [0, 20, 40].map((second) => ({
							mode: 'custom',
							cronExpression: `${second} * * * * *`,
						})),
					},
					event: 'fileUpdated',
					projectIds: [projectId],
					parentId: byId(folderId),
				},
				credentials: ours,
			},
		],
		connections: {},
		settings: { executionOrder: 'v1' },
	};
}

function makeTable(figures: Map<Way, Looked[]>, inN8n: Record<Way, InN8n[]>): Table {
	const middle = (way: Way, of: 'ms' | 'growth') => median(figures.get(way)!.map((one) => one[of]));
	const state = figures.get('trigger')![0].stateBytes;
	const most = (way: Way, of: keyof InN8n) => Math.max(...inN8n[way].map((one) => one[of]));
	const ratio = (of: 'ms' | 'growth') => middle('trigger', of) / middle('get many', of);
	const row = (title: string, way: Way, kept: string) => [
		title,
		String(most(way, 'requests')),
		(middle(way, 'ms') / 1000).toFixed(2),
		(middle(way, 'growth') / 1e6).toFixed(0),
		median(inN8n[way].map(({ seconds }) => seconds)).toFixed(2),
		(most(way, 'bytes') / 1000).toFixed(0),
		kept,
	];
	return {
		columns: [
			`a look at ${FILES} files`,
			'requests',
			's',
			'MB',
			's in n8n',
			'kB written an execution',
			'kB kept',
		],
		rows: [
			row('trigger, nothing new', 'trigger', (state / 1000).toFixed(0)),
			row('Get Many, Remove Duplicates, nothing new', 'get many', 'in its table'),
		],
		expectations: [
			{
				what: 'requests of a poll, most',
				measured: most('trigger', 'requests'),
				atMost: FILES / LARGEST_PAGE,
			},
			{ what: 'bytes of state', measured: state, atMost: MOST_STATE_BYTES },
			{
				what: "trigger's time / Get Many's, without n8n around them, median of the rounds",
				measured: ratio('ms'),
				atMost: 1.2,
			},
			{
				what: "trigger's memory / Get Many's, without n8n around them, median of the rounds",
				measured: ratio('growth'),
				atMost: 1.2,
			},
		],
	};
}
