// Workflows with a Run Agent Session that waits in the database, and n8n as its tests run it.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { listExecutions } from '../../n8n-host/executions.mts';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type Host, type HostOptions, type OwnHost } from '../../n8n-host/host.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { importCredential, type StartHost } from '../../tools/demoStage.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { shared } from './shared.mts';
import {
	agentSession,
	arrival,
	connect,
	eventually,
	manualTrigger,
	node,
	NODE,
	workflow,
} from './support.mts';

/** n8n looks for what it has paused every 60 s, and for what is due within 70: so about five seconds instead of a minute and a half */
export const WAITS_FASTER = 20;

/** An n8n that nobody shares, which resumes what it has paused sooner */
export const hurriedHost: StartHost = async ({ packageDir }) =>
	await startHost({ packageDir, waitsFaster: WAITS_FASTER, env: WITHOUT_EDITOR });

/** The same, but what it has paused it resumes a second time, 50 ms later at most. n8n 1 does so at times; here always. */
export const twiceHost: StartHost = async ({ packageDir }) =>
	await startHost({
		packageDir,
		waitsFaster: WAITS_FASTER,
		env: { ...WITHOUT_EDITOR, WAITS_TWICE: '50' },
	});

/** A local mock service, and an n8n that its test file kills and starts again where it was */
export interface KillableStage {
	host: OwnHost;
	service: LocalService;
	/** Starts n8n again, after it was killed. */
	restart(): Promise<void>;
}

/** Returns the stage of one test file, which is filled before its tests and ended after them. n8n's polls are faster by default. */
export function useKillableStage({
	waitsFaster = WAITS_FASTER,
	env = {},
}: Pick<HostOptions, 'waitsFaster' | 'env'> = {}): KillableStage {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-killable-'));
	const start = async (login?: OwnHost['login']) =>
		await startHost({
			packageDir: shared().packageDir,
			userFolder,
			login,
			waitsFaster,
			env: { ...WITHOUT_EDITOR, ...env },
		});
	const stage = {
		async restart() {
			stage.host = await start(stage.host.login);
			// The first one is still there, but the new host doesn't know its ID.
			await importCredential(stage.host, stage.service);
		},
	} as KillableStage;
	beforeAll(async () => {
		[stage.host, stage.service] = await Promise.all([start(), startLocalService()]);
		await importCredential(stage.host, stage.service);
	});
	afterAll(async () => {
		await Promise.allSettled([stage.host?.close(), stage.service?.close()]);
		rmSync(userFolder, { recursive: true, force: true });
	});
	return stage;
}

/** Run Agent Session, waiting in the database */
export const durable = (
	parameters: Record<string, unknown>,
	parts: Partial<WorkflowNode> = {},
): WorkflowNode =>
	agentSession(
		{ wait: 'database', permissionPolicy: 'approve', options: {}, ...parameters },
		parts,
	);

/** Items with these fields, one for each entry */
export const items = (list: object[]): WorkflowNode[] => [
	manualTrigger(),
	node('List', 'n8n-nodes-base.set', 3.4, {
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ list }), options: {} },
	}),
	node('Items', 'n8n-nodes-base.splitOut', 1, {
		parameters: { fieldToSplitOut: 'list', options: {} },
	}),
];

/** The connections of its outputs: Still Running to its own input */
const WIRES = connect({
	stillRunning: [NODE],
	completed: ['Completed'],
	needsApproval: ['Approval'],
});

/** The items, Run Agent Session, and its next nodes, below it on the canvas. */
export function looped(
	name: string,
	list: object[],
	session: WorkflowNode,
	{
		wires = WIRES,
		more = [] as WorkflowNode[],
		follows = {} as Record<string, string[][]>,
		completed = arrival('Completed'),
	} = {},
): WorkflowFile {
	const below = (one: WorkflowNode): WorkflowNode => ({ ...one, position: [400, 400] });
	return workflow(
		name,
		[...items(list), session, below(completed), below(arrival('Approval')), ...more],
		{ Start: [['List']], List: [['Items']], Items: [[NODE]], [NODE]: wires, ...follows },
	);
}

/** One session that waits in the database. */
export const single = (
	name: string,
	prompt: string,
	parameters: Record<string, unknown> = {},
	parts: Partial<WorkflowNode> = {},
): WorkflowFile => looped(name, [{ n: 1 }], durable({ prompt, ...parameters }, parts));

/** The same workflow, started by a request to this path instead of by hand, so that it can be made live. */
export function live(file: WorkflowFile, path: string): WorkflowFile {
	const hook = node('Start', 'n8n-nodes-base.webhook', 2, {
		parameters: { httpMethod: 'POST', path, options: {} },
		webhookId: path,
	});
	return { ...file, nodes: file.nodes.map((one) => (one.name === 'Start' ? hook : one)) };
}

/** Starts an execution of a live workflow, whose webhook answers a few seconds after it was made so. */
export const call = async (url: string): Promise<void> => {
	await eventually(async () => (await fetch(url, { method: 'POST' })).ok);
};

/** Publishes a workflow, calls it once, and returns the execution's ID: in production, a session is paused right after its start. */
export async function runLive(host: Host, file: WorkflowFile): Promise<string> {
	const path = randomUUID();
	const workflowId = await host.importWorkflow(live(file, path));
	await host.activate(workflowId);
	await call(`${host.url}/webhook/${path}`);
	const first = await eventually(async () => (await listExecutions(host.rest, workflowId))[0]);
	return first.id;
}

/** A key for n8n's own API, that may read executions and retry them, in the credential of n8n's that examples/retry-crashed.json names */
export async function retryKey(host: Host): Promise<void> {
	const { rawApiKey } = await host.rest.post('/api-keys', {
		label: 'Retry',
		expiresAt: null,
		scopes: ['execution:list', 'execution:read', 'execution:retry'],
	});
	const data = { apiKey: rawApiKey, baseUrl: `${host.url}/api/v1` };
	await host.importCredential({ name: 'n8n account', type: 'n8nApi', data });
}
