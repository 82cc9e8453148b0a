// Runs workflows with Run Agent Session in n8n-core's engine and in simulated time. Executions pause, are saved as JSON and wake as in n8n,
// and the approval page is called as n8n calls it.
import { createVirtualTime, type Network } from './virtualTime.mts';
import type {
	IDataObject,
	INode,
	IPairedItemData,
	IRun,
	IRunExecutionData,
	ISourceData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createService } from '../../local-service/app.mts';
import { mainToken } from '../../local-service/auth.mts';
import { apiHeaders, credentialFor } from '../../local-service/caller.mts';
import { settingsFor } from '../../local-service/dialects/index.mts';
import {
	core,
	logger,
	n8nWorkflow,
	databases,
	nodeType,
	prepareWorkflow,
} from '../../n8n-host/core.mts';
import { callPausedNode, type PageAnswer } from '../../n8n-host/savedExecution.mts';
import { byId, PACKAGE } from '../../n8n-host/workflows.mts';
import { serviceTime } from '../support/virtualClock.mts';

export { fillIn } from '../support/fillIn.mts';

export const NODE = 'Node under test';

/** The name of a node that combines its items into one, as n8n's Aggregate does */
export const AGGREGATE = 'Aggregate';
/** The name of a node that fails */
export const FAILS = 'Fails';
/** The name of a node that returns each item twice, without saying where it comes from */
export const DOUBLES = 'Doubles';
const OTHER_TRIGGER = 'Other trigger';
/** The name of a node that returns its first items one by one, as n8n's Loop Over Items does */
export const LOOP = 'Loop';

/** What sub-nodes supply, by their IDs: it's no parameter, because those are JSON. */
const outputParsers = new Map<string, unknown>();

/** Returns its parameter `items`, or passes its input on. */
const pass = nodeType(
	'pass',
	{
		async supplyData() {
			return { response: outputParsers.get(this.getNode().id) };
		},
		async execute() {
			const given = this.getNodeParameter('items', 0, '') as string;
			if (given) return [JSON.parse(given)];
			const input = this.getInputData();
			const { name } = this.getNode();
			if (name === FAILS) throw new Error('This node fails');
			if (name === DOUBLES) return [input.flatMap(({ json }) => [{ json }, { json }, { json }])];
			if (name === LOOP) {
				const loop = this.getContext('node') as Partial<{
					left: typeof input;
					source: ISourceData;
				}>;
				const { left = [...input], source = this.getInputSourceData() } = loop;
				const [next, ...others] = left;
				Object.assign(loop, { left: others, source });
				const pairedItem = { ...(next?.pairedItem as IPairedItemData), sourceOverwrite: source };
				return [next ? [{ json: next.json, pairedItem }] : []];
			}
			if (name === AGGREGATE)
				return [[{ json: {}, pairedItem: input.map((_, item) => ({ item })) }]];
			return [input.map(({ json }, item) => ({ json, pairedItem: { item } }))];
		},
	},
	{
		group: ['trigger'],
		properties: [
			{ displayName: 'Items', name: 'items', type: 'json', default: '' },
			// As n8n's Webhook node has it
			{ displayName: 'Respond', name: 'responseMode', type: 'string', default: 'onReceived' },
			// As n8n's Chat Trigger has it
			{ displayName: 'Options', name: 'options', type: 'json', default: {} },
		],
	},
);

export interface Flow {
	parameters?: IDataObject;
	/** The nodes that each output is connected to */
	wires?: string[][];
	/** The connections of other nodes */
	follows?: Record<string, string[][]>;
	/** Further Run Agent Session nodes, by name */
	more?: Record<string, IDataObject>;
	/** Nodes after the source, the node under test by default */
	first?: string[];
	items?: IDataObject[];
	/** The type and parameters of the trigger */
	trigger?: { type: string; parameters: IDataObject };
	/** A trigger before the same nodes, which doesn't run */
	otherTrigger?: Flow['trigger'];
	settings?: Partial<INode>;
	/** True if an AI agent uses the node as its tool */
	asTool?: boolean;
	/** What a sub-node on its input for output parsers supplies */
	outputParser?: unknown;
	order?: 'v0' | 'v1';
	/** Of the workflow */
	timezone?: string;
	mode?: WorkflowExecuteMode;
	/** The node up to which n8n runs the workflow, as with *Execute step* */
	destination?: string;
	/** Items that n8n returns for a node in its place */
	pinned?: Record<string, IDataObject[]>;
	/** Called before the executions' functions of n8n's contexts are used, to take some away */
	change?: (additionalData: any) => void;
}

let flows = 0;
let hosts = 0;

interface FlowRun extends IRun {
	executionId: string;
	/** The names of the nodes in the order in which n8n ran them */
	order: string[];
	/** Times at which the execution was saved, with the size of its data in bytes */
	saved: Array<{ at: number; bytes: number }>;
	wakes: number;
}

interface Running {
	result: Promise<IRun>;
	stop(): void;
	order: string[];
}

/** Runs of nodes between two pauses */
const MAX_RUNS = 2_000;

/** Time after a kill or a pause at which n8n's next check comes */
const CHECK_MS = 60_000;

/** One service and one n8n in simulated time */
export function createStage(dialects: readonly string[] = [], network?: Network) {
	const time = createVirtualTime();
	const problems: string[] = [];
	const overrides = settingsFor(dialects);
	const service = createService({
		// Its clock is another machine's.
		clock: serviceTime({ now: time.monotonicMs }),
		dialects,
		log: (problem) => problems.push(problem),
	});
	const requests: Array<{ method: string; path: string; at: number; body: any }> = [];
	const began = time.now();
	service.app.addHook('preHandler', async ({ method, url, body }, reply) => {
		if (isDead()) return await reply.code(503).send();
		if (death?.isAfter === false && --death.atRequest === 0) {
			death.die();
			return await reply.code(503).send();
		}
		requests.push({ method, path: url.replace(/^\/v1|\?.*/g, ''), at: time.now() - began, body });
	});
	service.app.addHook('onSend', async () => {
		if (death?.isAfter && death.atRequest > 0 && --death.atRequest === 0) death.die();
	});
	const host = `stage-${++hosts}.test`;
	time.serve(host, service.app, network);
	const credentials = credentialFor({
		baseUrl: `https://${host}/v1`,
		key: mainToken,
		overrides,
	});
	const { projects, sites } = service.seed();
	const [project] = projects;
	/** n8n's database for the deduplication helper */
	const marks = new Set<string>();
	/** Ends the current process at a request. The service answers nothing of it anymore. */
	let death: { atRequest: number; isAfter: boolean; die(): void } | undefined;
	const isDead = () => death?.atRequest === 0;

	const parametersOf = (changes: IDataObject = {}): IDataObject => ({
		operation: 'start',
		projectId: byId(project.id),
		prompt: '={{ $json.prompt }}',
		...changes,
	});

	function prepare({
		parameters,
		wires = [],
		follows = {},
		more = {},
		first = [NODE],
		...flow
	}: Flow) {
		const ours = { [NODE]: parameters ?? {}, ...more };
		const others = [
			...new Set([
				...first,
				...wires.flat(),
				...Object.values(follows).flat(2),
				...Object.keys(follows),
			]),
		];
		const at = (x: number, y: number) => [x, y] as [number, number];
		const to = (names: string[]) =>
			names.map((node) => ({ node, type: 'main' as const, index: 0 }));
		const toOutputs = (outputs: string[][]) => ({ main: outputs.map(to) });
		const plain = { type: 'pass', typeVersion: 1, parameters: {} };
		const items = (flow.items ?? [{}]).map((json, item) => ({ json, pairedItem: { item } }));
		const nodes = [
			{
				...plain,
				id: 'source',
				name: 'Source',
				position: at(0, 0),
				type: flow.trigger?.type ?? plain.type,
				parameters: { items: JSON.stringify(items), ...flow.trigger?.parameters },
			},
			...Object.entries(ours).map(([name, changes], index) => ({
				id: `node-${index}`,
				name,
				type: `${PACKAGE}runAgentSession${flow.asTool ? 'Tool' : ''}`,
				typeVersion: 1,
				position: at(200 + 200 * index, 100 * index),
				parameters: parametersOf(changes),
				credentials: { workspaceAutomationApi: { id: '1', name: 'Test' } },
				...(name === NODE && flow.settings),
			})),
			...others
				.filter((name) => !(name in ours))
				.map((name, index) => ({ ...plain, id: name, name, position: at(400, 300 + index * 100) })),
		];
		if (flow.otherTrigger)
			nodes.push({
				...plain,
				id: OTHER_TRIGGER,
				name: OTHER_TRIGGER,
				position: at(0, 200),
				...flow.otherTrigger,
			});
		const parser = `parser of ${host}`;
		if (flow.outputParser !== undefined) {
			outputParsers.set(parser, flow.outputParser);
			nodes.push({ ...plain, id: parser, name: parser, position: at(200, 200) });
		}
		const connections = {
			...(flow.outputParser !== undefined && {
				[parser]: { ai_outputParser: [[{ node: NODE, type: 'ai_outputParser', index: 0 }]] },
			}),
			Source: toOutputs([first]),
			...(flow.otherTrigger && { [OTHER_TRIGGER]: toOutputs([first]) }),
			[NODE]: toOutputs(wires),
			...Object.fromEntries(Object.entries(follows).map(([name, next]) => [name, toOutputs(next)])),
		};
		const prepared = prepareWorkflow({ nodes, connections } as never, credentials, pass);
		prepared.workflow.settings.executionOrder = flow.order ?? 'v1';
		if (flow.timezone !== undefined) {
			prepared.workflow.settings.timezone = flow.timezone;
			Object.assign(prepared.workflow, { timezone: flow.timezone });
		}
		prepared.workflow.id = host;
		databases.set(host, { marks, isDead });
		return prepared;
	}

	/** Runs an execution until it ends or pauses. */
	function begin(
		flow: Flow,
		executionId: string,
		data?: IRunExecutionData,
		mode = flow.mode ?? 'trigger',
	): Running {
		const { workflow, additionalData } = prepare(flow);
		additionalData.executionId = executionId;
		const order: string[] = [];
		additionalData.hooks?.addHandler('nodeExecuteBefore', (name) => {
			if (order.push(name) > MAX_RUNS) throw new Error('The execution never ends');
		});
		flow.change?.(additionalData);
		const { WorkflowExecute } = core;
		const running = data
			? new WorkflowExecute(
					additionalData,
					mode,
					n8nWorkflow.createRunExecutionData(copy(data)),
				).processRunExecutionData(workflow)
			: new WorkflowExecute(additionalData, mode).run({
					workflow,
					startNode: workflow.getNode('Source')!,
					...(flow.destination && {
						destinationNode: { nodeName: flow.destination, mode: 'inclusive' },
					}),
					pinData: Object.fromEntries(
						Object.entries(flow.pinned ?? {}).map(([name, items]) => [
							name,
							items.map((json) => ({ json })),
						]),
					),
				});
		return { result: running, stop: () => running.cancel(), order };
	}

	/** Saves and loads the execution's data as n8n does. */
	const copy = (data: IRunExecutionData): IRunExecutionData => JSON.parse(JSON.stringify(data));

	return {
		time,
		service,
		problems,
		project,
		site: sites.find(({ projectId }) => projectId === project.id)!,
		parametersOf,
		credentials,
		requests,
		begin,
		of: (method: string, ending: string) =>
			requests.filter((each) => each.method === method && each.path.endsWith(ending)),
		/** The bodies of POST requests, as the service got them */
		bodies: (ending: string) =>
			requests
				.filter(({ method, path }) => method === 'POST' && path.endsWith(ending))
				.map(({ body }) => JSON.parse(Buffer.from(body).toString())),
		sessions: service.sessions,
		/** Calls the service as someone else would. */
		async call(method: 'GET' | 'POST', path: string, body?: object) {
			const headers = apiHeaders(mainToken);
			const { app } = service;
			return (
				await app.inject({ method, url: `/v1${path}`, headers, payload: body })
			).json() as any;
		},
		/** Runs a workflow through all of its pauses. `whilePaused` may answer, and returns data to wake with instead of the saved one. */
		async run(
			flow: Flow,
			whilePaused?: (
				paused: IRun & { executionId: string },
				pauses: number,
			) => Promise<IRunExecutionData | void>,
			from?: { data: IRunExecutionData; executionId?: string; mode?: WorkflowExecuteMode },
		): Promise<FlowRun> {
			const executionId = from?.executionId ?? `flow-${++flows}`;
			const order: string[] = [];
			const saved: FlowRun['saved'] = [];
			let data = from?.data;
			for (let wakes = 0; ; wakes++) {
				const run = await time.run(async () => {
					const started = begin(flow, executionId, data, from?.mode);
					const ended = await started.result;
					order.push(...started.order);
					return ended;
				});
				saved.push({ at: time.now() - began, bytes: JSON.stringify(run.data).length });
				if (run.status !== 'waiting') return { ...run, executionId, order, saved, wakes };
				if (wakes > 2_000) throw new Error('The execution never ends');
				const wakeWith = await whilePaused?.({ ...run, executionId }, wakes + 1);
				data = wakeWith ?? copy(run.data);
				const waitMs = Math.max(0, run.waitTill!.getTime() - time.now());
				// n8n checks every 60 s, 70 s ahead: a shorter pause ends at its next check.
				if (!wakeWith) time.advance(waitMs < 70_000 ? Math.max(waitMs, CHECK_MS) : waitMs);
			}
		},
		/** Returns what n8n saves when it creates an execution. A retry of it has the same resume token. */
		initial(flow: Flow): IRunExecutionData {
			const node = prepare(flow).workflow.getNode('Source')!;
			const entry = { node, data: { main: [[{ json: {} }]] }, source: null };
			const resumeToken = `token-${++flows}`;
			return copy(
				n8nWorkflow.createRunExecutionData({
					executionData: { nodeExecutionStack: [entry] },
					resumeToken,
				}),
			);
		},
		/** Runs an execution until n8n is killed at a request of this run, before or after the service did it. Returns false if it ended before. */
		async kill(
			flow: Flow,
			data: IRunExecutionData,
			atRequest: number,
			moment: 'before' | 'after',
			mode?: WorkflowExecuteMode,
			executionId = `flow-${++flows}`,
		): Promise<boolean> {
			const killed = new Promise<true>((resolve) => {
				death = { atRequest, isAfter: moment === 'after', die: () => resolve(true) };
			});
			const wasKilled = await time.run(
				async () =>
					await Promise.race([
						killed,
						begin(flow, executionId, data, mode).result.then(() => false),
					]),
			);
			// What the killed process still does must not reach the service.
			await new Promise((resolve) => setImmediate(resolve));
			death = undefined;
			return wasKilled;
		},
		/** Calls the approval page. An answer that resumes the execution returns the data that it wakes with. */
		async open(
			flow: Flow,
			paused: IRun & { executionId: string },
			link: string,
			form?: Record<string, string>,
		): Promise<PageAnswer & { data?: IRunExecutionData }> {
			const data = n8nWorkflow.createRunExecutionData(copy(paused.data));
			const { workflow, additionalData } = prepare(flow);
			additionalData.executionId = paused.executionId;
			const before = requests.length;
			const request = { link: new URL(link), form };
			const answer = (await time.run(
				async () => await callPausedNode(workflow, additionalData, 'trigger', data, request),
			))!;
			if (requests.length > before) throw new Error('The approval page asked the service');
			return answer.resumes ? { ...answer, data } : answer;
		},
		logs: logger,
	};
}

export type Stage = ReturnType<typeof createStage>;

/** Returns the JSON of the items on one output of a node, a list for each of its runs. */
export const runsOf = (run: Pick<IRun, 'data'>, name: string, output = 0): IDataObject[][] =>
	(run.data.resultData.runData[name] ?? []).map(({ data }) =>
		(data?.main[output] ?? []).map(({ json }) => json),
	);

/** Fills in the form of an approval page */
export type Fill = (html: string, item: IDataObject) => Record<string, string>;

/** Runs a workflow, and sends each item on To Approve the next form, which n8n resumes. Returns what came of it. */
export async function answering(stage: Stage, flow: Flow, ...fills: Fill[]) {
	const pages: string[] = [];
	const replies: string[] = [];
	let answered = 0;
	const run = await stage.run(flow, async (paused) => {
		const item = runsOf(paused, NODE, 1).flat()[answered];
		if (!item || !fills[answered]) return;
		const link = String(item.approvalUrl);
		const { body } = await stage.open(flow, paused, link);
		pages.push(body);
		const reply = await stage.open(flow, paused, link, fills[answered](body, item));
		replies.push(reply.body);
		if (!reply.resumes) return;
		answered++;
		return reply.data;
	});
	const [item] = runsOf(run, NODE).flat();
	const asked = runsOf(run, NODE, 1).flat();
	return { run, item, asked, pages, replies, sent: stage.bodies('/resolve') };
}
