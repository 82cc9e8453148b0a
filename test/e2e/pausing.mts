// Workflows with a Run Agent Session that pauses the execution, in a separate n8n whose hours pass in minutes.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import { freeHostPorts, startHost, type Host, type OwnHost } from '../../n8n-host/host.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { shared } from './shared.mts';
import { agentSession, arrival, eventually, node, NODE, workflow } from './support.mts';

/** Factor by which the clocks of n8n and the service run faster: a pause of 70 s takes 3.5 s. */
export const FASTER = 20;

/** A local mock service, and an n8n that tests can kill and start again with its data */
interface PausingStage {
	host: OwnHost;
	service: LocalService;
	/** n8n's time */
	now(): number;
	kill(): Promise<void>;
	restart(): Promise<void>;
}

interface PausingOptions {
	/** The package that n8n loads. This project's by default */
	packageDir?: string;
	/** True if n8n 1 resumes each pause a second time right after the first, as it does at times */
	twice?: boolean;
	/** True if n8n takes its time for the recovery at its start */
	recoversSlowly?: boolean;
}

/** Returns the stage of one test file, which is filled before its tests and ended after them. */
export function usePausingStage({
	packageDir,
	twice,
	recoversSlowly,
}: PausingOptions = {}): PausingStage {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-pausing-'));
	const clock = { faster: FASTER, origin: Date.now() };
	// Links lead to the same address after a restart.
	const ports = freeHostPorts();
	const start = async () => {
		stage.host = await startHost({
			ports: await ports,
			packageDir: packageDir ?? shared().packageDir,
			userFolder,
			login: stage.host?.login,
			clock,
			recoversSlowly,
			...(twice && { waitsFaster: 1 }),
			env: {
				...WITHOUT_EDITOR,
				...(twice && { WAITS_TWICE: '50' }),
			},
		});
		// After a restart, the first one is still there, but the new host doesn't know its ID.
		if (!packageDir) await importCredential(stage.host, stage.service);
	};
	const stage = {
		now: () => clock.origin + (Date.now() - clock.origin) * FASTER,
		kill: async () => await stage.host.kill(),
		restart: start,
	} as PausingStage;
	beforeAll(async () => {
		stage.service = await startLocalService();
		await stage.service.control.setSpeed(FASTER);
		await start();
	});
	afterAll(async () => {
		await Promise.allSettled([stage.host?.close(), stage.service?.close()]);
		rmSync(userFolder, { recursive: true, force: true });
	});
	return stage;
}

/** Run Agent Session, which pauses the execution */
export const pausing = (
	parameters: Record<string, unknown> = {},
	parts: Partial<WorkflowNode> = {},
): WorkflowNode =>
	agentSession(
		{
			prompt: '={{ $json.prompt }}',
			permissionPolicy: 'approve',
			whileWaiting: 'pause',
			...parameters,
		},
		parts,
	);

/** A node that returns items with these fields */
const items = (list: object[]): WorkflowNode[] => [
	node('List', 'n8n-nodes-base.set', 3.4, {
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ list }), options: {} },
	}),
	node('Items', 'n8n-nodes-base.splitOut', 1, {
		parameters: { fieldToSplitOut: 'list', options: {} },
	}),
];

interface Around {
	/** The nodes that each output of Run Agent Session is connected to */
	outputs?: string[][];
	more?: WorkflowNode[];
	follows?: Record<string, string[][]>;
	/** The first node after the items */
	first?: string;
	settings?: object;
}

/** Items, Run Agent Session, and a node behind each output. */
export function around(
	name: string,
	list: object[],
	session: WorkflowNode,
	{
		outputs = [['Completed'], ['Approval']],
		more = [],
		follows = {},
		first = NODE,
		settings,
	}: Around = {},
): WorkflowFile {
	const start = node('Start', 'n8n-nodes-base.manualTrigger', 1);
	const file = workflow(
		name,
		[start, ...items(list), session, arrival('Completed'), arrival('Approval'), ...more],
		{ Start: [['List']], List: [['Items']], Items: [[first]], [NODE]: outputs, ...follows },
	);
	return { ...file, settings: { ...file.settings, ...settings } };
}

/** The same workflow, started by a request to this path instead of by hand */
function live(file: WorkflowFile, path: string): WorkflowFile {
	const hook = node('Start', 'n8n-nodes-base.webhook', 2, {
		parameters: { httpMethod: 'POST', path, options: {} },
		webhookId: path,
	});
	return { ...file, nodes: file.nodes.map((one) => (one.name === 'Start' ? hook : one)) };
}

/** Imports a workflow as a sub-workflow. Returns its ID, and the node that calls it. */
export async function importCalled(
	host: Host,
	file: WorkflowFile,
): Promise<{ childId: string; call: WorkflowNode }> {
	const trigger = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		parameters: { inputSource: 'passthrough' },
	});
	const childId = await host.importWorkflow({ ...file, nodes: [trigger, ...file.nodes.slice(1)] });
	// n8n 2 calls no workflow that isn't published. n8n 1 has nothing there to publish.
	await host.activate(childId).catch(() => {});
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: childId },
			options: { waitForSubWorkflow: true },
		},
	});
	return { childId, call };
}

export interface Published {
	workflowId: string;
	/** Starts an execution, and returns its ID. */
	call(): Promise<string>;
}

/** Publishes a workflow. In production, an execution pauses right after the start of its sessions. */
export async function publish(host: Host, file: WorkflowFile): Promise<Published> {
	const path = randomUUID();
	const workflowId = await host.importWorkflow(live(file, path));
	await host.activate(workflowId);
	const call = async () => {
		// The webhook answers a few seconds after the activation.
		await eventually(
			async () => (await fetch(`${host.url}/webhook/${path}`, { method: 'POST' })).ok,
		);
		const list = await eventually(async () => {
			const found = await listExecutions(host.rest, workflowId);
			return found.length > 0 ? found : undefined;
		});
		return list[0].id;
	};
	return { workflowId, call };
}

export interface Started {
	workflowId: string;
	executionId: string;
}

/** Publishes a workflow, and starts an execution. */
export async function startLive(host: Host, file: WorkflowFile): Promise<Started> {
	const { workflowId, call } = await publish(host, file);
	return { workflowId, executionId: await call() };
}

/** Waits until n8n has saved a pause that lasts so much longer: n8n 1 writes the status first, and then the data. */
/** @param leftMs the time of n8n's clock that must be left of the pause */
export async function isPaused(
	{ host, now }: Pick<PausingStage, 'host' | 'now'>,
	executionId: string,
	leftMs = 0,
): Promise<boolean> {
	const { status, waitTill } = await host.rest.get(`/executions/${executionId}`);
	return status === 'waiting' && waitTill && Date.parse(waitTill) > now() + leftMs;
}

export const untilPaused = async (
	stage: Pick<PausingStage, 'host' | 'now'>,
	executionId: string,
	leftMs?: number,
): Promise<void> => void (await eventually(async () => await isPaused(stage, executionId, leftMs)));

export const expectSuccess = ({ status, error }: Execution): void =>
	expect({ status, error: error && JSON.stringify(error) }).toEqual({ status: 'success' });
