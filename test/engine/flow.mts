// Runs Run Agent Session among other nodes in n8n-core's engine: connected back to itself, and paused and resumed as n8n does it.
import type { IDataObject, INode, INodeType, IRun, IRunExecutionData } from 'n8n-workflow';
import { core, n8nWorkflow, PACKAGE, prepareWorkflow } from '../../n8n-host/core.mts';
import type { TestService } from './service.mts';

export const NODE = 'Node under test';

/** The name of a node that combines its items into one, as n8n's Aggregate does */
export const AGGREGATE = 'Aggregate';

/** Returns its parameter `items`, each with the data beside its JSON, or passes its input on. */
const pass: INodeType = {
	description: {
		displayName: 'Pass',
		name: 'pass',
		group: ['trigger'],
		version: 1,
		description: 'Test node',
		defaults: { name: 'Pass' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: '' }],
	},
	async execute() {
		const given = this.getNodeParameter('items', 0, '') as string;
		if (given) return [JSON.parse(given)];
		const input = this.getInputData();
		if (this.getNode().name === AGGREGATE)
			return [[{ json: {}, pairedItem: input.map((_, item) => ({ item })) }]];
		return [input.map(({ json }, item) => ({ json, pairedItem: { item } }))];
	},
};

export interface Flow {
	parameters: IDataObject;
	/** The nodes that each output is connected to */
	wires: string[][];
	/** The connections of other nodes */
	follows?: Record<string, string[][]>;
	items?: Array<{ json: IDataObject; error?: unknown }>;
	settings?: Partial<INode>;
}

function prepareFlow(
	service: TestService,
	{ parameters, wires, follows = {}, items = [{ json: {} }], settings }: Flow,
) {
	const others = [...new Set([...wires.flat(), ...Object.keys(follows)])];
	const position = (x: number, y: number) => [x, y] as [number, number];
	const to = (names: string[]) => names.map((node) => ({ node, type: 'main' as const, index: 0 }));
	const toOutputs = (outputs: string[][]) => ({ main: outputs.map(to) });
	const plain = { type: 'pass', typeVersion: 1, parameters: {} };
	const nodes = [
		{
			...plain,
			id: 'source',
			name: 'Source',
			position: position(0, 0),
			parameters: { items: JSON.stringify(items) },
		},
		{
			id: 'node',
			name: NODE,
			type: `${PACKAGE}runAgentSession`,
			typeVersion: 1,
			position: position(200, 0),
			parameters,
			credentials: { workspaceAutomationApi: { id: '1', name: 'Test' } },
			...settings,
		},
		// Below the node, so that n8n runs the node first where both are next
		...others
			.filter((name) => name !== NODE)
			.map((name, at) => ({ ...plain, id: name, name, position: position(400, 300 + at * 100) })),
	];
	const connections = {
		Source: toOutputs([[NODE]]),
		[NODE]: toOutputs(wires),
		...Object.fromEntries(Object.entries(follows).map(([name, next]) => [name, toOutputs(next)])),
	};
	const prepared = prepareWorkflow({ nodes, connections }, service.credentials, pass);
	prepared.workflow.settings.executionOrder = 'v1';
	return prepared;
}

let flows = 0;

export interface FlowRun {
	executionId: string;
	result: Promise<IRun>;
	stop(): void;
	/** The names of the nodes in the order in which n8n runs them */
	order: string[];
}

/** Runs a workflow until it ends or pauses. With the data of a pause, it's the next wake of the same execution. */
export function startFlow(
	service: TestService,
	flow: Flow,
	paused?: { data: IRunExecutionData; executionId: string },
): FlowRun {
	const { workflow, additionalData } = prepareFlow(service, flow);
	const executionId = paused?.executionId ?? `flow-${++flows}`;
	additionalData.executionId = executionId;
	const order: string[] = [];
	additionalData.hooks!.addHandler('nodeExecuteBefore', (name) => void order.push(name));
	const { WorkflowExecute } = core;
	const saved = paused && (JSON.parse(JSON.stringify(paused.data)) as IRunExecutionData);
	const running = saved
		? new WorkflowExecute(
				additionalData,
				'trigger',
				n8nWorkflow.createRunExecutionData(saved),
			).processRunExecutionData(workflow)
		: new WorkflowExecute(additionalData, 'trigger').run({
				workflow,
				startNode: workflow.getNode('Source')!,
			});
	return { executionId, result: running, stop: () => running.cancel(), order };
}

/** Real time of a pause: 2 seconds of the service, which runs at 20 times the speed */
const PAUSE_MS = 100;

/**
 * Runs a workflow to its end, through all pauses, which are shorter than in n8n.
 * @param whilePaused what happens during each pause
 */
export async function runFlow(
	service: TestService,
	flow: Flow,
	whilePaused?: (paused: IRun) => Promise<void>,
): Promise<IRun & FlowRun> {
	let started = startFlow(service, flow);
	const { executionId, order } = started;
	for (;;) {
		const run = await started.result;
		if (run.status !== 'waiting') return { ...started, ...run, order };
		await whilePaused?.(run);
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
		started = startFlow(service, flow, { data: run.data, executionId });
	}
}

/** Returns the JSON of the items on one output of a node, a list for each of its runs. */
export const runsOf = (run: IRun, name: string, output = 0): IDataObject[][] =>
	(run.data.resultData.runData[name] ?? []).map(({ data }) =>
		(data?.main[output] ?? []).map(({ json }) => json),
	);
