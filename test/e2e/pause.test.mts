// Run Agent Session that pauses the execution, in an n8n that resumes each pause twice where it can: n8n 1 does so at times. All workflows run
// beside each other, and the tests check what became of them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import {
	around,
	expectSuccess,
	importCalled,
	pausing,
	startLive,
	untilPaused,
	usePausingStage,
	type Started,
} from './pausing.mts';
import {
	arrival,
	arrived,
	callApi,
	editFields,
	eventually,
	node,
	NODE,
	projectId,
	sessionsFor,
} from './support.mts';

const stage = usePausingStage({ twice: true });

const started: Record<string, Started> = {};

const begin = async (file: WorkflowFile): Promise<void> =>
	void (started[file.name] = await startLive(stage.host, file));

const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(started[name].executionId);

/** Output items, with the number of their input item according to n8n, and with the output's position */
const completed = editFields('Completed', {
	n: "={{ $('Items').item.json.n }}",
	text: '={{ $json.text }}',
});

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Items with sessions of so many minutes */
const working = (name: string, ...minutes: number[]) =>
	minutes.map((each, index) => ({
		n: index + 1,
		prompt: `${name} ${index + 1} [work ${each}m] [say Done ${index + 1}.]`,
	}));

const done = (...numbers: number[]) => numbers.map((n) => ({ n: String(n), text: `Done ${n}.` }));

/** The items of each run of a node */
const runs = (execution: Execution, name: string) =>
	(execution.runData[name] ?? []).map(({ data }) => (data?.main[0] ?? []).map(({ json }) => json));

const withCompleted = (file: WorkflowFile): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((each) => (each.name === 'Completed' ? completed : each)),
});

/** How many sessions the items of a workflow have started */
const countSessions = async (name: string): Promise<number> =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt.startsWith(`${name} `)).length;

/** A second Run Agent Session */
const second = (parameters: object = {}) => ({
	...pausing(parameters as Record<string, unknown>),
	id: 'second',
	name: 'Second',
});

/** n8n's Merge, whose second input is connected to this node */
function withMerge(file: WorkflowFile, other: string): WorkflowFile {
	const connections = file.connections as Record<string, { main: object[][] }>;
	const main = [...(connections[other]?.main ?? [[]])];
	main[0] = [...main[0], { node: 'Merge', type: 'main', index: 1 }];
	return {
		...file,
		nodes: [...file.nodes, node('Merge', 'n8n-nodes-base.merge', 3), arrival('Merged')],
		connections: {
			...connections,
			[other]: { main },
			Completed: { main: [[{ node: 'Merge', type: 'main', index: 0 }]] },
			Merge: { main: [[{ node: 'Merged', type: 'main', index: 0 }]] },
		},
	};
}

/** Loop Over Items around the node */
const looping = (name: string, batchSize: number) =>
	around(name, working(name, 1, 4, 2), pausing(), {
		first: 'Loop',
		outputs: [['Completed'], ['Approval']],
		more: [
			node('Loop', 'n8n-nodes-base.splitInBatches', 3, { parameters: { batchSize, options: {} } }),
			arrival('Looped'),
		],
		follows: { Loop: [['Looped'], [NODE]], Completed: [['Loop']] },
	});

const failing = (name: string) => [
	{ n: 1, prompt: `${name} 1 [work 1m] [say Half done.] [fail Out of disk]` },
	{ n: 2, prompt: `${name} 2 [work 5m] [say Done 2.]` },
];

const asks = (name: string) => `${name} [ask bash: npm publish] [say Went on.]`;

/** Removes the node from a workflow whose execution is paused, and deactivates it. */
async function change(name: string): Promise<void> {
	const { workflowId, executionId } = started[name];
	await untilPaused(stage, executionId);
	const { nodes, ...saved } = await stage.host.rest.get(`/workflows/${workflowId}`);
	const left = nodes.filter((each: { name: string }) => each.name !== NODE);
	const changes = { ...saved, nodes: left, connections: {} };
	await stage.host.rest.patch(`/workflows/${workflowId}`, changes);
	await stage.host.deactivate(workflowId);
}

let childId: string;
let manualId: string;

beforeAll(async () => {
	await begin(withCompleted(around('One', working('One', 20), pausing())));
	await begin(withCompleted(around('Together', working('Together', 1, 5), pausing())));
	await begin(
		withCompleted(
			around(
				'Many',
				working('Many', ...range(100).map((n) => n % 7)),
				pausing({ options: { maxConcurrentSessions: 50 } }),
			),
		),
	);
	await begin(withMerge(around('Merge', working('Merge', 1, 5), pausing()), 'Items'));
	for (const size of [1, 2]) await begin(looping(`Loop by ${size}`, size));
	await begin(around('Fails', failing('Fails'), pausing()));
	await begin(
		around(
			'Error output',
			failing('Error output'),
			pausing({}, { onError: 'continueErrorOutput' }),
			{
				outputs: [['Completed'], ['Approval'], ['Failed']],
				more: [arrival('Failed')],
			},
		),
	);
	await begin(around('Always', working('Always', 5), pausing({}, { alwaysOutputData: true })));
	await begin(
		around('Chain', working('Chain', 3), pausing(), {
			outputs: [['Second']],
			more: [second({ prompt: 'Chain second [work 3m] [say Done.]' }), arrival('After')],
			follows: { Second: [['After']] },
		}),
	);
	await begin({
		...around('Parallel', working('Parallel', 3), pausing(), {
			more: [second({ prompt: 'Parallel second [work 8m] [say Done.]' }), arrival('After')],
			follows: { Items: [[NODE, 'Second']], Second: [['After']] },
		}),
	});
	await begin(
		withCompleted(
			around('Order v0', working('Order v0', 1, 20), pausing(), {
				settings: { executionOrder: 'v0' },
			}),
		),
	);
	await begin(
		around(
			'Asks',
			[{ prompt: asks('Asks') }, ...working('Asks', 1)],
			pausing({ permissionPolicy: 'ask' }),
		),
	);
	await begin(
		around(
			'Nobody',
			[{ prompt: asks('Nobody') }],
			pausing({
				permissionPolicy: 'ask',
				approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 0.1 },
			}),
		),
	);
	await begin(around('Too long', working('Too long', 600), pausing({ maxWait: 4 })));
	await begin(around('Stopped', working('Stopped', 600), pausing()));
	await begin(around('Changed', working('Changed', 6), pausing()));
	await change('Changed');
	await begin(around('Back', working('Back', 1), pausing(), { outputs: [[NODE]] }));

	const called = await importCalled(stage.host, around('Child', working('Child', 1, 4), pausing()));
	childId = called.childId;
	const parent = around('Calls', [{}], arrival(NODE), {
		first: 'Call',
		more: [called.call, arrival('After')],
		follows: { Call: [['After']] },
	});
	await begin(parent);
	manualId = await stage.host.run(
		await stage.host.importWorkflow(
			withCompleted(around('By hand', working('By hand', 1, 8), pausing())),
		),
	);
});

describe('items', () => {
	test('a session of 20 minutes: the execution pauses at once with its ID, and shows one run of the node at the end', async () => {
		const execution = await outcome('One');
		expectSuccess(execution);
		expect(runs(execution, 'Completed')).toEqual([done(1)]);
		expect(execution.runData[NODE]).toHaveLength(1);
		const [session] = await sessionsFor(stage, working('One', 20)[0].prompt);
		expect(execution.customData).toMatchObject({ sessionId: session.sessionId });
		expect(await countSessions('One')).toBe(1);
	});

	test('leave together, each paired with its input item', async () => {
		const execution = await outcome('Together');
		expectSuccess(execution);
		expect(runs(execution, 'Completed')).toEqual([done(1, 2)]);
		expect(execution.runData[NODE]).toHaveLength(1);
		expect(await countSessions('Together')).toBe(2);
	});

	test('a hundred sessions of different lengths: one each', async () => {
		const execution = await outcome('Many');
		expectSuccess(execution);
		expect(runs(execution, 'Completed')).toEqual([done(...range(100))]);
		expect(await countSessions('Many')).toBe(100);
	});
});

describe('other nodes', () => {
	test('Merge behind the node runs once', async () => {
		const execution = await outcome('Merge');
		expectSuccess(execution);
		expect(runs(execution, 'Merged').map(({ length }) => length)).toEqual([4]);
	});

	test.each([1, 2])(
		'Loop Over Items around the node, %d at a time: done once, with all items',
		async (size) => {
			const execution = await outcome(`Loop by ${size}`);
			expectSuccess(execution);
			expect(runs(execution, 'Looped').map((run) => run.map(({ text }) => text))).toEqual([
				['Done 1.', 'Done 2.', 'Done 3.'],
			]);
			expect(await countSessions(`Loop by ${size}`)).toBe(3);
		},
	);

	test('two Run Agent Session nodes in a chain', async () => {
		const execution = await outcome('Chain');
		expectSuccess(execution);
		expect(arrived(execution, 'After')).toMatchObject([{ text: 'Done.' }]);
		expect(await countSessions('Chain')).toBe(2);
	});

	test('two Run Agent Session nodes in parallel branches', async () => {
		const execution = await outcome('Parallel');
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done 1.' }]);
		expect(arrived(execution, 'After')).toMatchObject([{ text: 'Done.' }]);
		expect(await countSessions('Parallel')).toBe(2);
	});

	test('execution order v0 runs what is behind the node, too', async () => {
		const execution = await outcome('Order v0');
		expectSuccess(execution);
		expect(runs(execution, 'Completed')).toEqual([done(1, 2)]);
	});

	test('a workflow gets the items of its sub-workflow with the node, all of them', async () => {
		const execution = await outcome('Calls');
		expectSuccess(execution);
		expect(arrived(execution, 'After')).toMatchObject([{ text: 'Done 1.' }, { text: 'Done 2.' }]);
		const [child] = await listExecutions(stage.host.rest, childId);
		expect(child.status).toBe('success');
		expect(await countSessions('Child')).toBe(2);
	});
});

describe('settings of the node', () => {
	test('Always Output Data makes no item of an idle wake', async () => {
		const execution = await outcome('Always');
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done 1.' }]);
		expect(await countSessions('Always')).toBe(1);
	});

	test('a failure is thrown after the other session has ended', async () => {
		const execution = await outcome('Fails');
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toContain('Out of disk');
		const sessions = await stage.service.sessions();
		expect(
			sessions.filter(({ prompt }) => prompt.startsWith('Fails ')).map(({ status }) => status),
		).toEqual(['failed', 'completed']);
	});

	test('a failure leaves through the error output with its work, and with the other item', async () => {
		const execution = await outcome('Error output');
		expectSuccess(execution);
		const [{ sessionId }] = await sessionsFor(stage, failing('Error output')[0].prompt);
		expect(arrived(execution, 'Failed')).toMatchObject([
			{
				error: expect.stringContaining('Out of disk'),
				message: expect.any(String),
				text: 'Half done.',
				status: 'failed',
				sessionId,
				dashboardUrl: expect.stringContaining(sessionId),
				projectId,
				decisions: [],
			},
		]);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done 2.' }]);
	});

	test('an execution by hand polls before it pauses, and ends the same', async () => {
		const execution = await stage.host.waitForExecution(manualId);
		expectSuccess(execution);
		expect(runs(execution, 'Completed')).toEqual([done(1, 2)]);
		expect(await countSessions('By hand')).toBe(2);
	});

	test('a connection back to the node is an error before a second session starts', async () => {
		const { status, error } = await outcome('Back');
		expect(status).toBe('error');
		expect(error?.message).toBe('This item comes from an output of the same node');
		expect(await countSessions('Back')).toBe(1);
	});
});

describe('requests', () => {
	test('leave through To Approve before the pause, and a decision anywhere continues the session', async () => {
		const { executionId } = started.Asks;
		const asked = await eventually(async () => {
			await untilPaused(stage, executionId);
			const execution = await stage.host.waitForExecution(executionId, { until: 'waiting' });
			return arrived(execution, 'Approval')[0];
		});
		expect(asked).toMatchObject({ pendingInteractions: [{ patterns: ['npm publish'] }] });
		const { sessionId, pendingInteractions } = asked;
		const path = `/agent/sessions/${sessionId}/interactions/${pendingInteractions[0].id}/resolve`;
		await callApi(stage, 'POST', path, { type: 'permission', response: 'once' });
		const execution = await outcome('Asks');
		expectSuccess(execution);
		expect(arrived(execution, 'Approval')).toHaveLength(1);
		expect(runs(execution, 'Completed')).toMatchObject([
			[{ text: 'Went on.' }, { text: 'Done 1.' }],
		]);
	});

	test('If Nobody Answers denies in time', async () => {
		const execution = await outcome('Nobody');
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ decisions: [{ decision: 'deny' }] }]);
	});
});

describe('the end', () => {
	test('Max Wait aborts the session, and the error names it', async () => {
		const { status, error } = await outcome('Too long');
		expect(status).toBe('error');
		const [session] = await sessionsFor(stage, working('Too long', 600)[0].prompt);
		expect(error?.description).toContain(session.sessionId);
		expect(session.aborted).toBe(true);
	});

	test('Stop of a paused execution leaves the session running, because n8n runs no node', async () => {
		await untilPaused(stage, started.Stopped.executionId);
		await stage.host.stop(started.Stopped.executionId);
		const { status, customData } = await outcome('Stopped');
		expect(status).toBe('canceled');
		const [session] = await sessionsFor(stage, working('Stopped', 600)[0].prompt);
		expect(session.aborted).toBe(false);
		expect(customData).toMatchObject({ sessionId: session.sessionId });
	});

	test('an execution continues unchanged if its workflow is changed and deactivated', async () => {
		const execution = await outcome('Changed');
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done 1.' }]);
	});
});
