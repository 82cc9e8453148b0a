// Pauses In the Database: when the execution pauses and until when, what returns to the node, and what leaves it.
import { describe, expect, test } from '@jest/globals';
import type { INodeExecutionData } from 'n8n-workflow';
import {
	ignoreAlwaysOutputData,
	isConnectedBack,
	isSelfConnected,
	pauseExecution,
	readDeferredPause,
	requireSelfConnection,
	warnIfUnconnected,
} from '../../nodes/RunAgentSession/session/pause.ts';
import { getError } from '../rules/simulation.mts';
import {
	asks,
	connected,
	createNode,
	endsAfter,
	fails,
	makeId,
	MINUTE,
	NODE,
	SECOND,
	START,
	TO_ITSELF,
	works,
	type Edge,
} from './nodeRuns.mts';

const HOUR = 60 * MINUTE;
type Outputs = INodeExecutionData[][];

const read = (outputs: Outputs, name: string) =>
	outputs.map((items) => items.map(({ json }) => json[name]));
const rows = (outputs: Outputs) => read(outputs, 'row');
const keys = (outputs: Outputs) => outputs[0].map(({ sessionKey }) => sessionKey);
const counts = (outputs: Outputs) => outputs.map(({ length }) => length);
const FAILED = 'The agent session failed: Out of disk';

type World = NonNullable<Parameters<typeof createNode>[0]>;
const createPaused = ({ parameters, ...world }: World) =>
	createNode({ edges: TO_ITSELF, ...world, parameters: { wait: 'database', ...parameters } });
type Node = ReturnType<typeof createNode>;
/** Milliseconds until n8n wakes the execution; undefined if it isn't paused */
const getPause = ({ pauses, clock }: Node) => {
	const until = pauses.at(-1)?.getTime();
	return until === undefined ? undefined : until - clock.now();
};

/** Connections by short names: `me.0 > A` */
const edges = (...lines: string[]): Edge[] =>
	lines.map((line) => {
		const [, from, output, to] = /^(\w+)\.(\d) > (\w+)$/.exec(line)!;
		const name = (short: string) => (short === 'me' ? NODE : short);
		return [name(from), Number(output), name(to)];
	});
const contextWith = (...lines: string[]) => {
	const hints: Array<{ message: string; type: string; location: string }> = [];
	return {
		hints,
		context: {
			getNode: () => ({ name: NODE }),
			addExecutionHints: (hint: (typeof hints)[number]) => void hints.push(hint),
			...connected(edges(...lines)),
		} as never,
	};
};
/** n8n versions without the function */
const withoutConnections = { getNode: () => ({ name: NODE }), getChildNodes: () => [] } as never;

describe('Still Running', () => {
	test.each([
		[['me.0 > me'], true],
		[['me.0 > me', 'me.1 > A', 'A.0 > B'], true],
		[[], false],
		[['me.1 > me'], false],
		[['me.0 > A'], false],
		[['me.0 > A', 'A.0 > me'], false],
		[['me.1 > A', 'A.0 > me'], false],
	])('is connected to the node itself: %s: %s', (lines, expected) => {
		const { context } = contextWith(...lines);
		expect(isSelfConnected(context)).toBe(expected);
		const check = () => requireSelfConnection(context);
		if (expected) expect(check).not.toThrow();
		else expect(check).toThrow("'Still Running' isn't connected to this node's input");
	});

	test('must be connected to nothing else, because paused items return that way', () => {
		const { context } = contextWith('me.0 > me', 'me.0 > A');
		expect(isSelfConnected(context)).toBe(true);
		expect(() => requireSelfConnection(context)).toThrow("isn't connected to this node's input");
	});

	test('counts as connected rightly if n8n does not tell', () => {
		expect(() => requireSelfConnection(withoutConnections)).not.toThrow();
		expect(isSelfConnected(withoutConnections)).toBe(false);
	});
});

describe('an output is connected back', () => {
	test.each([
		['directly', 2, ['me.2 > me'], true],
		['through other nodes', 2, ['me.2 > A', 'A.0 > B', 'B.0 > me'], true],
		['by one of its connections', 2, ['me.2 > A', 'me.2 > B', 'A.0 > C', 'B.0 > me'], true],
		['not at all', 2, ['me.2 > A', 'A.0 > B'], false],
		['not if another output is', 2, ['me.0 > me', 'me.2 > A'], false],
	])('%s', (_, output, lines, expected) => {
		expect(isConnectedBack(contextWith(...lines).context, output)).toBe(expected);
	});

	test('not if n8n does not tell', () => {
		expect(isConnectedBack(withoutConnections, 2)).toBe(false);
	});
});

describe('items that nobody receives', () => {
	test.each<[string, 'completed' | 'stillRunning' | 'needsApproval', string[], string[]]>([
		['on a connected output give no hint', 'completed', ['me.1 > A'], []],
		[
			'on an output that is not connected give one',
			'needsApproval',
			['me.1 > A', 'me.0 > B'],
			["Items were sent to 'Needs Approval', which isn't connected."],
		],
		[
			'on Completed ask whether Still Running was connected instead',
			'completed',
			['me.0 > A', 'me.2 > B'],
			[
				"Items were sent to 'Completed', which isn't connected. 'Still Running' is connected to another node. Did you mean 'Completed'?",
			],
		],
		[
			'on Completed do not ask it about a node that is connected to itself only',
			'completed',
			['me.0 > me', 'me.2 > B'],
			["Items were sent to 'Completed', which isn't connected."],
		],
		[
			'on Still Running ask nothing',
			'stillRunning',
			['me.1 > A'],
			["Items were sent to 'Still Running', which isn't connected."],
		],
	])('%s', (_, key, lines, messages) => {
		const { context, hints } = contextWith(...lines);
		warnIfUnconnected(context, key);
		expect(hints).toEqual(
			messages.map((message) => ({ message, type: 'warning', location: 'outputPane' })),
		);
	});

	test('give no hint if n8n does not tell', () => {
		expect(() => warnIfUnconnected(withoutConnections, 'completed')).not.toThrow();
	});
});

test.each([
	[['me.0 > me'], false],
	[['me.0 > A', 'A.0 > me'], false],
	[['me.0 > A', 'me.1 > me'], true],
])('Always Output Data is off where its item would return to the node: %s', (lines, stays) => {
	const node = { alwaysOutputData: true };
	const context = {
		...(contextWith(...lines).context as object),
		getExecuteData: () => ({ node }),
	};
	ignoreAlwaysOutputData(context as never);
	expect(node.alwaysOutputData).toBe(stays);
});

describe('before anything is sent', () => {
	test.each([
		['Still Running is not connected to the node', { edges: [] }, /isn't connected to this node/],
		[
			"n8n's new engine runs the workflow",
			{ context: { getWorkflowSettings: () => ({ engineType: 'v2' }) } },
			/new engine/,
		],
	])('it is an error that %s', async (_, world, message) => {
		const node = createPaused(world);
		expect((await getError(node.run())).message).toMatch(message);
		expect(node.sent).toEqual([]);
		// In memory it doesn't matter.
		expect(counts(await createNode(world).run())).toEqual([0, 1, 0]);
	});
});

describe('a pause', () => {
	test('after the start lasts 5 seconds, which saves the session', async () => {
		const node = createPaused({ sessions: [works, works] });
		const outputs = await node.run();
		expect([rows(outputs), keys(outputs)]).toEqual([
			[[0, 1], [], []],
			['0.0', '0.1'],
		]);
		expect(getPause(node)).toBe(5 * SECOND);
		expect(node.pause()).toMatchObject({ until: START + 5 * SECOND, hasSavedMarks: true });
		expect(node.about('poll')).toEqual([]);
	});

	test('keeps the items as the input with which n8n wakes the node, in a list of its own', async () => {
		const node = createPaused({ sessions: [works] });
		const outputs = await node.run();
		const { main } = node.execution.data;
		expect(main).toEqual([outputs[0]]);
		expect(main[0]).not.toBe(outputs[0]);
	});

	test('disables the node in the saved stack only, and leaves no date and no other position in the data', async () => {
		const node = createPaused({ sessions: [works] });
		const before = node.execution.node;
		await node.run();
		expect(node.execution.node).toMatchObject({ name: NODE, disabled: true });
		expect(before).not.toHaveProperty('disabled');
		expect(before.position).toEqual([10, 1_000_020]);
		expect(JSON.parse(JSON.stringify(before))).toMatchObject({ position: [10, 20] });
		expect(JSON.stringify({ waitTill: node.pauses[0] })).toBe('{}');
	});

	test('moves the node to the end once, however often it pauses', async () => {
		const node = createPaused({ sessions: [works] });
		await node.run();
		for (let wakes = 0; wakes < 3; wakes++) await node.wake();
		expect(node.execution.node.position).toEqual([10, 1_000_020]);
	});

	test('ends at the earliest time that an item needs', async () => {
		// After an hour, a wake is planned for 5% of that later.
		const giveUpAfter = (index: number) => (index === 1 ? 1 + 100 / 3_600 : 24);
		const sessions = [works, works, works];
		for (const [parameters, seconds] of [
			[{}, 180],
			[{ 'options.giveUpAfter': giveUpAfter }, 100],
		] as const) {
			const node = createPaused({ sessions, parameters });
			await node.run();
			node.pauses[0] = new Date(START + HOUR);
			await node.wake();
			expect(getPause(node)).toBe(seconds * SECOND);
			expect(node.pause().until).toBe(node.pauses[0].getTime());
		}
	});

	test('survives that n8n has forgotten the execution, after it resumed it twice', async () => {
		const putExecutionToWait = async () => await Promise.reject(new Error('No active execution'));
		const node = createPaused({ sessions: [works], context: { putExecutionToWait } });
		expect(counts(await node.run())).toEqual([1, 0, 0]);
		expect(node.pause().until).toBe(START + 5 * SECOND);
	});

	test("keeps the first execution's ID for retries", async () => {
		const node = createPaused({ sessions: [works], context: noToken });
		await node.run();
		expect(node.pause().origin).toBe(node.executionId);
		const nodeContext = { pause: { until: 0, origin: '3' } };
		const retry = createPaused({ sessions: [works], nodeContext });
		await retry.run();
		expect(retry.pause().origin).toBe('3');
	});

	test('forgets the marks that it has saved', async () => {
		const node = createPaused({ sessions: [works] });
		await node.run();
		expect([...node.database]).toEqual(['token node 0.0 start 0']);
		await node.wake();
		expect([...node.database]).toEqual([]);
	});
});

const noToken = { getWorkflowDataProxy: () => ({ $runIndex: 0, $execution: {} }) };

describe('a wake', () => {
	test('polls, and lets a completed item leave with the input it came from', async () => {
		const node = createPaused({ sessions: [endsAfter(0)] });
		await node.run();
		const outputs = await node.wake();
		expect(read(outputs, 'text')).toEqual([[], ['Done'], []]);
		expect(outputs[1][0]).toMatchObject({
			json: { sessionId: makeId(0) },
			pairedItem: { item: 0 },
		});
		expect(node.pauses).toEqual([]);
		expect(node.execution.node).not.toHaveProperty('disabled');
	});

	test('lets items leave at once: those that are still running return without a pause, and are paused then', async () => {
		const node = createPaused({ sessions: [works, endsAfter(0)] });
		await node.run();
		const outputs = await node.wake();
		expect([rows(outputs)[0], read(outputs, 'text')[1]]).toEqual([[0], ['Done']]);
		expect(node.pauses).toEqual([]);
		const deferred = node.pause().deferredUntil!;
		expect(deferred).toBeGreaterThanOrEqual(node.clock.now() + 70 * SECOND);
		const polls = node.about('poll').length;
		const paused = await node.wake();
		expect(paused).toEqual([[{ ...outputs[0][0], pairedItem: { item: 0 } }], [], []]);
		expect(node.pauses[0].getTime()).toBe(deferred);
		expect(node.pause()).not.toHaveProperty('deferredUntil');
		expect(node.about('poll')).toHaveLength(polls);
		await node.wake();
		expect(node.about('poll').length).toBeGreaterThan(polls);
	});

	test('polls at once if the time of the pause is over when the items return', async () => {
		const node = createPaused({ sessions: [works, endsAfter(0)] });
		await node.run();
		await node.wake();
		const polls = node.about('poll').length;
		node.clock.advance(10 * MINUTE);
		await node.wake();
		expect(node.about('poll').length).toBeGreaterThan(polls);
	});

	test.each([
		['its own time', 200, 180],
		["the others' time", 100, 100],
		['70 seconds', 30, 70],
	])(
		'after an answer runs only the sessions of the answer, and the pause ends after %s if that is sooner',
		async (_, left, seconds) => {
			const node = createPaused({ sessions: [works, works, works] });
			await node.run();
			await node.wake();
			const answeredAt = START + HOUR;
			const until = answeredAt + left * SECOND;
			Object.assign(node.nodeContext, { answered: [makeId(1)], pause: { ...node.pause(), until } });
			node.pauses[0] = new Date(answeredAt);
			const polls = node.about('poll').length;
			const outputs = await node.wake();
			expect(node.about('poll').slice(polls)).toEqual([1]);
			expect(rows(outputs)).toEqual([[0, 1, 2], [], []]);
			expect(getPause(node)).toBe(seconds * SECOND);
		},
	);

	test('for an answer pauses at least 70 seconds if the time of the others is over', async () => {
		const node = createPaused({ sessions: [works, endsAfter(20 * SECOND)] });
		await node.run();
		Object.assign(node.nodeContext, { answered: [makeId(1)] });
		node.clock.advance(5 * MINUTE);
		await node.wake();
		expect(node.pause().deferredUntil).toBe(node.clock.now() + 70 * SECOND);
	});

	test('of a manual execution polls before its first pause, because someone watches', async () => {
		const node = createPaused({ sessions: [endsAfter(10 * SECOND)], mode: 'manual' });
		expect(counts(await node.run())).toEqual([0, 1, 0]);
		const slow = createPaused({ sessions: [works], mode: 'manual' });
		await slow.run();
		expect(slow.clock.now() - START).toBe(30 * SECOND);
		const polls = slow.about('poll').length;
		await slow.wake();
		expect(slow.about('poll')).toHaveLength(polls + 1);
	});

	test('of an item without a record does nothing: it is the {} of Always Output Data', async () => {
		const node = createPaused({ sessions: [works] });
		await node.run();
		const sent = node.sent.length;
		const source = { previousNode: NODE, previousNodeOutput: 0 };
		expect(await node.again([{ json: {} }], source)).toEqual([[], [], []]);
		expect(node.sent).toHaveLength(sent);
	});
});

describe('a failure', () => {
	test('waits until no other item runs, and then fails the node', async () => {
		const node = createPaused({ sessions: [fails, endsAfter(3 * MINUTE)] });
		await node.run();
		const waiting = await node.wake();
		expect([rows(waiting), keys(waiting)]).toEqual([
			[[0, 1], [], []],
			['0.0', '0.1'],
		]);
		expect(node.record('0.0')!.failure).toMatchObject({ message: FAILED });
		const polls = () => node.about('poll').filter((each) => each === 0).length;
		const before = polls();
		let outputs = waiting;
		while (outputs[1].length === 0) outputs = await node.wake();
		expect(polls()).toBe(before);
		// The item that has completed leaves before the error drops it.
		expect([rows(outputs)[0], read(outputs, 'text')[1]]).toEqual([[0], ['Done']]);
		expect(node.pause().deferredUntil).toBe(node.clock.now());
		const error = await getError(node.wake());
		expect(error.message).toBe(FAILED);
		expect(error.context).toMatchObject({ sessionId: makeId(0) });
		expect(node.record('0.0')!.failure).toBeUndefined();
	});

	test('to start a session waits for the others too, and a retry starts it', async () => {
		let isRefused = true;
		const node = createPaused({
			sessions: [endsAfter(0), endsAfter(0)],
			answer: (purpose, { body }) =>
				isRefused && purpose === 'start' && body.prompt === 'Do 1'
					? { status: 403, body: {} }
					: undefined,
		});
		const [waiting] = await node.run();
		expect(waiting.map(({ json }) => json)).toStrictEqual([
			{ row: 0, sessionId: makeId(0), dashboardUrl: undefined },
			{ row: 1 },
		]);
		expect(read(await node.wake(), 'text')[1]).toEqual(['Done']);
		expect((await getError(node.wake())).context.httpStatus).toBe(403);
		isRefused = false;
		expect(keys(await node.run())).toEqual(['0.1']);
		expect(node.about('start')).toEqual([0, 1, 1]);
	});

	test('fails the node at once if it is alone, and a retry starts another session', async () => {
		let isFixed = false;
		const node = createPaused({ sessions: [(age) => (isFixed ? endsAfter(0) : fails)(age)] });
		await node.run();
		expect((await getError(node.wake())).message).toBe(FAILED);
		isFixed = true;
		expect(counts(await node.run())).toEqual([1, 0, 0]);
		expect(node.about('start')).toEqual([0, 0]);
	});

	test('does not wait under Continue On Fail: the item leaves with its error, and the others are paused', async () => {
		const node = createPaused({ sessions: [fails, works], continues: true });
		await node.run();
		const outputs = await node.wake();
		expect([rows(outputs)[0], read(outputs, 'error')[1]]).toEqual([[1], [FAILED]]);
	});

	test('of an item that is invalid before the start stops all, and after the start waits for the others', async () => {
		let interval: unknown = 24;
		const parameters = {
			'options.giveUpAfter': (index: number) => (index === 0 ? interval : 24),
		};
		const node = createPaused({ sessions: [works, endsAfter(3 * MINUTE)], parameters });
		await node.run();
		interval = 'x';
		let outputs = await node.wake();
		expect(rows(outputs)[0]).toEqual([0, 1]);
		while (outputs[1].length === 0) outputs = await node.wake();
		const error = await getError(node.wake());
		expect(error.message).toMatch(/'Give Up After/);
		expect(error.description).toContain(makeId(0));
		const invalid = createPaused({ sessions: [works, works], parameters });
		expect((await getError(invalid.run())).message).toBe(error.message);
		expect(invalid.sent).toEqual([]);
	});
});

describe('Return Items Together', () => {
	const parameters = { 'options.returnTogether': true };

	test('holds completed items until no item is still running, and returns them in one run', async () => {
		const sessions = [endsAfter(0, 'a'), endsAfter(3 * MINUTE, 'b'), endsAfter(0, 'c')];
		const node = createPaused({ sessions, parameters });
		await node.run();
		let outputs = await node.wake();
		expect(rows(outputs)).toEqual([[0, 1, 2], [], []]);
		expect(node.record('0.0')!.outcome).toMatchObject({ text: 'a' });
		expect(node.record('0.0')!.completedIn).toBeUndefined();
		while (outputs[1].length === 0) outputs = await node.wake();
		expect(read(outputs, 'text')).toEqual([[], ['a', 'b', 'c'], []]);
		expect(outputs[1].map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
		expect(node.record('0.0')!.outcome).toBeUndefined();
		expect(node.record('0.0')!.completedIn).toBeGreaterThan(0);
		// Held items are not polled.
		expect(node.about('poll').filter((each) => each === 0)).toHaveLength(1);
	});

	test('holds failed items too, and returns them with their errors under Continue On Fail', async () => {
		const sessions = [fails, endsAfter(3 * MINUTE)];
		const node = createPaused({ sessions, parameters, continues: true });
		await node.run();
		let outputs = await node.wake();
		expect(rows(outputs)).toEqual([[0, 1], [], []]);
		while (outputs[1].length === 0) outputs = await node.wake();
		expect(read(outputs, 'error')[1]).toEqual([FAILED, undefined]);
	});

	test('holds no item that needs approval: its approver must be asked', async () => {
		const node = createPaused({ sessions: [asks, works], parameters });
		await node.run();
		expect(counts(await node.wake())).toEqual([1, 0, 1]);
	});

	test('returns what it holds when the last session fails, before the error drops it', async () => {
		const failsLate = (age: number) => (age < 3 * MINUTE ? {} : fails(age));
		const node = createPaused({ sessions: [endsAfter(0, 'a'), failsLate], parameters });
		await node.run();
		let outputs = await node.wake();
		while (outputs[1].length === 0) outputs = await node.wake();
		expect([read(outputs, 'text')[1], keys(outputs)]).toEqual([['a'], ['0.1']]);
		expect((await getError(node.wake())).message).toBe(FAILED);
	});

	test('keeps an outcome until the failure of another item is thrown', async () => {
		const sessions = [endsAfter(0, 'a'), endsAfter(3 * MINUTE), fails];
		const node = createPaused({ sessions, parameters });
		await node.run();
		let outputs = await node.wake();
		while (outputs[1].length === 0) outputs = await node.wake();
		expect(read(outputs, 'text')[1]).toEqual(['a', 'Done']);
		expect(keys(outputs)).toEqual(['0.2']);
		expect((await getError(node.wake())).message).toBe(FAILED);
	});
});

describe('an item that needs approval', () => {
	const back = edges('me.0 > me', 'me.2 > A', 'A.0 > me');

	test('leaves to its approver with a link, and stays in the pause until the answer', async () => {
		const node = createPaused({ sessions: [asks], edges: back });
		await node.run();
		const outputs = await node.wake();
		expect(counts(outputs)).toEqual([1, 0, 1]);
		expect(outputs[2][0].json.approvalUrl).toMatch(/^https:\/\/n8n\.example\.com\//);
		expect(outputs[0][0]).toMatchObject({ sessionKey: '0.0', json: { row: 0 } });
		expect(node.pauses).toEqual([]);
		await node.wake();
		expect(node.pauses).toHaveLength(1);
	});

	test('leaves for good without a connection back to the node', async () => {
		const node = createPaused({ sessions: [asks] });
		await node.run();
		const outputs = await node.wake();
		expect(counts(outputs)).toEqual([0, 0, 1]);
		expect(outputs[2][0].json).not.toHaveProperty('approvalUrl');
	});
});

describe('a stopped execution', () => {
	test('aborts paused sessions, and none that has completed, failed, or is held', async () => {
		const sessions = [works, endsAfter(0), works, fails];
		const parameters = { 'options.returnTogether': true };
		const node = createPaused({ sessions, parameters });
		await node.run();
		await node.wake();
		node.stop();
		const error = await getError(node.wake());
		expect(error.message).toBe('The execution was canceled');
		expect(node.about('abort')).toEqual([0, 2]);
	});
});

describe('the time of a deferred pause', () => {
	const createContext = (pause: object, previousNodeOutput = 0) => {
		const nodeContext = { pause: { ...pause } };
		const context = {
			getNode: () => ({ name: NODE }),
			getExecuteData: () => ({ source: { main: [{ previousNode: NODE, previousNodeOutput }] } }),
			getContext: () => nodeContext,
		};
		return { context: context as never, nodeContext };
	};

	test.each([
		['is kept while it is in the future', { deferredUntil: 101 }, 0, 101, {}],
		['is over when it has come', { deferredUntil: 100 }, 0, undefined, {}],
		['is none if nothing was deferred', {}, 0, undefined, {}],
		[
			'stays for items that come from another output',
			{ deferredUntil: 101 },
			2,
			undefined,
			{ deferredUntil: 101 },
		],
	])('%s', (_, pause, output, expected, left) => {
		const { context, nodeContext } = createContext(pause, output);
		expect(readDeferredPause(context, 100)).toBe(expected);
		expect(nodeContext.pause).toEqual(left);
	});
});

test('an execution without items on Still Running is not paused', async () => {
	const { context, pauses, execution } = createNode();
	const outputs: Outputs = [[], [{ json: {} }], []];
	expect(await pauseExecution(context, outputs, START)).toBe(outputs);
	expect(pauses).toEqual([]);
	expect(execution.node.position).toEqual([10, 20]);
});
