// The workflow of a world, and n8n's nodes around those of the package, as small as what they do in n8n.
import type { IDataObject, INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { nodeType } from '../../n8n-host/core.mts';
import { byId, PACKAGE } from '../../n8n-host/workflows.mts';
import { MISFIT, projectId } from './service.mts';
import { CALLING, type Settings, type World } from './world.mts';

/** The names of the nodes that run sessions */
export const AGENTS = ['A', 'B'];
export const CREATE = 'Create';

export interface WorkflowData {
	id: string;
	name: string;
	nodes: INode[];
	connections: Record<
		string,
		Record<string, Array<Array<{ node: string; type: string; index: number }>>>
	>;
	settings: IDataObject;
	active: boolean;
}

/** A longer Wait node pauses the execution (n8n-nodes-base/nodes/Wait/Wait.node.ts). */
const WAITS_IN_MEMORY_MS = 65_000;

const paired = (items: INodeExecutionData[]): INodeExecutionData[] =>
	items.map(({ json }, item) => ({ json, pairedItem: { item } }));

export interface Surroundings {
	/** A message to people */
	notify(items: IDataObject[], executionId: string): void;
	behindMs: number;
	batchSize: number;
	/** How often a message can't be sent */
	messageFailures: number;
}

/** Returns the types of all nodes that aren't of the package. */
export function otherTypes({
	notify,
	behindMs,
	batchSize,
	messageFailures,
}: Surroundings): Record<string, INodeType> {
	let failures = 0;
	const sleep = async (ms: number) => await new Promise<void>((done) => void setTimeout(done, ms));
	return {
		// n8n passes the data of a trigger with a webhook on (n8n-core, workflow-execute.js, executeNode).
		trigger: nodeType('trigger', { webhook: async () => ({}) }, { group: ['trigger'], inputs: [] }),
		// n8n-nodes-langchain's Structured Output Parser. Some answers don't fit.
		parser: nodeType('parser', {
			async supplyData() {
				return {
					response: {
						getFormatInstructions: () => 'Answer in the format.',
						async parse(text: string) {
							if (text.startsWith(MISFIT)) throw new Error('It says something else');
							return { output: { text } };
						},
					},
				};
			},
		}),
		pass: nodeType('pass', {
			async execute() {
				return [paired(this.getInputData())];
			},
		}),
		mark: nodeType('mark', {
			async execute() {
				const items = this.getInputData().map(({ json }, item) => ({
					json: { task: `again ${String(json.task)}` },
					pairedItem: { item },
				}));
				return [items];
			},
		}),
		notify: nodeType('notify', {
			async execute() {
				if (failures++ < messageFailures) throw new Error('The channel is down');
				notify(
					this.getInputData().map(({ json }) => json),
					this.getExecutionId(),
				);
				return [paired(this.getInputData())];
			},
		}),
		slow: nodeType('slow', {
			async execute() {
				await sleep(behindMs);
				return [paired(this.getInputData())];
			},
		}),
		// n8n-nodes-base/nodes/Wait/Wait.node.ts
		wait: nodeType('wait', {
			async execute() {
				if (behindMs < WAITS_IN_MEMORY_MS) await sleep(behindMs);
				else await this.putExecutionToWait(new Date(Date.now() + behindMs));
				return [this.getInputData()];
			},
		}),
		// n8n-nodes-base/nodes/Merge/v3, Append
		merge: nodeType(
			'merge',
			{
				async execute() {
					const items = [...this.getInputData(0), ...this.getInputData(1)];
					return [items.map(({ json }) => ({ json, pairedItem: { item: 0 } }))];
				},
			},
			{ inputs: ['main', 'main'], requiredInputs: 1 },
		),
		// n8n-nodes-base/nodes/SplitInBatches/v3/SplitInBatchesV3.node.ts
		loop: nodeType(
			'loop',
			{
				async execute() {
					const items = this.getInputData().slice();
					const state = this.getContext('node') as {
						items?: INodeExecutionData[];
						processed?: INodeExecutionData[];
					};
					const isFirst = state.items === undefined;
					const queue = state.items ?? items;
					const batch = queue.splice(0, batchSize);
					state.processed = isFirst
						? []
						: [
								...state.processed!,
								...items.map((item, index) => ({
									...item,
									pairedItem: { sourceOverwrite: this.getInputSourceData(), item: index },
								})),
							];
					state.items = [...queue];
					if (batch.length === 0) return [state.processed, []];
					return [[], batch];
				},
			},
			{ outputs: ['main', 'main'] },
		),
		// n8n-nodes-base/nodes/ExecuteWorkflow/ExecuteWorkflow/ExecuteWorkflow.node.ts
		executeWorkflow: nodeType('executeWorkflow', {
			async execute() {
				const proxy = this.getWorkflowDataProxy(0);
				const result = await this.executeWorkflow({ id: 'child' }, this.getInputData(), undefined, {
					parentExecution: {
						executionId: proxy.$execution.id,
						workflowId: proxy.$workflow.id,
						shouldResume: true,
					},
					executionMode: this.getMode(),
				} as never);
				return result.data.map((output) => output ?? []);
			},
		}),
	};
}

const RULES = {
	rule: [
		{ permission: 'bash', pattern: 'npm run covered *', decision: 'approve' },
		{ permission: 'bash', pattern: 'npm run refused *', decision: 'deny' },
	],
};

/** Returns what a user enters in Run Agent Session. */
function agentParameters(name: string, world: World): IDataObject {
	const { shape, continues } = world;
	const settings = settingsOf(world, name);
	const from = name === 'A' && shape !== 'create' ? '$json' : "$('Trigger').item.json";
	const isOfA = shape === 'chain' && name === 'B';
	const isContinued = continues !== undefined && (isOfA || shape !== 'chain');
	const task = `=${name} {{ ${from}.task }}`;
	const { keepsRunning, policy, maxWaitMinutes, letsRun, ifNobodyAnswers } = settings;
	const { unansweredAfterHours, maxConcurrent, askIfQuietMinutes, hasFormat, sendsComments } =
		settings;
	return {
		...(isContinued
			? {
					operation: 'continue',
					sessionId: byId(`={{ ${isOfA ? '$json.sessionId' : `${from}.${name}`} }}`),
					message: continues === 'with a message' ? task : '',
				}
			: { operation: 'start', projectId: byId(projectId), prompt: task }),
		...(hasFormat && { hasOutputParser: true }),
		...(policy && { permissionPolicy: policy }),
		...(policy === 'rules' && { permissionRules: RULES, defaultDecision: 'ask' }),
		...(keepsRunning && { whileWaiting: 'keepRunning' }),
		...(maxWaitMinutes !== undefined && { maxWait: maxWaitMinutes }),
		...(letsRun && { onMaxWait: 'letRun' }),
		approvals: {
			...(ifNobodyAnswers && { ifNobodyAnswers }),
			...(unansweredAfterHours !== undefined && { unansweredAfter: unansweredAfterHours }),
			...(ifNobodyAnswers === 'deny' && { answerIfNobodyAnswers: 'Decide yourself' }),
			...(sendsComments && { sendComments: true }),
		},
		options: {
			...(maxConcurrent !== undefined && { maxConcurrentSessions: maxConcurrent }),
			...(askIfQuietMinutes !== undefined && { askIfQuiet: askIfQuietMinutes }),
		},
	};
}

/** Returns the settings of a node that runs sessions. */
export const settingsOf = ({ settings = {}, second = settings }: World, name: string): Settings =>
	name === 'B' ? second : settings;

type Wires = Record<string, string[][]>;

/** Returns the workflow that is triggered, and the one that it calls. */
export function buildWorkflows(world: World): { main: WorkflowData; child?: WorkflowData } {
	const { shape = 'one' } = world;
	const { onError } = settingsOf(world, 'A');
	const errorsLeave = (name: string) =>
		settingsOf(world, name).onError === 'continueErrorOutput' ? [[`Errors of ${name}`]] : [];
	const outputs = (name: string, behind: string[] = [`Done ${name}`]) => [
		behind,
		[`Notify ${name}`],
		...errorsLeave(name),
	];
	const wires: Wires = {
		one: { Trigger: [['A']], A: outputs('A') },
		chain: { Trigger: [['A']], A: outputs('A', ['B']), B: outputs('B') },
		parallel: { Trigger: [['A', 'B']], A: outputs('A'), B: outputs('B') },
		loop: { Trigger: [['Loop']], Loop: [['Done'], ['A']], A: outputs('A', ['Loop']) },
		merge: { Trigger: [['A', 'Beside']], A: outputs('A', ['Merge']), Beside: [['Merge']] },
		sub: { Trigger: [['Call']], Call: [['Done']] },
		calls: { Trigger: [['Loop']], Loop: [['Done'], ['Call']], Call: [['Wait']], Wait: [['Loop']] },
		wait: { Trigger: [['A']], A: outputs('A', ['Wait']), Wait: [['Done A']] },
		twice: { Trigger: [['A', 'Mark']], Mark: [['A']], A: outputs('A') },
		slow: { Trigger: [['A']], A: outputs('A', ['Slow']), Slow: [['Done A']] },
		create: { Trigger: [[CREATE]], [CREATE]: [['A']], A: outputs('A') },
	}[shape] as Wires;
	if (shape === 'loop' && onError === 'continueErrorOutput') wires.A[2] = ['Loop'];
	const main = toWorkflow('main', wires, world);
	if (!CALLING.includes(shape)) return { main };
	return { main, child: toWorkflow('child', { Trigger: [['A']], A: outputs('A') }, world) };
}

const TYPES: Record<string, string> = {
	Trigger: 'trigger',
	Loop: 'loop',
	Merge: 'merge',
	Call: 'executeWorkflow',
	Wait: 'wait',
	Slow: 'slow',
	Mark: 'mark',
	Notify: 'notify',
	Parser: 'parser',
};

const parserOf = (name: string) => `Parser of ${name}`;

function toNode(world: World, name: string, index: number): INode {
	const base = {
		id: `node-${name}`,
		name,
		typeVersion: 1,
		position: [200 * index, 100 * (index % 3)] as [number, number],
		parameters: {},
	};
	const isAgent = AGENTS.includes(name);
	if (!isAgent && name !== CREATE)
		return { ...base, type: TYPES[name] ?? TYPES[name.split(' ')[0]] ?? 'pass' };
	const settings = settingsOf(world, name);
	const parameters = isAgent
		? agentParameters(name, world)
		: {
				resource: 'product',
				operation: 'create',
				projectId: byId(projectId),
				fields: '={{ JSON.stringify({ name: $json.task, task: $json.task }) }}',
			};
	return {
		...base,
		type: `${PACKAGE}${isAgent ? 'runAgentSession' : 'workspaceAutomation'}`,
		webhookId: `hook-${name}`,
		parameters: parameters as INode['parameters'],
		credentials: { workspaceAutomationApi: { id: '1', name: 'Test' } },
		...(isAgent && settings.onError && { onError: settings.onError }),
		...(isAgent && settings.alwaysOutputData && { alwaysOutputData: true }),
		...(settings.maxTries !== undefined && {
			retryOnFail: true,
			maxTries: settings.maxTries,
			waitBetweenTries: 1_000,
		}),
	};
}

function toWorkflow(id: string, wires: Wires, world: World): WorkflowData {
	const names = [...new Set([...Object.keys(wires), ...Object.values(wires).flat(2)])];
	const typed = names.filter((name) => AGENTS.includes(name) && settingsOf(world, name).hasFormat);
	const to = (targets: string[]) =>
		targets.map((node) => ({
			node,
			type: 'main',
			index: node === 'Merge' && targets !== wires.A?.[0] ? 1 : 0,
		}));
	return {
		id,
		name: id,
		nodes: [...names, ...typed.map(parserOf)].map((name, index) => toNode(world, name, index)),
		connections: {
			...Object.fromEntries(
				Object.entries(wires).map(([name, outputs]) => [name, { main: outputs.map(to) }]),
			),
			...Object.fromEntries(
				typed.map((node) => [
					parserOf(node),
					{ ai_outputParser: [[{ node, type: 'ai_outputParser', index: 0 }]] },
				]),
			),
		},
		settings: {
			executionOrder: world.isLegacyOrder ? 'v0' : 'v1',
			...(world.savesProgress && { saveExecutionProgress: true }),
		},
		active: true,
	};
}
