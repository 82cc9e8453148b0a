// n8n executes Run Agent Session again and again with the same items, without a connection back: the mechanism, in n8n's engine.
import { describe, expect, jest, test } from '@jest/globals';
import type { IDataObject, INodeExecutionData, IRun, IRunExecutionData } from 'n8n-workflow';
import { controlWithin } from '../../local-service/control/client.mts';
import { core } from '../../n8n-host/core.mts';
import { prepareRetry } from '../../n8n-host/savedExecution.mts';
import { byId } from '../../n8n-host/workflows.mts';
import {
	AGGREGATE,
	createStage,
	DOUBLES,
	FAILS,
	fillIn,
	LOOP,
	NODE,
	runsOf,
	type Flow,
} from './flow.mts';
import { CHAT_TRIGGER, RESPONDING_NODES } from './respondingNodes.mts';

const AFTER = 'After';
const MESSAGE = 'Message';
const OTHER = 'Other';
const wires = [[AFTER], [MESSAGE]];
const prompts = (...list: string[]) => list.map((prompt) => ({ prompt }));
const textsOf = (run: Parameters<typeof runsOf>[0], name = AFTER) =>
	runsOf(run, name).map((items) => items.map(({ text, error }) => error ?? text));
const linkOf = (run: Parameters<typeof runsOf>[0], node = NODE) =>
	runsOf(run, node, 1).flat().at(-1)?.approvalUrl as string;
/** Returns the data with which n8n retries an execution. */
function retryData(run: Pick<IRun, 'data'>): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(run.data)) as IRunExecutionData;
	prepareRetry(data);
	return data;
}
const starts = (stage: ReturnType<typeof createStage>) => stage.of('POST', '/agent/sessions');

describe('items leave', () => {
	test('together in one run, when all sessions have ended', async () => {
		const stage = createStage();
		const items = prompts('[work 1m] [say One]', '[work 30m] [say Two]', '[work 5m] [say Three]');
		const run = await stage.run({ wires, items });
		expect(textsOf(run)).toEqual([['One', 'Two', 'Three']]);
		expect(runsOf(run, NODE)).toHaveLength(1);
		expect(starts(stage)).toHaveLength(3);
	});

	test('each paired with the item it belongs to, however late it leaves', async () => {
		const stage = createStage();
		const items = prompts('[work 30m] [say Two]', '[ask bash: x]', '[work 2m] [say One]');
		const flow: Flow = {
			wires,
			items,
			parameters: { maxWait: 60, onMaxWait: 'letRun' },
			settings: { onError: 'continueRegularOutput' },
		};
		const run = await stage.run(flow);
		const paired = (output: number) =>
			run.data.resultData.runData[NODE].flatMap(({ data }) =>
				(data?.main[output] ?? []).map(({ pairedItem }) => pairedItem),
			);
		expect(paired(0)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(paired(1)).toEqual([{ item: 1 }]);
	});

	test('with others that are asked within two seconds, and not with a later one', async () => {
		const answerMs = [0, 1_500, 10_000];
		const stage = createStage([], async ({ method, url }, passOn) => {
			const at = stage.sessions().findIndex(({ sessionId }) => url.pathname.endsWith(sessionId));
			if (method === 'GET' && at >= 0) await stage.time.sleep(answerMs[at]);
			return await passOn();
		});
		const run = await stage.run({
			wires,
			items: prompts('[ask bash: x]', '[ask bash: y]', '[ask bash: z]'),
			parameters: { whileWaiting: 'keepRunning', maxWait: 5, onMaxWait: 'letRun' },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(runsOf(run, MESSAGE).map(({ length }) => length)).toEqual([2, 1]);
	});

	test('while the execution keeps running, a question leaves at once and the others go on', async () => {
		const stage = createStage();
		const flow: Flow = {
			wires,
			items: prompts('[work 60s] [say One]', '[ask bash: x] [say Two]'),
			parameters: { whileWaiting: 'keepRunning', maxWait: 5, onMaxWait: 'letRun' },
			settings: { onError: 'continueRegularOutput' },
		};
		const run = await stage.run(flow);
		expect(run.wakes).toBe(0);
		expect(runsOf(run, MESSAGE)).toHaveLength(1);
		const [[one, two]] = textsOf(run);
		expect(one).toBe('One');
		expect(two).toMatch(/did not finish within 5 minutes. It's still running/);
		expect(starts(stage)).toHaveLength(2);
	});
});

test('Max Concurrent Sessions counts a session that approvers were asked about', async () => {
	const stage = createStage();
	const run = await stage.run({
		wires,
		items: prompts('[ask bash: x] [say One]', '[say Two]'),
		parameters: {
			whileWaiting: 'keepRunning',
			maxWait: 10,
			onMaxWait: 'letRun',
			options: { maxConcurrentSessions: 1 },
		},
		settings: { onError: 'continueRegularOutput' },
	});
	expect(textsOf(run)).toEqual([[expect.stringMatching(/did not finish/), 'Two']]);
	expect(starts(stage)[1].at).toBeGreaterThanOrEqual(600_000);
});

describe('an hour of pauses', () => {
	test('leaves one run, and its data is small', async () => {
		const stage = createStage();
		const warn = jest.spyOn(stage.logs(), 'warn');
		const run = await stage.run({ wires, items: prompts('[work 1h] [say Done]') });
		expect(warn.mock.calls).toEqual([]);
		warn.mockRestore();
		expect(textsOf(run)).toEqual([['Done']]);
		expect(runsOf(run, NODE)).toHaveLength(1);
		expect(run.wakes).toBeGreaterThan(10);
		const written = run.saved.reduce((sum, { bytes }) => sum + bytes, 0);
		expect(written).toBeLessThan(300 * 1024);
	});

	test('with Always Output Data makes no items of runs that return none', async () => {
		const stage = createStage();
		const items = prompts('[work 20m] [ask bash: x]', '[work 30m] [say Done]');
		const parameters = { maxWait: 60, onMaxWait: 'letRun' };
		const settings = { alwaysOutputData: true, onError: 'continueRegularOutput' as const };
		const run = await stage.run({ wires, items, parameters, settings });
		expect(runsOf(run, AFTER)).toHaveLength(1);
		expect(runsOf(run, AFTER)[0]).toHaveLength(2);
	});

	test('reads every session at its turn, however slow the service is', async () => {
		// More sessions than may be read at once, and readings that take most of the time of a poll.
		const stage = createStage([], async (_, passOn) => {
			await stage.time.sleep(10_000);
			return await passOn();
		});
		const count = 40;
		const items = Array.from({ length: count }, () => ({ prompt: '[work 15m] [say Done]' }));
		const options = { maxConcurrentSessions: count };
		const run = await stage.run({ wires, items, parameters: { options } });
		expect(textsOf(run)[0].filter((text) => text === 'Done')).toHaveLength(count);
		const readings = stage.requests.filter(
			({ method, path }) => method === 'GET' && path.includes('/sessions/'),
		);
		for (const [index, { path, at }] of readings.entries()) {
			const before = readings.findLast((each, other) => other < index && each.path === path);
			expect(at - (before?.at ?? at)).toBeLessThan(5 * 60_000);
		}
	});
});

describe('in the editor', () => {
	test('Execute step runs the node to its end, also after a pause, and no node behind it', async () => {
		const stage = createStage();
		const flow: Flow = {
			wires,
			items: prompts('[work 30m] [say Done]'),
			mode: 'manual',
			destination: NODE,
		};
		const run = await stage.run(flow);
		expect(run.wakes).toBeGreaterThan(1);
		expect(textsOf(run, NODE)).toEqual([['Done']]);
		expect(run.order).not.toContain(AFTER);
	});

	test('pinned data takes the place of sessions', async () => {
		const stage = createStage();
		const pinned = { [NODE]: [{ text: 'Pinned' }] };
		const run = await stage.run({ wires, items: prompts('[say Done]'), mode: 'manual', pinned });
		expect(textsOf(run)).toEqual([['Pinned']]);
		expect(starts(stage)).toHaveLength(0);
	});
});

describe('several nodes', () => {
	test.each(['v0', 'v1'] as const)(
		'in parallel branches both have working links and end, in order %s',
		async (order) => {
			const stage = createStage();
			const flow: Flow = {
				order,
				first: [NODE, OTHER],
				wires: [[AFTER], [MESSAGE]],
				follows: { [OTHER]: [['After other'], ['Message other']] },
				more: { [OTHER]: { prompt: '[work 20s] [ask bash: y] [say Second]' } },
				items: prompts('[work 20s] [ask bash: x] [say First]'),
			};
			let isAnswered = false;
			const run = await stage.run(flow, async (paused) => {
				const links = [NODE, OTHER].map((each) => linkOf(paused, each));
				if (isAnswered || !links.every(Boolean)) return;
				for (const link of links) {
					const { status, body } = await stage.open(flow, paused, link!);
					expect([status, body.match(/Run this command/g)?.length]).toEqual([200, 2]);
				}
				// One page has the requests of both.
				isAnswered = true;
				const link = links[order === 'v0' ? 0 : 1]!;
				const { body } = await stage.open(flow, paused, link);
				return (await stage.open(flow, paused, link, fillIn(body, 'Approve once'))).data;
			});
			expect(textsOf(run)).toEqual([['First']]);
			expect(textsOf(run, 'After other')).toEqual([['Second']]);
			expect(starts(stage)).toHaveLength(2);
			expect(stage.of('POST', '/resolve')).toHaveLength(2);
		},
	);

	test('an open link of one keeps the wakes of the other short', async () => {
		const stage = createStage();
		const policy = { permissionPolicy: 'approve' };
		const flow: Flow = {
			first: [NODE, OTHER],
			wires: [[AFTER], [MESSAGE]],
			follows: { [OTHER]: [['After other'], ['Message other']] },
			more: { [OTHER]: { prompt: '[work 3m] [ask bash: y] [work 1m] [say Done]', ...policy } },
			parameters: { maxWait: 10, onMaxWait: 'letRun' },
			settings: { onError: 'continueRegularOutput' },
			items: prompts('[ask bash: x]'),
		};
		const run = await stage.run(flow);
		const [{ at }] = stage.of('POST', '/resolve');
		expect(run.saved.find((saved) => saved.at >= at)!.at - at).toBeLessThanOrEqual(2_000);
		expect(textsOf(run, 'After other')).toEqual([['Done']]);
	});

	test('two branches into one node have sessions of their own', async () => {
		const stage = createStage();
		const flow: Flow = {
			first: ['Left', 'Right'],
			follows: { Left: [[NODE]], Right: [[NODE]] },
			wires,
			items: prompts('[work 10m] [say Done]'),
		};
		const run = await stage.run(flow);
		expect(textsOf(run)).toEqual([['Done'], ['Done']]);
		expect(starts(stage)).toHaveLength(2);
	});
});

describe('a connection back to the node', () => {
	const through = (node: string): Flow => ({ wires: [[node], []], follows: { [node]: [[NODE]] } });

	test.each<[string, Flow]>([
		['Completed', { wires: [[NODE], []] }],
		['Completed, through a node that combines items', through(AGGREGATE)],
		[
			'Completed, through a node that returns more items',
			{ ...through(DOUBLES), items: prompts('[say One]', '[say Two]') },
		],
		['To Approve', { wires: [[], [NODE]], items: prompts('[ask bash: x]') }],
		[
			'Completed, with On Error that continues,',
			{ wires: [[NODE], []], settings: { onError: 'continueRegularOutput' } },
		],
		['Completed, with Retry On Fail,', { wires: [[NODE], []], settings: { retryOnFail: true } }],
		[
			'the error output',
			{ wires: [[NODE], [], [NODE]], settings: { onError: 'continueErrorOutput' } },
		],
	])('from %s starts nothing, and the error names the session', async (_, flow) => {
		const stage = createStage();
		const run = await stage.run({ items: prompts('[say One]'), ...flow });
		const [{ sessionId }] = stage.sessions();
		const { error } = run.data.resultData;
		expect(run.status).toBe('error');
		expect(error?.message).toBe('This item comes from an output of the same node');
		expect(error?.description).toContain(sessionId);
		expect(starts(stage)).toHaveLength(flow.items?.length ?? 1);
	});

	test('through a loop is none: its next item comes from before the loop', async () => {
		const stage = createStage();
		const run = await stage.run({
			first: [LOOP],
			follows: { [LOOP]: [[NODE]], [DOUBLES]: [[LOOP]] },
			wires: [[DOUBLES], []],
			items: prompts('[say One]', '[say Two]'),
		});
		expect(run.status).toBe('success');
		expect(starts(stage)).toHaveLength(2);
	});
});

describe('a caller', () => {
	const called = async (type: string, parameters: IDataObject, more: Partial<Flow> = {}) => {
		const run = await createStage().run({
			wires,
			items: prompts('[work 2m] [say Done]'),
			trigger: { type, parameters },
			mode: 'webhook',
			...more,
		});
		expect(textsOf(run)).toEqual([['Done']]);
		return run.wakes > 0;
	};

	test.each(RESPONDING_NODES)(
		'of %s with %j keeps the execution running if it waits until the workflow ends: %s',
		async (type, parameters, waits) => {
			expect(await called(type, parameters)).toBe(!waits);
		},
	);

	test("doesn't wait if its trigger responds at once, whatever another trigger of the workflow does", async () => {
		const stage = createStage();
		const items = prompts('[work 2m] [say Done]');
		const otherTrigger = {
			type: 'n8n-nodes-base.webhook',
			parameters: { responseMode: 'lastNode' },
		};
		const run = await stage.run({ wires, items, mode: 'webhook', otherTrigger });
		expect(run.wakes).toBeGreaterThan(0);
	});

	test('waits also in a manual execution, and no more in a retry', async () => {
		expect(await called(CHAT_TRIGGER, {}, { mode: 'manual' })).toBe(false);
		expect(await called(CHAT_TRIGGER, {}, { mode: 'retry' })).toBe(true);
	});

	test('waits while n8n streams the response', async () => {
		const { prototype } = core.ExecuteContext;
		const streams = jest.spyOn(prototype, 'isStreaming').mockReturnValue(true);
		expect(await called('n8n-nodes-base.webhook', {})).toBe(false);
		streams.mockRestore();
	});
});

describe('an n8n that offers no pause', () => {
	const withoutHooks: Flow['change'] = (additionalData) => {
		const { hooks } = additionalData;
		additionalData.hooks = new Proxy(hooks, {
			get: (target, name) => (name === 'addHandler' ? undefined : target[name]),
		});
	};

	test('keeps the execution running, and says so', async () => {
		const stage = createStage();
		const run = await stage.run({
			wires,
			items: prompts('[work 20m] [say Done]', '[ask bash: x]'),
			parameters: { maxWait: 60, onMaxWait: 'letRun' },
			settings: { onError: 'continueRegularOutput' },
			change: withoutHooks,
		});
		expect(run.wakes).toBe(0);
		expect(runsOf(run, AFTER)[0][0]).toMatchObject({
			text: 'Done',
			warnings: ["The execution kept running, because this n8n can't pause it."],
		});
		const [asked] = runsOf(run, NODE, 1).flat();
		expect(asked.approvalUrl).toBeUndefined();
		expect(asked.question).toMatch(/dashboard.*Apply an Answer/s);
	});

	test('is also one without a signal of Stop, as in its second engine', async () => {
		const stage = createStage();
		const { prototype } = core.ExecuteContext;
		const signal = jest.spyOn(prototype, 'getExecutionCancelSignal').mockReturnValue(undefined);
		const run = await stage.run({ wires, items: prompts('[work 20m] [say Done]') });
		signal.mockRestore();
		expect([run.wakes, ...textsOf(run)]).toEqual([0, ['Done']]);
	});
});

describe('a failure', () => {
	test('waits until the other sessions have ended, and names them', async () => {
		const stage = createStage();
		const items = prompts('[work 2m] [fail Broken]', '[work 30m] [say Two]');
		const run = await stage.run({ wires, items });
		const [failed, completed] = stage.sessions();
		expect(run.status).toBe('error');
		expect(run.data.resultData.error?.description).toContain(failed.sessionId);
		expect(run.data.resultData.error?.description).toContain(completed.sessionId);
		expect(runsOf(run, AFTER)).toEqual([]);
	});

	/** Returns the data of a retry after two sessions have run out of time, with the first item changed and a third one added. */
	async function changedRetry(stage: ReturnType<typeof createStage>, flow: Flow) {
		const parameters = { whileWaiting: 'keepRunning', maxWait: 2, onMaxWait: 'letRun' };
		const data = retryData(await stage.run({ ...flow, parameters }));
		const [{ node, data: input }] = data.executionData!.nodeExecutionStack;
		const [items] = input.main as INodeExecutionData[][];
		items[0].json.prompt = 'Other';
		items.push({ json: { prompt: '[say Three]' }, pairedItem: { item: 0 } });
		return { data, node };
	}
	const twoItems: Flow = { wires, items: prompts('[work 5m] [say One]', '[work 20m] [say Two]') };

	test('of one changed item in a retry keeps the others from starting, and names their sessions', async () => {
		const stage = createStage();
		const { data } = await changedRetry(stage, twoItems);
		const { error } = (await stage.run(twoItems, undefined, { data, mode: 'retry' })).data
			.resultData;
		const [first, second] = stage.sessions();
		expect(error?.message).toContain(`An earlier attempt started session ${first.sessionId}`);
		expect(error?.description).toContain(`Item 1: running (session ${second.sessionId}`);
		expect(starts(stage)).toHaveLength(2);
	});

	test('of one changed item in a retry keeps the others from starting, also after what has completed', async () => {
		const stage = createStage();
		const flow = { ...twoItems, items: prompts('[work 20m] [say One]', '[work 1m] [say Two]') };
		const { data } = await changedRetry(stage, flow);
		const run = await stage.run(flow, undefined, { data, mode: 'retry' });
		expect(run.status).toBe('error');
		expect(textsOf(run)).toEqual([['Two']]);
		expect(starts(stage)).toHaveLength(2);
	});

	test("of one item's settings sends nothing, also in the tries of Retry On Fail", async () => {
		const stage = createStage();
		const run = await stage.run({
			wires,
			items: prompts('', '[say Two]'),
			settings: { retryOnFail: true, maxTries: 3 },
		});
		expect(run.data.resultData.error?.description).toContain("Enter a value for 'Prompt'");
		expect(stage.requests).toEqual([]);
	});

	test.each(['pause', 'keepRunning'])(
		'before the first reading of a started session is followed by a retry that continues it: %s',
		async (whileWaiting) => {
			const stage = createStage();
			const flow = { wires, items: prompts('[work 1m] [say Done]'), parameters: { whileWaiting } };
			const control = controlWithin(stage.service.app);
			await control.addFaults({
				operationId: 'getAgentSession',
				kind: 'status',
				status: 403,
				times: 1,
			});
			const failed = await stage.run(flow);
			expect(failed.status).toBe('error');
			const run = await stage.run(flow, undefined, { data: retryData(failed), mode: 'retry' });
			expect(textsOf(run)).toEqual([['Done']]);
			expect(starts(stage)).toHaveLength(1);
		},
	);

	test('of a session ID that was never read is corrected by a retry', async () => {
		const stage = createStage();
		await stage.run({ wires, items: prompts('[say Hello]') });
		const flow: Flow = {
			wires,
			items: [{}],
			parameters: {
				operation: 'continue',
				sessionId: byId('00000000-0000-4000-8000-000000000000'),
			},
		};
		const data = retryData(await stage.run(flow));
		for (const { node } of data.executionData!.nodeExecutionStack)
			Object.assign(node.parameters, { sessionId: byId(stage.sessions()[0].sessionId) });
		const run = await stage.run(flow, undefined, { data, mode: 'retry' });
		expect(textsOf(run)).toEqual([['Hello']]);
	});

	test('becomes an item with On Error, together with the others', async () => {
		const stage = createStage();
		const items = prompts('[work 2m] [fail Broken]', '[work 30m] [say Two]');
		const settings = { onError: 'continueErrorOutput' as const };
		const run = await stage.run({ wires: [...wires, ['Errors']], items, settings });
		expect(textsOf(run)).toEqual([['Two']]);
		expect(textsOf(run, 'Errors')).toEqual([[expect.stringMatching(/Broken/)]]);
	});

	test('as the first item, with Retry On Fail, runs only its own session again', async () => {
		const stage = createStage();
		const items = prompts('[work 2m] [fail Broken]', '[work 5m] [say Two]');
		const settings = {
			onError: 'continueRegularOutput' as const,
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 10,
		};
		const parameters = { whileWaiting: 'keepRunning' };
		const run = await stage.run({ wires, items, settings, parameters });
		expect(textsOf(run)).toEqual([[expect.stringMatching(/Broken/), 'Two']]);
		expect(starts(stage)).toHaveLength(3);
	});

	test('waits before the next try of Retry On Fail', async () => {
		const stage = createStage();
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 5_000 };
		const parameters = { whileWaiting: 'keepRunning' };
		await stage.run({ wires, items: prompts('[fail Broken]'), settings, parameters });
		const [first, second] = starts(stage);
		// The first reading comes after 5 s.
		expect(second.at - first.at).toBeGreaterThanOrEqual(10_000);
	});

	test('of another node ends the execution, and a retry continues the sessions', async () => {
		const stage = createStage();
		const flow: Flow = {
			wires: [[], [FAILS]],
			items: prompts('[ask bash: x] [say One]', '[work 30m] [say Two]'),
			parameters: { approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 1 } },
		};
		const warn = jest.spyOn(stage.logs(), 'warn');
		const run = await stage.run(flow);
		expect(run.status).toBe('error');
		const warnings = warn.mock.calls.map(([text]) => text);
		warn.mockRestore();
		expect(warnings).toContainEqual(
			expect.stringContaining(`agent session ${stage.sessions()[1].sessionId} is still running`),
		);
		const data = retryData(run);
		for (const entry of data.executionData!.nodeExecutionStack)
			if (entry.node.name === FAILS) entry.node.name = AFTER;
		const retried = await stage.run({ ...flow, wires }, undefined, { data, mode: 'retry' });
		expect(textsOf(retried)).toEqual([[''], [expect.stringMatching(/^One/), 'Two']]);
		expect(starts(stage)).toHaveLength(2);
	});

	test('of another node is logged once for each session that runs on, also with several entries', async () => {
		const stage = createStage();
		const warn = jest.spyOn(stage.logs(), 'warn');
		await stage.run({
			first: ['Left', 'Right'],
			follows: { Left: [[NODE]], Right: [[NODE]] },
			wires: [[], [FAILS]],
			items: prompts('[ask bash: x]', '[work 30m]'),
		});
		const warnings = warn.mock.calls.map(([text]) => String(text));
		warn.mockRestore();
		const running = warnings.filter((text) => text.includes('is still running'));
		expect(running).toHaveLength(4);
		expect(new Set(running).size).toBe(4);
	});

	test('of the credential in a wake passes, or ends with an error that names all sessions', async () => {
		for (const failures of [2, Infinity]) {
			const stage = createStage();
			let left = failures;
			let isPaused = false;
			const change: Flow['change'] = ({ credentialsHelper }) => {
				const read = credentialsHelper.getDecrypted.bind(credentialsHelper);
				credentialsHelper.getDecrypted = async (...given: unknown[]) => {
					if (isPaused && left-- > 0) throw new Error('Vault is sealed');
					return await read(...given);
				};
			};
			const items = prompts('[work 10m] [say One]', '[work 20m] [say Two]');
			const run = await stage.run({ wires, items, change }, async () => {
				isPaused = true;
				// Two late wakes aren't enough.
				if (failures === 2) stage.time.advance(4 * 60_000);
			});
			if (failures === 2) expect(textsOf(run)).toEqual([['One', 'Two']]);
			else
				for (const { sessionId } of stage.sessions())
					expect(run.data.resultData.error?.description).toContain(sessionId);
		}
	});
});

describe('two wakes of one pause', () => {
	const flow: Flow = { wires, items: prompts('[work 20s] [ask bash: x] [work 5m] [say Done]') };

	async function pausedWithLink(stage: ReturnType<typeof createStage>) {
		let found: Parameters<NonNullable<Parameters<typeof stage.run>[1]>>[0] | undefined;
		await stage
			.run(flow, async (paused) => {
				if (!linkOf(paused)) return;
				found = paused;
				throw new Error('enough');
			})
			.catch(() => {});
		return found!;
	}

	test('have one effect, and an answer that only the second has is not lost', async () => {
		const stage = createStage();
		const paused = await pausedWithLink(stage);
		const { body } = await stage.open(flow, paused, linkOf(paused));
		// Another process takes the answer, so only the data of the second wake has it.
		const elsewhere = { ...paused, executionId: 'elsewhere' };
		const answer = await stage.open(flow, elsewhere, linkOf(paused), fillIn(body, 'Approve once'));
		const saved = JSON.parse(JSON.stringify(paused.data)) as IRunExecutionData;
		const { executionId } = paused;
		stage.time.advance(70_000);
		const [first, second] = await stage.time.run(async () => {
			const timer = stage.begin(flow, executionId, saved);
			const webhook = stage.begin(flow, executionId, answer.data);
			return await Promise.all([timer.result, webhook.result]);
		});
		expect([first.status, second.status]).toEqual(['waiting', 'waiting']);
		expect(second.waitTill!.getTime()).toBeLessThanOrEqual(stage.time.now() + 5_000);
		stage.time.advance(60_000);
		const run = await stage.run(flow, undefined, { data: second.data, executionId });
		expect(textsOf(run)).toEqual([['Done']]);
		expect(stage.of('POST', '/resolve')).toHaveLength(1);
		expect(runsOf(run, MESSAGE)).toHaveLength(1);
	});

	test('an answer is not lost with the run that took it, if n8n did not save that run', async () => {
		const stage = createStage();
		const paused = await pausedWithLink(stage);
		const { body } = await stage.open(flow, paused, linkOf(paused));
		const answer = await stage.open(flow, paused, linkOf(paused), fillIn(body, 'Deny'));
		const { executionId } = paused;
		const control = controlWithin(stage.service.app);
		await control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 503,
			times: 0,
		});
		await stage.time.run(async () => await stage.begin(flow, executionId, answer.data).result);
		await control.clearFaults();
		expect(stage.of('POST', '/resolve')).toEqual([]);
		// Later than a second wake of the same pause
		stage.time.advance(4 * 60_000);
		const run = await stage.run(flow, undefined, { data: paused.data, executionId });
		expect(runsOf(run, NODE).flat()).toMatchObject([
			{ status: 'completed', decisions: [{ decision: 'deny', decidedBy: 'page' }] },
		]);
	});

	// n8n 2 drops an answer if the timer wakes the execution at the same moment.
	test('an answer that was confirmed is applied in the next wake, even if n8n has dropped it', async () => {
		const stage = createStage();
		const flow = {
			parameters: { permissionPolicy: 'ask' },
			items: [{ prompt: '[ask bash: npm publish] [say Went on.]' }],
		};
		let isAnswered = false;
		const run = await stage.run(flow, async (paused) => {
			const [item] = runsOf(paused, NODE, 1).flat();
			if (!item || isAnswered) return;
			const link = String(item.approvalUrl);
			const page = await stage.open(flow, paused, link);
			const answer = await stage.open(flow, paused, link, fillIn(page.body, 'Deny'));
			isAnswered = answer.resumes;
			// The data with the answer isn't returned: n8n wakes the execution with what it had saved before.
		});
		expect(isAnswered).toBe(true);
		expect(run.status).toBe('success');
		expect(runsOf(run, NODE).flat()).toMatchObject([
			{ decisions: [{ decision: 'deny', decidedBy: 'page' }] },
		]);
		expect(stage.of('POST', '/resolve')).toHaveLength(1);
	});

	// In queue mode, the process that shows pages executes no node.
	test('an answer that n8n has dropped is saved when its form is sent again', async () => {
		const stage = createStage();
		const paused = await pausedWithLink(stage);
		const link = linkOf(paused);
		const form = fillIn((await stage.open(flow, paused, link)).body, 'Deny');
		for (const _ of [1, 2])
			expect(await stage.open(flow, paused, link, form)).toMatchObject({ resumes: true });
	});
});

describe('the approval page', () => {
	test("shows 4,000 characters of the agent's words, which are saved with the execution", async () => {
		const stage = createStage();
		const flow: Flow = { wires, items: prompts(`[say ${'w'.repeat(5_000)}] [ask bash: x]`) };
		let page = '';
		const run = stage.run(flow, async (paused) => {
			const link = linkOf(paused);
			if (!link) return;
			page = (await stage.open(flow, paused, link)).body;
			throw new Error('enough');
		});
		await expect(run).rejects.toThrow('enough');
		expect(Math.max(...page.match(/w+/g)!.map(({ length }) => length))).toBe(4_000);
	});

	test('never throws and never resumes for anything but a valid answer', async () => {
		const stage = createStage();
		const flow: Flow = { wires, items: prompts('[work 20s] [ask bash: x] [say Done]') };
		let isTried = false;
		await stage.run({ ...flow, parameters: { maxWait: 60 } }, async (paused) => {
			const link = linkOf(paused);
			if (!link || isTried) return;
			isTried = true;
			for (const form of [{}, { shown: 'other' }, { request0: '99' }, { shown: '', request0: '0' }])
				expect(await stage.open(flow, paused, link, form as never)).toMatchObject({
					status: 409,
					resumes: false,
				});
			const wrong = link.replace(/question=[^&]+/, 'question=guessed');
			expect(await stage.open(flow, paused, wrong, {})).toMatchObject({
				status: 404,
				resumes: false,
			});
		});
		expect(isTried).toBe(true);
	});
});

test('a retry after Stop aborted the session starts a new one', async () => {
	const stage = createStage();
	const flow = { wires, items: prompts('[work 10m] [say Done]') };
	const stopped = await stage.time.run(async () => {
		const running = stage.begin(flow, 'stopped', undefined, 'manual');
		setTimeout(running.stop, 20_000);
		return await running.result;
	});
	const run = await stage.run(flow, undefined, { data: retryData(stopped), mode: 'retry' });
	expect(textsOf(run)).toEqual([['Done']]);
	expect(stage.sessions().map(({ aborted }) => aborted)).toEqual([true, false]);
});

describe('a record of another version', () => {
	test('starts nothing, and the error names the session', async () => {
		const stage = createStage();
		const flow: Flow = { wires, items: prompts('[work 20m] [say Done]') };
		const run = await stage.run(flow, async (paused) => {
			const text = JSON.stringify(paused.data).replaceAll('"v":1', '"v":99');
			return JSON.parse(text) as IRunExecutionData;
		});
		expect(run.status).toBe('error');
		const [{ sessionId }] = stage.sessions();
		expect(run.data.resultData.error?.description).toContain(sessionId);
		expect(starts(stage)).toHaveLength(1);
	});

	test('keeps a page from taking answers, and the page says what to do', async () => {
		const stage = createStage();
		const flow: Flow = { wires, items: prompts('[work 20s] [ask bash: x] [say Done]') };
		const replies: unknown[] = [];
		await stage.run({ ...flow, parameters: { maxWait: 5 } }, async (paused) => {
			const link = linkOf(paused);
			if (!link || replies.length > 0) return;
			const { body } = await stage.open(flow, paused, link);
			const text = JSON.stringify(paused.data).replaceAll('"v":1', '"v":99');
			const updated = { ...paused, data: JSON.parse(text) as IRunExecutionData };
			for (const form of [undefined, fillIn(body, 'Approve once')])
				replies.push(await stage.open(flow, updated, link, form));
		});
		const says = expect.stringMatching(/The node was updated.*Decide in the dashboard/s);
		expect(replies).toMatchObject([1, 2].map(() => ({ status: 409, resumes: false, body: says })));
	});
});
