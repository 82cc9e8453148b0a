// Workspace Automation Trigger in its own n8n, which is ended, killed and started again while things change.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import { hasEnded, listExecutions, readExecution } from '../../n8n-host/executions.mts';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { shared } from './shared.mts';
import { arrival, chain, eventually, triggerNode, useStage, workflow } from './support.mts';

const stage = useStage();
/** Its data outlives it. */
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-trigger-'));
let host: OwnHost;
let control: ControlClient;
const active = new Set<string>();

const start = async () => {
	const { packageDir } = shared();
	host = await startHost({
		packageDir,
		userFolder,
		login: host?.login,
		env: WITHOUT_EDITOR,
	});
	// The workflows that are imported from now on find it.
	await importCredential(host, stage.service);
};

beforeAll(async () => {
	control = controlOver(stage.service.controlUrl);
	await start();
});

beforeEach(async () => {
	await control.reset();
});

afterEach(async () => {
	await control.clearFaults();
	for (const id of active) await host.deactivate(id);
	active.clear();
});

afterAll(async () => {
	await host?.close();
	rmSync(userFolder, { recursive: true, force: true });
});

const NODE = 'Workspace Automation Trigger';
const onTask = (event: string, name = NODE, parameters: object = {}): WorkflowNode =>
	triggerNode(event, parameters, name);

/** Makes a workflow live, and waits until its triggers have seen what there is: n8n 2 answers before they have. */
async function activate(id: string): Promise<void> {
	await host.activate(id);
	active.add(id);
	await polled(4);
}

async function activated(file: WorkflowFile): Promise<string> {
	const id = await host.importWorkflow(file);
	await activate(id);
	return id;
}

const watching = async (event: string, parameters: object = {}): Promise<string> =>
	await activated(chain(event, [onTask(event, NODE, parameters), arrival('Arrived')]));

/** The executions that a workflow's triggers have started, the first first */
async function getExecutions(workflowId: string) {
	const all = await listExecutions(host.rest, workflowId);
	const ended = all.filter((each) => each.mode === 'trigger' && hasEnded(each)).reverse();
	return await Promise.all(ended.map(({ id }) => readExecution(host.rest, id)));
}

/** Items of a trigger so far */
const emitted = async (workflowId: string, name = NODE) =>
	(await getExecutions(workflowId)).flatMap((execution) =>
		execution.items(name).filter(() => execution.status === 'success'),
	);

const titles = async (workflowId: string, name?: string) =>
	(await emitted(workflowId, name)).map(({ title }) => title);

/** Waits until so many polls of a list were answered from now on. */
async function polled(times: number, path = '/tasks'): Promise<void> {
	const count = async () =>
		(await control.requests()).filter((request) => request.path.endsWith(path)).length;
	const before = await count();
	await eventually(async () => (await count()) >= before + times);
}

const add = async (title: string) => await control.tasks.add({ title });
const comes = async (workflowId: string, ...expected: string[]) =>
	await eventually(async () => (await titles(workflowId)).length >= expected.length).then(
		async () => expect(await titles(workflowId)).toEqual(expected),
	);

test('starts the workflow once for new things, and never for existing ones', async () => {
	const id = await watching('taskAdded');
	await add('First');
	await comes(id, 'First');
	await add('Second');
	await add('Third');
	await comes(id, 'First', 'Second', 'Third');
	await polled(3);
	expect(await titles(id)).toEqual(['First', 'Second', 'Third']);
	const [first] = await emitted(id);
	expect(first).toMatchObject({
		event: 'taskAdded',
		eventId: expect.stringMatching(`^taskAdded:${first.id}:`),
	});
});

test("Fetch Test Event shows the newest entry, and doesn't change the trigger's state", async () => {
	const { id: newest } = await add('Newest');
	const id = await host.importWorkflow(chain('Test', [onTask('taskAdded'), arrival('Arrived')]));
	const sample = await host.waitForExecution(await host.run(id));
	expect(sample.status).toBe('success');
	expect(sample.items(NODE)).toMatchObject([{ id: newest, title: 'Newest' }]);

	for (const task of (await control.seed()).tasks) await control.tasks.remove(task.id);
	const none = await host.waitForExecution(await host.run(id));
	expect(none.error).toMatchObject({ message: 'There is no task to show as a sample' });
});

test('two triggers of one workflow have separate states', async () => {
	const file = workflow(
		'Two triggers',
		[onTask('taskAdded', 'Added'), onTask('taskUpdated', 'Updated'), arrival('Arrived')],
		{ Added: [['Arrived']], Updated: [['Arrived']] },
	);
	const id = await activated(file);
	const { id: taskId } = await add('One');
	await eventually(async () => (await titles(id, 'Added')).length);
	// A thing that changes before the trigger has seen it is new.
	await polled(4);
	await control.tasks.change(taskId, { title: 'Two' });
	await eventually(async () => (await titles(id, 'Updated')).length);
	await polled(3);
	expect(await titles(id, 'Added')).toEqual(['One']);
	expect(await titles(id, 'Updated')).toEqual(['Two']);
});

test('a renamed trigger starts without state: no existing entry starts the workflow', async () => {
	const id = await watching('taskAdded');
	await add('Before');
	await comes(id, 'Before');

	const renamed = chain('taskAdded', [onTask('taskAdded', 'Another name'), arrival('Arrived')]);
	const { nodes } = await host.rest.get(`/workflows/${id}`);
	const [{ credentials }] = nodes;
	renamed.nodes[0].credentials = credentials;
	await host.deactivate(id);
	await host.rest.patch(`/workflows/${id}`, renamed);
	await activate(id);
	await add('After');
	await eventually(async () => (await titles(id, 'Another name')).length);
	await polled(2);
	expect(await titles(id, 'Another name')).toEqual(['After']);
});

describe('n8n restarted', () => {
	test('after a normal end: missed changes start the workflow once, even if the service is down at first', async () => {
		const id = await watching('taskAdded');
		await add('Before');
		await comes(id, 'Before');
		await host.close();
		await add('Meanwhile');
		await control.addFaults({
			operationId: 'listTasks',
			kind: 'status',
			status: 404,
			times: 0,
		});
		await start();
		await polled(2);
		await control.clearFaults();
		await comes(id, 'Before', 'Meanwhile');
		await polled(2);
		expect(await titles(id)).toEqual(['Before', 'Meanwhile']);
	});

	test('after kill -9 between two polls: nothing is lost or emitted twice', async () => {
		const id = await watching('taskAdded');
		await add('Before');
		await comes(id, 'Before');
		await polled(1);
		await host.kill();
		await add('Meanwhile');
		await start();
		await comes(id, 'Before', 'Meanwhile');
		await polled(2);
		expect(await titles(id)).toEqual(['Before', 'Meanwhile']);
	});
});

test('the third failed poll in a row is an error, and after the outage every event arrives', async () => {
	const id = await watching('taskAdded');
	await control.addFaults({ operationId: 'listTasks', kind: 'status', status: 503, times: 0 });
	await add('Meanwhile');
	const failed = await eventually(async () =>
		(await getExecutions(id)).find(({ status }) => status === 'error'),
	);
	expect(failed.error).toMatchObject({ message: 'The service is temporarily unavailable' });
	expect(host.tail().match(/A poll of "Workspace Automation Trigger" failed/g)).toHaveLength(2);
	await control.clearFaults();
	await comes(id, 'Meanwhile');
});
