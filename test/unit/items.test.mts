// A run of Run Agent Session with several items, from its input to its outputs, against a service that is a few functions.
import { describe, expect, test } from '@jest/globals';
import type { INodeExecutionData } from 'n8n-workflow';
import { settleConcurrently } from '../../nodes/RunAgentSession/session/concurrency.ts';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { getError } from '../rules/simulation.mts';
import {
	asks,
	createNode,
	endsAfter,
	fails,
	makeId,
	MINUTE,
	NODE,
	request,
	SECOND,
	TO_ITSELF,
	works,
} from './nodeRuns.mts';

type Outputs = INodeExecutionData[][];

/** The item of each output, by what the test is about */
const pairs = (outputs: Outputs) =>
	outputs.map((items) => items.map(({ pairedItem }) => (pairedItem as { item: number }).item));
const read = (outputs: Outputs, name: string) =>
	outputs.map((items) => items.map(({ json }) => json[name]));
const FAILED = 'The agent session failed: Out of disk';
const emptyPrompt = (...indexes: number[]) => ({
	prompt: (index: number) => (indexes.includes(index) ? '' : `Do ${index}`),
});
const MESSAGE = { operation: 'continue', message: 'Go on' };
const IN_DATABASE = { wait: 'database' };

describe('results', () => {
	test("are returned in the items' order and paired with them, whichever session ends first", async () => {
		const sessions = [endsAfter(MINUTE, 'a'), endsAfter(0, 'b'), endsAfter(30 * SECOND, 'c')];
		const outputs = await createNode({ sessions }).run();
		expect(read(outputs, 'text')).toEqual([[], ['a', 'b', 'c'], []]);
		expect(pairs(outputs)).toEqual([[], [0, 1, 2], []]);
	});

	test('leave through an output for each kind: still running, completed, needs approval', async () => {
		const sessions = [asks, endsAfter(0), works, endsAfter(0)];
		const node = createNode({ sessions, parameters: { maxWait: 1 }, edges: [[NODE, 1, 'A']] });
		const outputs = await node.run();
		expect(pairs(outputs)).toEqual([[2], [1, 3], [0]]);
		// Outputs with items that nobody receives are named.
		expect(node.hints.map(({ message }) => message)).toEqual([
			"Items were sent to 'Still Running', which isn't connected.",
			"Items were sent to 'Needs Approval', which isn't connected.",
		]);
		// Only a session that has completed is over for this node.
		expect([0, 1, 2].map((item) => node.record(`0.${item}`)!.completedIn)).toEqual([
			undefined,
			0,
			undefined,
		]);
		expect(outputs[0][0]).toMatchObject({ json: { sessionId: makeId(2), status: 'running' } });
		expect(outputs[0][0]).not.toHaveProperty('sessionKey');
	});

	test('of no items are no items, and nothing is sent', async () => {
		const { run, sent } = createNode({ sessions: [], credential: { accessToken: '' } });
		expect(await run()).toEqual([[], [], []]);
		expect(sent).toEqual([]);
	});

	test('are told to tracing, with those that an error drops', async () => {
		const told: object[] = [];
		const context = { customData: {}, setMetadata: (data: object) => void told.push(data) };
		const { run } = createNode({ sessions: [endsAfter(0), fails, asks], context });
		await getError(run());
		expect(told).toMatchObject([
			{ tracing: { 'workspaceAutomation.sessions': [0, 2].map(makeId).join() } },
		]);
	});
});

describe('an item that is still running', () => {
	const parameters = { maxWait: 0.1 };
	const input = [{ json: { row: 'x', error: 'an old one' }, error: new Error('x') as never }];

	test('returns to the node with its own JSON and its session, and waits on in the next run', async () => {
		const sessions = [endsAfter(20 * SECOND)];
		const node = createNode({ sessions, input, parameters, edges: TO_ITSELF });
		const outputs = await node.run();
		expect(outputs).toEqual([
			[
				{
					json: { row: 'x', error: 'an old one', sessionId: makeId(0) },
					sessionKey: '0.0',
					pairedItem: { item: 0 },
				},
			],
			[],
			[],
		]);
		expect(node.hints).toEqual([]);
		// Items on the other outputs go first.
		expect(node.execution.node.position).toEqual([10, 1_000_020]);
		let last = outputs;
		while (last[0].length > 0) last = await node.wake();
		expect(read(last, 'text')).toEqual([[], ['Done'], []]);
		expect(node.about('start')).toEqual([0]);
	});

	test('has no `error` in its JSON if the node retries: n8n would take it for a failed one', async () => {
		const node = { retryOnFail: true };
		const { run } = createNode({ sessions: [works], input, parameters, node, edges: TO_ITSELF });
		const [[item]] = await run();
		expect(item.json).toEqual({ row: 'x', sessionId: makeId(0) });
	});

	test('that returns waits at least one poll interval, even without Max Wait', async () => {
		const wait = { maxWait: 0 };
		const node = createNode({ sessions: [works], parameters: wait, edges: TO_ITSELF });
		await node.run();
		expect(node.about('poll')).toEqual([]);
		await node.wake();
		expect(node.about('poll')).toEqual([0]);
		expect(node.sent.at(-1)!.at).toBe(5 * SECOND);
	});

	test('leaves the node where it is unless the node is connected to itself', async () => {
		const { run, execution } = createNode({ sessions: [works], parameters });
		await run();
		expect(execution.node.position).toEqual([10, 20]);
	});
});

describe('an item that fails', () => {
	const sessions = [endsAfter(0), fails, fails];

	test("fails the node after all sessions have ended: the error is the first's and names the others", async () => {
		const node = createNode({ sessions });
		const error = await getError(node.run());
		expect(error).toMatchObject({
			message: FAILED,
			context: { itemIndex: 1, sessionId: makeId(1) },
			description: expect.stringContaining(`Item 2: ${FAILED} (session ${makeId(2)})`),
		});
		expect(node.about('poll').sort()).toEqual([0, 1, 2]);
	});

	test('becomes an item with its error under Continue On Fail, paired, and the others leave as usual', async () => {
		const outputs = await createNode({ sessions, continues: true }).run();
		expect(pairs(outputs)).toEqual([[], [0, 1, 2], []]);
		expect(read(outputs, 'error')[1]).toEqual([undefined, FAILED, FAILED]);
		expect(outputs[1][1].json).toMatchObject({ sessionId: makeId(1) });
	});

	test('starts another session when the node is retried, and the one that completed is not started again', async () => {
		let isFixed = false;
		const first = createNode({
			sessions: [endsAfter(0), (age) => (isFixed ? endsAfter(0)(age) : fails(age))],
		});
		await getError(first.run());
		isFixed = true;
		const outputs = await first.run();
		expect(read(outputs, 'text')).toEqual([[], ['Done', 'Done'], []]);
		expect(first.about('start')).toEqual([0, 1, 1]);
	});

	test('before anything is sent stops all: the first invalid item is reported', async () => {
		const three = [endsAfter(0), endsAfter(0), endsAfter(0)];
		const parameters = emptyPrompt(1, 2);
		const { run, sent } = createNode({ sessions: three, parameters });
		const error = await getError(run());
		expect(error.message).toMatch(/'Prompt'/);
		expect(error.context).toMatchObject({ itemIndex: 1 });
		expect(sent).toEqual([]);
		const going = createNode({ sessions: three, parameters, continues: true });
		const outputs = await going.run();
		expect(read(outputs, 'error')[1]).toEqual([undefined, error.message, error.message]);
		expect(going.about('start')).toEqual([0]);
	});

	test('for a reason that all items share is reported once, or by each item under Continue On Fail', async () => {
		const credential = { overrides: '{' };
		const two = { sessions: [endsAfter(0), endsAfter(0)], credential };
		const error = await getError(createNode(two).run());
		expect(error.context).toMatchObject({ itemIndex: 0 });
		const invalid = { ...two, parameters: emptyPrompt(0), continues: true };
		const outputs = await createNode(invalid).run();
		const [first, second] = read(outputs, 'error')[1] as string[];
		expect(first).toMatch(/'Prompt'/);
		expect(second).toBe(error.message);
		expect(pairs(outputs)).toEqual([[], [0, 1], []]);
	});

	test('names the session that an earlier attempt has started, if its parameters are invalid now', async () => {
		let prompt = 'Do 0';
		const parameters = { prompt: () => prompt, pollInterval: 5 };
		const node = createNode({
			sessions: [works],
			parameters: { ...parameters, 'options.pollInterval': () => (prompt ? 5 : 'x'), maxWait: 0.1 },
			continues: true,
		});
		await node.run();
		prompt = '';
		const [, [item]] = await node.run();
		expect(item.json).toMatchObject({ sessionId: makeId(0) });
		expect(item.json.error).toMatch(/'Poll Interval/);
	});

	test('that comes back from Completed says that its session has already completed', async () => {
		const node = createNode();
		const [, completed] = await node.run();
		const error = await getError(
			node.again(completed, { previousNode: NODE, previousNodeOutput: 1 }),
		);
		expect(error.message).toBe("This item's session has already completed");
		expect(node.about('start')).toEqual([0]);
	});
});

describe('Max Concurrent Sessions', () => {
	const sessions = Array.from({ length: 7 }, () => endsAfter(8 * SECOND));
	const startTimes = async (parameters = {}) => {
		const node = createNode({ sessions, parameters });
		const outputs = await node.run();
		expect(pairs(outputs)[1]).toEqual([0, 1, 2, 3, 4, 5, 6]);
		return node.sent.filter(({ purpose }) => purpose === 'start').map(({ at }) => at / SECOND);
	};

	test('sessions run at once, and the next starts when one ends', async () => {
		expect(await startTimes({ 'options.maxConcurrentSessions': 2 })).toEqual([
			0, 0, 10, 10, 20, 20, 30,
		]);
	});

	test('is 5 by default', async () => {
		expect(await startTimes()).toEqual([0, 0, 0, 0, 0, 10, 10]);
	});

	test('is no limit for the polls of paused sessions', async () => {
		const parameters = { ...IN_DATABASE, 'options.maxConcurrentSessions': 1 };
		const slow = Array.from({ length: 3 }, () => works);
		const node = createNode({ sessions: slow, parameters, edges: TO_ITSELF });
		await node.run();
		await node.wake();
		const polls = node.sent.filter(({ purpose }) => purpose === 'poll').slice(0, 3);
		expect(polls.map(({ at }) => at)).toEqual([5 * SECOND, 5 * SECOND, 5 * SECOND]);
		expect(node.about('poll').slice(0, 3)).toEqual([0, 1, 2]);
	});
});

test('work on items is waited for, also after one has failed', async () => {
	const done: string[] = [];
	const outcomes = await settleConcurrently(['a', 'b', 'c'], 1, async (item, index) => {
		done.push(`${item}${index}`);
		if (item === 'a') throw new Error('It failed');
		return item;
	});
	expect(done).toEqual(['a0', 'b1', 'c2']);
	expect(outcomes).toEqual([
		{ status: 'rejected', reason: new Error('It failed') },
		{ status: 'fulfilled', value: 'b' },
		{ status: 'fulfilled', value: 'c' },
	]);
});

describe('a stopped execution', () => {
	const CANCELED = 'The execution was canceled';

	test('aborts the sessions that are still running, and no others', async () => {
		const sessions = [endsAfter(0), works, fails, works];
		const node = createNode({ sessions });
		node.stopAt(MINUTE);
		const error = await getError(node.run());
		expect(error.message).toBe(CANCELED);
		expect(error.description).toBeFalsy();
		expect(node.about('abort')).toEqual([1, 3]);
		expect(node.logged).toContain(
			`The execution was stopped. Agent session ${makeId(1)} was aborted`,
		);
	});

	test('names the sessions that it could not abort', async () => {
		const node = createNode({
			sessions: [works, works],
			answer: (purpose, { path }) =>
				purpose === 'abort' && path.includes(makeId(1)) ? { status: 404, body: {} } : undefined,
		});
		node.stopAt(MINUTE);
		const error = await getError(node.run());
		expect(error.description).toContain(`Session ${makeId(1)} couldn't be aborted`);
		expect(error.description).not.toContain(makeId(0));
	});

	test('lets sessions run if Abort on Stop is off', async () => {
		const parameters = { 'options.abortOnStop': false };
		const node = createNode({ sessions: [works], parameters });
		node.stopAt(MINUTE);
		expect((await getError(node.run())).message).toBe(CANCELED);
		expect(node.about('abort')).toEqual([]);
	});

	test('starts no session that was waiting for its turn', async () => {
		const parameters = { 'options.maxConcurrentSessions': 1 };
		const node = createNode({ sessions: [works, works], parameters });
		node.stopAt(MINUTE);
		await getError(node.run());
		expect(node.about('start')).toEqual([0]);
	});

	test('that is retried by n8n sends nothing but the aborts, also for an item that has become invalid', async () => {
		let interval: unknown = 5;
		const parameters = { maxWait: 0.1, 'options.pollInterval': () => interval };
		const node = createNode({ sessions: [works, works], parameters });
		await node.run();
		node.stop();
		const before = node.sent.length;
		expect((await getError(node.run())).message).toBe(CANCELED);
		expect(node.sent.slice(before).map(({ purpose }) => purpose)).toEqual(['abort', 'abort']);
		// The sessions are forgotten.
		await getError(node.run());
		expect(node.sent).toHaveLength(before + 2);
		interval = 'x';
		expect((await getError(node.run())).message).toBe(CANCELED);
	});

	test('reports a session as running if its settings cannot be read any more', async () => {
		let interval: unknown = 5;
		const parameters = { maxWait: 0.1, 'options.pollInterval': () => interval };
		const node = createNode({ sessions: [works], parameters });
		await node.run();
		interval = 'x';
		node.stop();
		const error = await getError(node.run());
		expect(error.description).toContain(`Session ${makeId(0)} couldn't be aborted`);
		expect(node.about('abort')).toEqual([]);
	});
});

describe('a tool of an AI agent', () => {
	const node = { type: 'runAgentSessionTool' };
	const sessions = [asks, endsAfter(0), works, fails];

	test('returns all items on the first output, also failed ones, and gives no hints', async () => {
		const tool = createNode({ node, sessions, parameters: { maxWait: 1 }, edges: TO_ITSELF });
		const outputs = await tool.run();
		expect(pairs(outputs)).toEqual([[0, 1, 2, 3], [], []]);
		expect(read(outputs, 'status')[0]).toEqual([
			'needs_approval',
			'completed',
			'still_running',
			'failed',
		]);
		expect(tool.hints).toEqual([]);
	});

	test('returns an error as an item that the model reads, unless it is set to stop', async () => {
		const invalid = { node, parameters: emptyPrompt(0) };
		const [[item]] = await createNode(invalid).run();
		expect(item.json.error).toMatch(/'Prompt'/);
		const stops = { ...node, onError: 'stopWorkflow' };
		const error = await getError(createNode({ ...invalid, node: stops }).run());
		expect(error.message).toBe(item.json.error);
	});
});

describe('items that continue sessions', () => {
	const continuing = (...ids: number[]) => ({
		...MESSAGE,
		sessionId: (index: number) => makeId(ids[index]),
	});

	test('send the message once, however often they are retried', async () => {
		const parameters = { ...continuing(0), maxWait: 0.1 };
		const node = createNode({ sessions: [works], parameters });
		await node.run();
		await node.run();
		expect(node.about('message')).toEqual([0]);
		expect(node.about('start')).toEqual([]);
	});

	test('are refused if they continue the same one: both are named, nothing is sent, and the others go on', async () => {
		const sessions = [works, endsAfter(0), works];
		const parameters = { ...continuing(0, 1, 0), message: '' };
		const error = await getError(createNode({ sessions, parameters }).run());
		expect(error).toMatchObject({
			message: 'Several items continue the same session',
			description: expect.stringContaining(`Items 0 and 2 continue session ${makeId(0)}`),
			context: { sessionId: makeId(0) },
		});
		const node = createNode({ sessions, parameters, continues: true });
		const outputs = await node.run();
		expect(read(outputs, 'error')[1]).toEqual([error.message, undefined, error.message]);
		expect(read(outputs, 'sessionId')[1]).toEqual([0, 1, 0].map(makeId));
		expect(node.about('poll')).toEqual([1]);
	});

	test('of different sessions or that start sessions of the same project are not refused', async () => {
		const sessions = [endsAfter(0), endsAfter(0)];
		const parameters = { ...continuing(0, 1), message: '' };
		expect(pairs(await createNode({ sessions, parameters }).run())).toEqual([[], [0, 1], []]);
	});
});

describe('the chat of a user', () => {
	const chatting = () => {
		const chunks: unknown[][] = [];
		const context = {
			isStreaming: () => true,
			sendChunk: async (...chunk: unknown[]) => void chunks.push(chunk),
		};
		return { chunks, context };
	};
	const tool = (title?: string) => ({ latestTool: { title } as never });

	test('shows each tool once while it is used, and then the answer', async () => {
		const { chunks, context } = chatting();
		const { run, logged } = createNode({
			sessions: [
				(age) => {
					if (age < 8 * SECOND) return tool('Reads a file');
					if (age < 12 * SECOND) return { ...tool('Reads a file'), status: 'starting' };
					if (age < 20 * SECOND) return tool('Runs tests');
					return age < 30 * SECOND ? tool('') : endsAfter(0)(age);
				},
			],
			context,
		});
		await run();
		expect(chunks.map(([type, , text]) => text ?? type)).toEqual([
			'begin',
			'Reads a file\n\n',
			'Runs tests\n\n',
			'Done',
			'end',
		]);
		expect(logged.slice(1)).toEqual(
			[
				'running: Reads a file',
				'starting: Reads a file',
				'running: Runs tests',
				'running',
				'completed',
			].map((state) => `Agent session is ${state}`),
		);
	});

	test.each([
		['question', asks, /^The agent needs your approval/],
		['error', fails, /^The agent session failed: Out of disk/],
	])('ends with the %s', async (_, session, text) => {
		const { chunks, context } = chatting();
		await createNode({ sessions: [session], context, continues: true }).run();
		expect(chunks.at(-2)![2]).toMatch(text);
	});

	test.each([
		['a tool', { node: { type: 'runAgentSessionTool' } }],
		['a session In the Database', { parameters: IN_DATABASE, edges: TO_ITSELF, mode: 'manual' }],
	])('shows nothing of %s', async (_, world) => {
		const { chunks, context } = chatting();
		await createNode({ ...world, context }).run();
		expect(chunks).toEqual([]);
	});
});

test('logs name the node and the item', async () => {
	const logged: unknown[] = [];
	const logger = {
		info: (_: string, about: object) => logged.push(about),
		debug() {},
	};
	await createNode({ sessions: [endsAfter(0), endsAfter(0)], context: { logger } }).run();
	expect(logged).toContainEqual({ sessionId: makeId(1), node: NODE, itemIndex: 1 });
});

test("an execution's custom data name its sessions", async () => {
	const { run, custom } = createNode({
		sessions: [() => ({ ...endsAfter(0)(0), dashboardUrl: 'https://app.test/0' }), endsAfter(0)],
	});
	await run();
	expect(custom).toEqual({
		sessionId: makeId(0),
		dashboardUrl: 'https://app.test/0',
		sessionId_1: makeId(1),
	});
});

describe("words for the service's options", () => {
	const pending = {
		...request,
		response: { options: ['yes', 'no', 'sure'].map((value) => ({ value, label: value })) },
	};
	const overrides = JSON.stringify({
		resolveInteraction: { words: { approve: 'yes', deny: 'no' } },
	});
	const decide = async (permissionPolicy: string, options = {}) => {
		const sent: unknown[] = [];
		const node = createNode({
			sessions: [() => (sent.length > 0 ? endsAfter(0)(0) : { pendingInteractions: [pending] })],
			parameters: { permissionPolicy, ...options },
			credential: { overrides },
			answer: (purpose, { body }) => {
				if (purpose === 'decision') sent.push(body);
				return undefined;
			},
		});
		await node.run();
		return JSON.stringify(sent);
	};

	test('are those of the credential, unless the node has its own', async () => {
		expect(await decide('approve')).toContain('"yes"');
		expect(await decide('deny')).toContain('"no"');
		expect(await decide('approve', { 'options.approveValues': 'sure' })).toContain('"sure"');
	});
});

describe('Require Specific Output Format', () => {
	const parameters = { hasOutputParser: true };

	test('without a parser starts nothing', async () => {
		const getInputConnectionData = async () => await Promise.reject(new Error('None'));
		const node = createNode({ parameters, context: { getInputConnectionData } });
		const error = await getError(node.run());
		expect(error.message).toBe('No output parser is connected');
		expect(node.sent).toEqual([]);
	});

	test('parses the answers of all items with the connected parser', async () => {
		const getInputConnectionData = async () => ({
			getFormatInstructions: () => 'As JSON',
			parse: async (text: string) => JSON.parse(text) as unknown,
		});
		const sessions = [endsAfter(0, '{"a":1}'), endsAfter(0, '{"a":2}')];
		const node = createNode({ sessions, parameters, context: { getInputConnectionData } });
		expect(read(await node.run(), 'output')[1]).toEqual([{ a: 1 }, { a: 2 }]);
	});
});

describe('a start that a killed n8n recorded', () => {
	test('is not repeated by a retry, whose context n8n has not saved', async () => {
		const killed = createNode();
		await killed.run();
		const mark = 'token node 0.0 start 0';
		killed.database.add(mark);
		const retry = createNode({ database: killed.database });
		const error = await getError(retry.run());
		expect(error.message).toMatch(/may have been started/);
		expect(retry.about('start')).toEqual([]);
	});

	test('is another one after a session failed: the retry of the node starts it', async () => {
		const node = createNode({ sessions: [fails] });
		for (const starts of [1, 2]) {
			await getError(node.run());
			expect(node.about('start')).toHaveLength(starts);
		}
		expect([...node.database].map((mark) => mark.replace(/^.* start /, ''))).toEqual(['0', '1']);
	});
});

test('an unexpected error keeps its message', async () => {
	const getCredentials = async () => await Promise.reject(new Error('No credential'));
	const error = await getError(createNode({ context: { getCredentials } }).run());
	expect((error as WorkspaceAutomationError).message).toBe('No credential');
});
