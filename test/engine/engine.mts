// Runs one node of the built package in n8n-core's engine (n8n-host/core.mts), with what a test wants to say and see of it.
import { randomUUID } from 'node:crypto';
import type { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IBinaryKeyData,
	IDataObject,
	INode,
	INodeListSearchResult,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
	IRun,
	IRunExecutionData,
	WorkflowActivateMode,
} from 'n8n-workflow';
import {
	builtPackage,
	core,
	logger,
	n8nWorkflow,
	nodeType,
	prepareWorkflow,
} from '../../n8n-host/core.mts';
import { prepareRetry } from '../../n8n-host/savedExecution.mts';
import { PACKAGE } from '../../n8n-host/workflows.mts';

export { logger };

const { LoadOptionsContext, WorkflowExecute } = core;
const { createRunExecutionData } = n8nWorkflow;

/** What the sub-node of a test workflow supplies. It's no parameter, because those are JSON. */
let supplied: unknown;

/** Returns the items in its parameters: the trigger of every test workflow, and its sub-node. */
const source = nodeType(
	'source',
	{
		async supplyData() {
			if (supplied instanceof Error) throw supplied;
			return { response: supplied };
		},
		async execute() {
			const items = JSON.parse(this.getNodeParameter('items', 0) as string) as IDataObject[];
			const binary = JSON.parse(this.getNodeParameter('binary', 0) as string) as IBinaryKeyData[];
			return [
				items.map((json, index) => ({ json, ...(binary[index] && { binary: binary[index] }) })),
			];
		},
	},
	{
		group: ['trigger'],
		inputs: [],
		properties: [
			{ displayName: 'Items', name: 'items', type: 'json', default: '[]' },
			{ displayName: 'Binary', name: 'binary', type: 'json', default: '[]' },
		],
	},
);

/** The class of the credential, as it was built. */
export const builtCredential = () => builtPackage().credential;

const builtNode = (name: string): INodeType => builtPackage().nodes[PACKAGE + name];

/** The properties of a node's panel, from top to bottom. */
export const nodeProperties = (node: string): INodeProperties[] =>
	builtNode(node).description.properties;

export interface Execution {
	/** The node's outputs, each a list of items */
	outputs: Array<Array<{ json: any; pairedItem?: unknown; error?: Error }>>;
	/** Error of the node and of the execution */
	error?: Error & { description?: string; httpCode?: string; context?: Record<string, any> };
	customData?: Record<string, string>;
	/** Hand this to another run to retry the execution, as n8n's list of executions does */
	data: IRunExecutionData;
}

export interface Setup {
	/** The node's name without the package: `runAgentSession` */
	node: string;
	parameters: IDataObject;
	credentials: ICredentialDataDecryptedObject;
	items?: IDataObject[];
	/** Binary data of the items, by field */
	binary?: IBinaryKeyData[];
	/** Settings of the node such as `onError`, `retryOnFail` */
	settings?: Partial<INode>;
	/** Under the type name that n8n gives a node which an AI agent uses as its tool */
	asTool?: boolean;
	/** What a sub-node on its input for output parsers supplies; an error, to throw it */
	outputParser?: unknown;
	/** An execution to retry: its data and the node's context are passed on */
	retryOf?: Execution;
}

/** Runs an operation of Workspace Automation, such as `task.get`. */
export function operation(
	does: string,
	parameters: IDataObject,
	credentials: Setup['credentials'],
	more: Partial<Setup> = {},
): Setup {
	const [resource, name] = does.split('.');
	return {
		node: 'workspaceAutomation',
		parameters: { resource, operation: name, ...parameters },
		credentials,
		...more,
	};
}

const NODE = 'Node under test';
const PARSER = 'Output parser';

let executions = 0;

/** A workflow of a source and the node, and what n8n gives it to run with. */
function prepare({
	node,
	parameters,
	credentials,
	items = [{}],
	binary = [],
	settings,
	asTool,
	outputParser,
}: Setup) {
	supplied = outputParser;
	const nodes = [
		{
			id: '1',
			name: 'Source',
			type: 'source',
			typeVersion: 1,
			position: [0, 0] as [number, number],
			parameters: { items: JSON.stringify(items), binary: JSON.stringify(binary) },
		},
		{
			id: '2',
			name: NODE,
			type: PACKAGE + node + (asTool ? 'Tool' : ''),
			typeVersion: 1,
			position: [200, 0] as [number, number],
			parameters,
			credentials: { workspaceAutomationApi: { id: '1', name: 'Test' } },
			...settings,
		},
	];
	if (outputParser !== undefined)
		nodes.push({ ...nodes[0], id: '3', name: PARSER, position: [200, 200] });
	const toInput = [{ node: NODE, type: 'ai_outputParser' as const, index: 0 }];
	const connections = {
		...(outputParser !== undefined && { [PARSER]: { ai_outputParser: [toInput] } }),
		Source: { main: [[{ node: NODE, type: 'main' as const, index: 0 }]] },
	};
	const prepared = prepareWorkflow({ nodes, connections }, credentials, source);
	// Each run is its own execution, as a retry is.
	prepared.additionalData.executionId = String(++executions);
	prepared.additionalData.currentNodeParameters = parameters as INode['parameters'];
	return prepared;
}

/** Starts the workflow. `stop` does what n8n's Stop button does. */
export function start(setup: Setup): { result: Promise<Execution>; stop: () => void } {
	const { workflow, additionalData } = prepare(setup);
	const { retryOf } = setup;
	const running = retryOf
		? new WorkflowExecute(
				additionalData,
				'retry',
				dataForRetry(retryOf, workflow),
			).processRunExecutionData(workflow)
		: new WorkflowExecute(additionalData, 'trigger').run({
				workflow,
				startNode: workflow.getNode('Source')!,
			});
	return { result: running.then(toExecution), stop: () => running.cancel() };
}

/** Runs it to its end. */
export const run = async (setup: Setup): Promise<Execution> => await start(setup).result;

/** Runs the node's search method, as the editor does for a resource locator's list. */
export async function search(
	setup: Setup,
	method: string,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const { workflow, additionalData } = prepare(setup);
	const context = new LoadOptionsContext(workflow, workflow.getNode(NODE)!, additionalData, '');
	return await builtNode(setup.node).methods!.listSearch![method].call(
		context,
		filter,
		paginationToken as string,
	);
}

/** Loads the options of a multiple selection, as the editor does. */
export async function options(setup: Setup, method: string): Promise<INodePropertyOptions[]> {
	const { workflow, additionalData } = prepare(setup);
	const context = new LoadOptionsContext(workflow, workflow.getNode(NODE)!, additionalData, '');
	return await builtNode(setup.node).methods!.loadOptions![method].call(context);
}

export interface Poller {
	/** Polls as n8n does on schedule. Returns the items, or null. */
	poll(): Promise<any[] | null>;
	/** Runs Fetch Test Event. */
	test(): Promise<any[] | null>;
	/** State that n8n would save now */
	state(): any;
	/** True if the last poll made n8n save anything */
	isChanged(): boolean;
	/** Logged warnings */
	warnings: string[];
	/** The id of its node */
	id: string;
}

/**
 * A polling trigger as n8n has it from an activation on.
 * @param state what an earlier one has left in the database
 * @param id that of an earlier one in the same n8n; without it, this one is as after a restart of n8n
 * @param budgetMs the time that n8n gives a poll
 */
export function poller(
	setup: Setup,
	{
		state,
		activation = 'activate',
		// The nodes, and what they remember, are those of all files that a worker of jest runs.
		id = randomUUID(),
		budgetMs,
	}: { state?: any; activation?: WorkflowActivateMode; id?: string; budgetMs?: number } = {},
): Poller {
	const { workflow, additionalData } = prepare({ ...setup, settings: { id } });
	const node = workflow.getNode(NODE)!;
	if (state !== undefined)
		workflow.overrideStaticData({ [`node:${NODE}`]: structuredClone(state) });
	workflow.staticData.__dataChanged = false;
	const warnings: string[] = [];
	const call = async (mode: 'trigger' | 'manual') => {
		const plain = new core.PollContext(workflow, node, additionalData, mode, activation);
		const warn = (message: string) => warnings.push(message);
		const logger = Object.create(plain.logger, { warn: { value: warn } });
		const context: PollContext = Object.create(plain, {
			logger: { value: logger },
			...(budgetMs !== undefined && { getPollBudgetMs: { value: () => budgetMs } }),
		});
		workflow.staticData.__dataChanged = false;
		const output = await builtNode(setup.node).poll!.call(context);
		return output && output[0].map(({ json }) => json);
	};
	return {
		poll: () => call('trigger'),
		test: () => call('manual'),
		state: () => JSON.parse(JSON.stringify(workflow.getStaticData('node', node))),
		isChanged: () => workflow.staticData.__dataChanged === true,
		warnings,
		id,
	};
}

/** The hints that the editor shows in the node's panel. */
export function hints(setup: Setup): string[] {
	const { workflow } = prepare(setup);
	const shown = ({ displayCondition }: { displayCondition?: string }) =>
		displayCondition === undefined ||
		workflow.expression.getParameterValue(displayCondition, null, 0, 0, NODE, [], 'manual', {}) ===
			true;
	return (builtNode(setup.node).description.hints ?? [])
		.filter(shown)
		.map(({ message }) => message);
}

/** Prepares the data of a failed execution like "Retry with currently saved workflow": removes the failed run, and replaces the node. */
function dataForRetry(
	{ data }: Execution,
	workflow: ReturnType<typeof prepare>['workflow'],
): IRunExecutionData {
	const copy = createRunExecutionData(
		structuredClone(JSON.parse(JSON.stringify(data))) as IRunExecutionData,
	);
	prepareRetry(copy, workflow);
	return copy;
}

function toExecution(run: IRun): Execution {
	const last = run.data.resultData.runData[NODE]?.at(-1);
	return {
		outputs: (last?.data?.main ?? []).map((output) => output ?? []) as Execution['outputs'],
		error: (last?.error ?? run.data.resultData.error) as Execution['error'],
		customData: run.data.resultData.metadata,
		data: run.data,
	};
}
