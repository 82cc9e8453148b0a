// Workflows in a few words, and the approver who answers them.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { connectHost, type OwnHost } from '../../n8n-host/host.mts';
import { fromList, type WorkflowFile, type WorkflowNode } from '../../n8n-host/workflows.mts';
import { importCredential, setStage, type Stage, type StartHost } from '../../tools/demoStage.mts';
import { credentialName, filledInExample, firstProjectId } from '../../tools/examples.mts';
import { startLocalService } from '../../tools/demoService.mts';
import { has, sharedHost, type Program } from './shared.mts';
import { apiHeaders } from '../../local-service/caller.mts';
import { http, isOk } from '../../tools/http.mts';
import { HANG_MS, lookAgainMs } from '../../n8n-host/hang.mts';

export const NODE = 'Run Agent Session';

export const projectId = firstProjectId;

/** A local mock service, and the n8n that the test files share, for the tests of one file */
export const useStage = (): Stage => prepared(connectStage);

/** A local mock service, and an n8n that nobody shares, for the tests of one `describe` */
export const useOwnStage = <H extends OwnHost>(start: StartHost<H>): Stage<H> =>
	// The command has built already, and other tests read what it built.
	prepared(() => setStage((line) => process.stderr.write(`${line}\n`), { build: false, start }));

/** Fills the stage before the tests, and ends it after them. */
function prepared<S extends Stage>(prepare: () => Promise<S>): S {
	// Nobody reads it before it is filled.
	const stage = {} as S;
	beforeAll(async () => {
		Object.assign(stage, await prepare());
	});
	afterAll(async () => {
		await stage.close?.();
	});
	return stage;
}

/** Each file has its own service, so that nobody else changes its speed, its faults or its record. */
async function connectStage(): Promise<Stage> {
	const service = await startLocalService();
	try {
		const { tail, ...address } = sharedHost();
		const host = await connectHost(address, tail);
		const credential = await importCredential(host, service);
		const close = async () => {
			await host.close();
			await service.close();
		};
		return { service, host, credential, close };
	} catch (error) {
		await service.close();
		throw error;
	}
}

/** `describe` and `test` for what needs programs; skipped where the machine lacks one, which was said before the tests began. */
export const describeWith = (...programs: Program[]): typeof describe.skip =>
	programs.every(has) ? describe : describe.skip;
export const testWith = (...programs: Program[]): typeof test.skip =>
	programs.every(has) ? test : test.skip;

type Parts = Partial<WorkflowNode> & { parameters?: Record<string, unknown> };

const ours = { workspaceAutomationApi: { id: null, name: credentialName } };

export { byId, fromList } from '../../n8n-host/workflows.mts';

export function node(
	name: string,
	type: string,
	typeVersion: number,
	parts: Parts = {},
): WorkflowNode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters: {}, ...parts };
}

export const manualTrigger = (): WorkflowNode => node('Start', 'n8n-nodes-base.manualTrigger', 1);

/** A node that passes on what it gets, to see that something got there. */
export const arrival = (name: string): WorkflowNode => node(name, 'n8n-nodes-base.noOp', 1);

/** Run Agent Session, which keeps the execution running. */
export function agentSession(parameters: Record<string, unknown>, parts: Parts = {}): WorkflowNode {
	return node(NODE, 'n8n-nodes-workspace-automation.runAgentSession', 1, {
		parameters: {
			operation: 'start',
			projectId: fromList(projectId),
			permissionPolicy: 'ask',
			whileWaiting: 'keepRunning',
			...parameters,
		},
		credentials: ours,
		...parts,
	});
}

/** Workspace Automation, doing `resource.operation`. */
export function workspaceAutomation(
	name: string,
	does: string,
	parameters: object,
	parts: Parts = {},
): WorkflowNode {
	const [resource, operation] = does.split('.');
	return node(name, 'n8n-nodes-workspace-automation.workspaceAutomation', 1, {
		parameters: { resource, operation, ...parameters },
		credentials: ours,
		...parts,
	});
}

/** Every two seconds: n8n polls no schedule more often than once a minute, but a trigger may have several. */
const POLL_TIMES = Array.from({ length: 30 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${2 * index} * * * * *`,
}));

/** Workspace Automation Trigger on an event, polling every two seconds. */
export const triggerNode = (event: string, parameters: object = {}, name?: string): WorkflowNode =>
	node(
		name ?? 'Workspace Automation Trigger',
		'n8n-nodes-workspace-automation.workspaceAutomationTrigger',
		1,
		{
			parameters: { event, pollTimes: { item: POLL_TIMES }, ...parameters },
			credentials: ours,
		},
	);

/** Edit Fields: returns these fields and no others. */
export function editFields(
	name: string,
	fields: Record<string, string>,
	type = 'string',
): WorkflowNode {
	const assignments = Object.entries(fields).map(([field, value]) => ({
		id: field,
		name: field,
		value,
		type,
	}));
	return node(name, 'n8n-nodes-base.set', 3.4, {
		parameters: { assignments: { assignments }, options: {} },
	});
}

/** A workflow in which each node follows the first output of the one before. */
export const chain = (name: string, nodes: WorkflowNode[]): WorkflowFile =>
	workflow(
		name,
		nodes,
		Object.fromEntries(nodes.slice(1).map((next, index) => [nodes[index].name, [[next.name]]])),
	);

/** The outputs of Run Agent Session. The third is n8n's, if On Error is set to it. */
const OUTPUTS = { completed: 0, needsApproval: 1, error: 2 };

/** Returns the items that the last run of a Run Agent Session node returned on an output. */
export const itemsOn = (execution: Execution, output: keyof typeof OUTPUTS, from = NODE) =>
	execution.items(from, OUTPUTS[output]);

/** The items that reached a node, over all of its runs */
export const arrived = ({ runData }: Execution, name: string): Array<Record<string, any>> =>
	(runData[name] ?? []).flatMap((run) => run.data?.main[0] ?? []).map(({ json }) => json);

/** A workflow out of nodes and of who follows whom: `{ Start: [['Run Agent Session']] }`, by output. */
export function workflow(
	name: string,
	nodes: WorkflowNode[],
	follows: Record<string, string[][]>,
): WorkflowFile {
	const connections = Object.entries(follows).map(([from, outputs]) => {
		const main = outputs.map((names) => names.map((to) => ({ node: to, type: 'main', index: 0 })));
		return [from, { main }];
	});
	return {
		name,
		nodes,
		connections: Object.fromEntries(connections),
		settings: { executionOrder: 'v1' },
	};
}

/** An example of examples/ in which these nodes have other parameters. */
export function example(
	name: string,
	changes: Record<string, Record<string, unknown>> = {},
): WorkflowFile {
	const file = filledInExample(name);
	for (const [node, parameters] of Object.entries(changes))
		Object.assign(file.nodes.find((one) => one.name === node)!.parameters, parameters);
	return file;
}

/** Imports a workflow and runs it until it ends, or until it waits for someone. */
export async function play(
	{ host }: Pick<Stage, 'host'>,
	file: WorkflowFile,
	until?: 'ended' | 'waiting',
): Promise<Execution> {
	const executionId = await host.run(await host.importWorkflow(file));
	return await host.waitForExecution(executionId, { until });
}

/** Calls the API as anybody could. */
export async function callApi(
	{ service }: Pick<Stage, 'service'>,
	method: string,
	path: string,
	body?: object,
): Promise<any> {
	const response = await http.request({
		method,
		url: `${service.baseUrl}${path}`,
		headers: apiHeaders(service.key),
		data: body,
	});
	if (!isOk(response))
		throw new Error(
			`${method} ${path} answered ${response.status}: ${JSON.stringify(response.data)}`,
		);
	return response.data;
}

/** The number of the last request that the service has got */
export const requestCount = async ({ service }: Pick<Stage, 'service'>): Promise<number> =>
	(await service.requests()).at(-1)?.n ?? 0;

/** The requests that the service has got since, without their queries */
export const requestsSince = async ({ service }: Pick<Stage, 'service'>, since: number) =>
	(await service.requests(since)).map((request) => ({
		...request,
		path: request.path.split('?')[0].replace(/^\/v1/, ''),
	}));

/** Returns the service's own state of a session. */
export async function getRecord(
	{ service }: Pick<Stage, 'service'>,
	sessionId: string,
): Promise<any> {
	const record = (await service.sessions()).find((session) => session.sessionId === sessionId);
	if (!record) throw new Error(`The service knows no session ${sessionId}.`);
	return record;
}

/** The sessions with this prompt, as the service itself knows them */
export const sessionsFor = async (
	{ service }: Pick<Stage, 'service'>,
	prompt: string,
): Promise<any[]> => (await service.sessions()).filter((session) => session.prompt === prompt);

/** The session with this prompt, once a node has checked it */
export const watched = async (stage: Stage, prompt: string): Promise<any> =>
	await eventually(async () => (await sessionsFor(stage, prompt)).find(({ polls }) => polls > 0));

/** Waits for the first truthy result. */
export async function eventually<T>(look: () => Promise<T>): Promise<NonNullable<T>> {
	const start = Date.now();
	for (const end = start + HANG_MS; ; await sleep(lookAgainMs(Date.now() - start))) {
		const result = await look();
		if (result) return result;
		if (Date.now() > end) throw new Error(`It did not happen within ${HANG_MS / 1000} s.`);
	}
}
