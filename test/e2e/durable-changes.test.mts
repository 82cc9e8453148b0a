// A paused execution when its workflow is deactivated or changed, and one that was run by hand up to a node.
import { beforeAll, expect, test } from '@jest/globals';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { call, hurriedHost, live, single } from './durable.mts';
import { eventually, itemsOn, NODE, sessionsFor, useOwnStage } from './support.mts';

const stage = useOwnStage(hurriedHost);

const getPrompt = (name: string) => `${name} [work 20s] [say Done.]`;
const workflowIds: Record<string, string> = {};
const started: Record<string, string> = {};

const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(started[name]);

const prepare = async (file: WorkflowFile) =>
	(workflowIds[file.name] = await stage.host.importWorkflow(file));

/** Makes the workflow live, calls it, and waits until its execution is paused. */
async function parkedLive(name: string): Promise<void> {
	const { host } = stage;
	const path = name.toLowerCase().replaceAll(' ', '-');
	const id = await prepare(live(single(name, getPrompt(name)), path));
	await host.activate(id);
	await call(`${host.url}/webhook/${path}`);
	const execution = await eventually(async () => {
		const [latest] = await listExecutions(host.rest, id);
		return latest?.status === 'waiting' ? latest : undefined;
	});
	started[name] = execution.id;
}

/** As "Execute step" of a node does it */
async function runUpTo(name: string, node: string): Promise<void> {
	started[name] = await stage.host.goOn(await prepare(single(name, getPrompt(name))), {}, node);
}

beforeAll(async () => {
	const { host } = stage;
	await parkedLive('Switched off');
	await host.deactivate(workflowIds['Switched off']);

	await parkedLive('Published anew');
	const { rest } = host;
	const path = `/workflows/${workflowIds['Published anew']}`;
	const { nodes, ...saved } = await rest.get(path);
	for (const { name, parameters } of nodes) if (name === NODE) parameters.prompt = 'Another job';
	await rest.patch(path, { ...saved, nodes });
	await host.activate(workflowIds['Published anew']);

	await runUpTo('Up to the node', NODE);
	await runUpTo('Up to what follows', 'Completed');
});

test.each([
	['the workflow has been switched off', 'Switched off'],
	['the workflow has been changed and published again', 'Published anew'],
	['it was run by hand up to a later node', 'Up to what follows'],
])('%s: the execution continues unchanged (rule 8)', async (_, name) => {
	const execution = await outcome(name);
	expect(execution.status).toBe('success');
	expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
	expect(await sessionsFor(stage, getPrompt(name))).toMatchObject([
		{ status: 'completed', turns: 1 },
	]);
});

test('run by hand up to the node itself: a session that ends within 30 s returns at once', async () => {
	const execution = await outcome('Up to the node');
	expect(execution.status).toBe('success');
	expect(itemsOn(execution, 'completed')).toMatchObject([{ text: 'Done.' }]);
});
