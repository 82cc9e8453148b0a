// Connections and settings of Run Agent Session, and a paused execution when it's stopped, or the workflow is changed or called
// from another. All workflows run beside each other, and the tests check what became of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { durable, looped, runLive, single, twiceHost } from './durable.mts';
import {
	agentSession,
	arrival,
	connect,
	editFields,
	eventually,
	node,
	NODE,
	sessionsFor,
	useOwnStage,
	workflow,
} from './support.mts';

const stage = useOwnStage(twiceHost);

const workflowIds: Record<string, string> = {};
const started: Record<string, string> = {};
/** Imports and starts a workflow: n8n 1's database takes one after the other. */
async function begin(file: WorkflowFile): Promise<void> {
	workflowIds[file.name] = await stage.host.importWorkflow(file);
	started[file.name] = await stage.host.run(workflowIds[file.name]);
}
const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(started[name]);
const isParked = async (name: string) =>
	await eventually(async () => {
		const { status } = await stage.host.rest.get(`/executions/${started[name]}`);
		return status === 'waiting';
	});

/** Longer than a manual execution polls before it pauses */
const LONG = '[work 60s] [say Done.]';

const getPrompt = (name: string, work = '[work 12s] [say Done.]') => `${name} ${work}`;

/** Every way back into a node that starts sessions, by its name: what its outputs lead to, and how it waits */
const brief = { maxWait: 0.07, options: { pollInterval: 1 } };
const MESSAGE = 'Message';
const WAYS: Record<
	string,
	{ wires: string[][]; wait?: 'database'; prompt?: string; isBrief?: boolean; repeats?: boolean }
> = {
	'Still Running into itself': {
		wires: connect({ stillRunning: [NODE], completed: ['Completed'] }),
		isBrief: true,
	},
	'Still Running by a message that drops everything': {
		wires: connect({ stillRunning: [MESSAGE], completed: ['Completed'] }),
		isBrief: true,
	},
	'Completed into itself': { wires: connect({ completed: [NODE] }), repeats: true },
	'Completed by a message': { wires: connect({ completed: [MESSAGE] }), repeats: true },
	'Needs Approval into itself': {
		wires: connect({ completed: ['Completed'], needsApproval: [NODE] }),
		isBrief: true,
		prompt: '[ask bash: x] [say Never.]',
	},
	'Still Running and Completed': {
		wires: connect({ stillRunning: [NODE], completed: [NODE] }),
		wait: 'database',
		repeats: true,
	},
	'Still Running and Completed by a message': {
		wires: connect({ stillRunning: [NODE], completed: [MESSAGE] }),
		wait: 'database',
		repeats: true,
	},
};
/** Those that would go round until someone stops them */
const ENDLESS = 'Needs Approval into itself';

beforeAll(async () => {
	for (const [name, { wires, wait = 'memory', prompt, isBrief }] of Object.entries(WAYS))
		await begin(
			looped(
				name,
				[{ n: 1 }],
				agentSession({
					prompt: getPrompt(name, prompt),
					wait,
					options: wait === 'database' ? {} : { pollInterval: 1 },
					...(wait !== 'database' && isBrief && brief),
				}),
				{
					wires,
					more: [editFields(MESSAGE, { note: 'dropped' })],
					follows: { [MESSAGE]: [[NODE]] },
				},
			),
		);
	await begin(
		looped('Stays', [{ n: 1 }], agentSession({ prompt: getPrompt('Stays'), ...brief }), {
			wires: connect({ completed: ['Completed'] }),
		}),
	);
	// As sessions of hours were waited for before, in three nodes.
	const lookAgain = { operation: 'continue', sessionId: '={{ $json.sessionId }}', ...brief };
	await begin(
		looped(
			'By a Wait node',
			[{ n: 1 }],
			agentSession({ prompt: getPrompt('By a Wait node'), ...brief }),
			{
				wires: connect({ stillRunning: ['Wait'], completed: ['Completed'] }),
				more: [
					node('Wait', 'n8n-nodes-base.wait', 1.1, {
						parameters: { resume: 'timeInterval', amount: 70, unit: 'seconds' },
						webhookId: 'by-a-wait-node',
					}),
					{ ...agentSession(lookAgain), id: 'again', name: 'Look again' },
				],
				follows: {
					Wait: [['Look again']],
					'Look again': connect({ stillRunning: ['Wait'], completed: ['Completed'] }),
				},
			},
		),
	);
	for (const [name, wires] of Object.entries({
		'Still Running leads nowhere': connect({ completed: ['Completed'] }),
		'Still Running leads elsewhere': connect({
			stillRunning: ['Elsewhere'],
			completed: ['Completed'],
		}),
		'Still Running leads there and elsewhere': connect({
			stillRunning: [NODE, 'Elsewhere'],
			completed: ['Completed'],
		}),
	}))
		await begin(
			looped(name, [{ n: 1 }], durable({ prompt: getPrompt(name) }), {
				wires,
				more: [arrival('Elsewhere')],
			}),
		);
	for (const name of ['Stopped', 'Changed']) await begin(single(name, getPrompt(name, LONG)));
	await isParked('Stopped');
	await stage.host.stop(started.Stopped);
	await isParked('Changed');
	const changedId = workflowIds.Changed;
	const { nodes, connections, ...saved } = await stage.host.rest.get(`/workflows/${changedId}`);
	const others = nodes.filter(({ name }: { name: string }) => name !== NODE);
	const changes = { ...saved, nodes: others, connections: {} };
	await stage.host.rest.patch(`/workflows/${changedId}`, changes);
	await begin(
		single(
			'Retried',
			getPrompt('Retried', '[work 3s] [fail Out of disk]'),
			{},
			{
				retryOnFail: true,
				maxTries: 2,
				waitBetweenTries: 0,
			},
		),
	);
	await begin(
		single(
			'Handed on',
			getPrompt('Handed on', '[work 3s] [fail Out of disk]'),
			{},
			{
				onError: 'continueRegularOutput',
			},
		),
	);
	const called = single('Called', getPrompt('Called'));
	const [, ...rest] = called.nodes;
	const trigger = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		parameters: { inputSource: 'passthrough' },
	});
	const calledId = await stage.host.importWorkflow({ ...called, nodes: [trigger, ...rest] });
	workflowIds.Called = calledId;
	const calls = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: calledId },
			options: { waitForSubWorkflow: true },
		},
	});
	// n8n 2 calls no workflow that is not published; n8n 1 has nothing there to publish.
	await stage.host.activate(calledId).catch(() => {});
	await begin(
		workflow('Calls', [node('Start', 'n8n-nodes-base.manualTrigger', 1), calls, arrival('After')], {
			Start: [['Call']],
			Call: [['After']],
		}),
	);
});

const getError = async (name: string) => (await outcome(name)).error?.message;

describe('a node that starts sessions, connected to itself (rule 6)', () => {
	test.each(Object.keys(WAYS))('%s: one session', async (name) => {
		const prompt = getPrompt(name, WAYS[name].prompt);
		if (name === ENDLESS) {
			await eventually(async () => (await sessionsFor(stage, prompt))[0]?.polls > 3);
			await stage.host.stop(started[name]);
		}
		const execution = await outcome(name);
		expect(await sessionsFor(stage, prompt)).toHaveLength(1);
		// A completed item that returns would loop forever.
		if (WAYS[name].repeats) expect(execution.error?.message).toContain('already completed');
		else if (name !== ENDLESS) expect(execution.status).toBe('success');
	});
});

test('an output with items but without a connection has a hint in the editor', async () => {
	// Its Needs Approval and Still Running aren't connected.
	const [run] = (await outcome('Stays')).runData[NODE];
	expect(run.hints).toMatchObject([{ message: expect.stringContaining("'Still Running'") }]);
	const [wired] = (await outcome('By a Wait node')).runData[NODE];
	expect(wired.hints ?? []).toEqual([]);
});

test('Still Running, a Wait node and a second Run Agent Session continue the session without Wait In the Database', async () => {
	const execution = await outcome('By a Wait node');
	expect(execution.status).toBe('success');
	expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
	expect(await sessionsFor(stage, getPrompt('By a Wait node'))).toHaveLength(1);
});

describe("Still Running that isn't connected back", () => {
	test.each([
		'Still Running leads nowhere',
		'Still Running leads elsewhere',
		'Still Running leads there and elsewhere',
	])('%s: an error before anything is started', async (name) => {
		expect(await getError(name)).toContain("'Still Running' isn't connected");
		expect(await sessionsFor(stage, getPrompt(name))).toEqual([]);
	});
});

describe('a paused execution', () => {
	test('Stop ends the execution, and leaves the session running, because n8n runs no node (rule 7)', async () => {
		expect((await outcome('Stopped')).status).toBe('canceled');
		const [session] = await sessionsFor(stage, getPrompt('Stopped', LONG));
		expect(session).toMatchObject({ aborted: false });
		// To find it afterwards
		const execution = await outcome('Stopped');
		expect(execution.customData).toMatchObject({ sessionId: session.sessionId });
	});

	test('continues unchanged if you change the workflow meanwhile (rule 8)', async () => {
		const execution = await outcome('Changed');
		expect(execution.status).toBe('success');
		expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
		expect(await sessionsFor(stage, getPrompt('Changed', LONG))).toHaveLength(1);
	});
});

describe('failures', () => {
	test('Retry On Fail starts another session for one that failed, and no more sessions', async () => {
		expect((await outcome('Retried')).error?.message).toContain('Out of disk');
		const prompt = getPrompt('Retried', '[work 3s] [fail Out of disk]');
		expect(await sessionsFor(stage, prompt)).toHaveLength(2);
	});

	test('On Error Continue returns the error on Completed, not on Still Running', async () => {
		const execution = await outcome('Handed on');
		expect(execution.status).toBe('success');
		expect(execution.items('Completed')).toMatchObject([
			{ error: expect.stringContaining('Out of disk') },
		]);
	});
});

test('a workflow waits for the sub-workflow with the session (rule 8)', async () => {
	const execution = await outcome('Calls');
	expect(execution.status).toBe('success');
	const [child] = await listExecutions(stage.host.rest, workflowIds.Called);
	expect(child.status).toBe('success');
	// n8n 1 returns the caller's own items, not the sub-workflow's.
	const handedOn = hostVersion() === '2.41' ? { text: 'Done.' } : {};
	expect(execution.items('After')).toMatchObject([handedOn]);
});

// The last, because the slow service would delay the others. On n8n 1, two runs of the node are in progress, and Stop reaches one of them.
test('Stop during a poll aborts the session, even if n8n 1 has resumed the execution twice', async () => {
	const { host, service } = stage;
	const prompt = getPrompt('Stopped during a poll', '[work 9h]');
	const id = await runLive(host, single('Stopped during a poll', prompt));
	const slow = { operationId: 'getAgentSession', kind: 'latency', ms: 12_000, times: 0 } as const;
	await service.control.addFaults(slow);
	const { sessionId } = await eventually(async () => (await sessionsFor(stage, prompt))[0]);
	await eventually(async () =>
		(await service.requests()).some(
			({ path, status }) => path.endsWith(sessionId) && status === null,
		),
	);
	// n8n 1 loses a Stop while it begins the second run: no node learns of it.
	await sleep(2_000);
	await host.stop(id);
	await service.control.clearFaults();
	await eventually(async () => (await sessionsFor(stage, prompt))[0].aborted);
	expect((await host.waitForExecution(id)).status).not.toBe('success');
	expect(await sessionsFor(stage, prompt)).toHaveLength(1);
});
