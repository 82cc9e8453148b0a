// Run Agent Session connected back to itself, among other nodes, and over several wakes In the Database.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { AGGREGATE, NODE, runFlow, runsOf, startFlow, type Flow } from './flow.mts';
import { until, useRunAgentSession } from './runAgentSession.mts';

const { of, service, setup } = useRunAgentSession();

const AFTER = 'After';
const ERRORS = 'Errors';
const PROMPT = '={{ $json.prompt }}';
const toItems = (...prompts: string[]) => prompts.map((prompt) => ({ json: { prompt } }));

/** Returns a workflow with Still Running connected to the node itself, and Completed to another node below it. */
const selfConnected = (changes: IDataObject = {}, more: Partial<Flow> = {}): Flow => ({
	parameters: setup(changes).parameters,
	wires: [[NODE], [AFTER], [], [ERRORS]],
	...more,
});

const textsAfter = (run: Parameters<typeof runsOf>[0], name = AFTER) =>
	runsOf(run, name).map((items) => items.map(({ text, error }) => text ?? error));

describe('In Memory, with Still Running connected to the node itself', () => {
	test('an item that ends reaches the next node before the others wait again', async () => {
		const items = toItems('[work 20s] [say One]', '[work 100s] [say Two]');
		const run = await runFlow(service, selfConnected({ prompt: PROMPT, maxWait: 0.04 }, { items }));
		expect(textsAfter(run)).toEqual([['One'], ['Two']]);
		const [, ...order] = run.order;
		expect(order.indexOf(AFTER)).toBeLessThan(order.lastIndexOf(NODE));
	});

	test('and to another node, the item waits again', async () => {
		const run = await runFlow(service, {
			...selfConnected({ prompt: '[work 20s] [say One]', maxWait: 0.001 }),
			wires: [[NODE, 'Other'], [AFTER]],
		});
		expect(textsAfter(run)).toEqual([['One']]);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test.each([0, 0.001])(
		'a Max Wait of %s minutes still leaves a poll interval between two polls',
		async (maxWait) => {
			const options = { pollInterval: 1, maxPollInterval: 2 };
			const run = await runFlow(
				service,
				selfConnected({ prompt: '[work 40s] [say Done]', maxWait, options }),
			);
			expect(textsAfter(run)).toEqual([['Done']]);
			expect((await of('GET', '')).length).toBeLessThanOrEqual(5);
		},
	);

	test('Needs Approval connected to the node itself polls no faster than the poll interval', async () => {
		const parameters = { prompt: '[ask bash: x]', options: { pollInterval: 1 } };
		const loop = startFlow(service, { ...selfConnected(parameters), wires: [[], [], [NODE]] });
		await until(async () => (await service.sessions())[0]?.polls >= 1);
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		expect((await service.sessions())[0].polls).toBeLessThanOrEqual(5);
		loop.stop();
		await loop.result;
	});

	test('no item on Still Running has an error that Retry On Fail would take for a failure', async () => {
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		const items = [{ json: { prompt: '[work 100s] [say Done]', error: 'Of the input' } }];
		const run = await runFlow(
			service,
			selfConnected({ prompt: PROMPT, maxWait: 0.02 }, { items, settings }),
		);
		expect(textsAfter(run)).toEqual([['Done']]);
		expect(runsOf(run, NODE).flat()).not.toContainEqual(
			expect.objectContaining({ error: expect.anything() }),
		);
	});

	test("an input item's error doesn't send the item to the error output", async () => {
		const settings = { onError: 'continueErrorOutput' as const };
		const items = [{ json: {}, error: { message: 'Old' } }];
		const prompt = '=[work 30s] [say Done] {{ $json.error }}';
		const run = await runFlow(
			service,
			selfConnected({ prompt, maxWait: 0.02 }, { items, settings }),
		);
		expect(textsAfter(run)).toEqual([['Done']]);
		expect(runsOf(run, ERRORS)).toEqual([]);
	});
});

describe('Always Output Data', () => {
	test('starts one session if Still Running is connected back through another node', async () => {
		const run = await runFlow(service, {
			...selfConnected({ prompt: '[say Done]' }, { settings: { alwaysOutputData: true } }),
			wires: [['Between'], [AFTER]],
			follows: { Between: [[NODE]] },
		});
		expect(textsAfter(run)).toEqual([['Done']]);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('runs Try Rules once', async () => {
		const parameters = { operation: 'tryRules', requests: '[{"permission": "bash"}]' };
		const settings = { alwaysOutputData: true };
		const run = await runFlow(service, selfConnected(parameters, { settings }));
		expect(runsOf(run, NODE)).toHaveLength(1);
	});
});

describe('Needs Approval combined into one item by Aggregate on its way back to the node', () => {
	const combined = (changes: IDataObject, settings: Flow['settings'] = {}): Flow => ({
		...selfConnected(
			{ prompt: PROMPT, ...changes },
			{ items: toItems('[ask bash: x] [say One]', '[ask bash: y] [say Two]'), settings },
		),
		wires: [[NODE], [AFTER], [AGGREGATE], [ERRORS]],
		follows: { [AGGREGATE]: [[NODE]] },
	});

	test.each([undefined, 'continueErrorOutput'] as const)(
		'starts no third session In Memory: an error names both (On Error: %s)',
		async (onError) => {
			const run = await runFlow(service, combined({}, { onError }));
			const sessions = await service.sessions();
			expect(sessions).toHaveLength(2);
			const { error } = run.data.resultData as { error?: { message: string; description: string } };
			const [[item]] = onError ? runsOf(run, ERRORS) : [[]];
			expect(item?.error ?? error?.message).toBe(
				'This item belongs to several sessions of this node',
			);
			for (const { sessionId } of sessions)
				expect(item?.message ?? error?.description).toContain(sessionId);
		},
		30_000,
	);

	test('changes nothing In the Database: the node keeps waiting for both, until they have completed', async () => {
		const answerAll = async (paused: Parameters<typeof runsOf>[0]) => {
			if (runsOf(paused, NODE, 2).flat().length < 2) return;
			for (const { sessionId } of await service.sessions()) {
				const { pendingInteractions } = await service.call('GET', `/agent/sessions/${sessionId}`);
				for (const { id, type } of pendingInteractions)
					await service.call('POST', `/agent/sessions/${sessionId}/interactions/${id}/resolve`, {
						type,
						response: 'once',
					});
			}
		};
		const run = await runFlow(service, combined({ wait: 'database' }), answerAll);
		expect(run.data.resultData.error).toBeUndefined();
		expect(runsOf(run, NODE, 2).flat()).toHaveLength(2);
		expect(textsAfter(run).flat().sort()).toEqual(['One', 'Two']);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	}, 30_000);
});

describe('In the Database, with many items', () => {
	const inDatabase = (options: IDataObject = {}) => ({ prompt: PROMPT, wait: 'database', options });
	const [fails, short, long] = ['[fail Nope]', '[work 30s] [say Short]', '[work 60s] [say Long]'];

	test('a failure is thrown after the last other item has left', async () => {
		const run = await runFlow(
			service,
			selfConnected(inDatabase(), { items: toItems(fails, long, short) }),
		);
		expect(textsAfter(run)).toEqual([['Short'], ['Long']]);
		expect(run.data.resultData.error?.message).toBe('The agent session failed: Nope');
	});

	test('a failure is thrown after Return Items Together has returned the others', async () => {
		const run = await runFlow(
			service,
			selfConnected(inDatabase({ returnTogether: true }), { items: toItems(fails, long, short) }),
		);
		expect(textsAfter(run)).toEqual([['Long', 'Short']]);
		expect(run.data.resultData.error?.message).toBe('The agent session failed: Nope');
	});

	test('Return Items Together holds a failed item for the error output over all wakes', async () => {
		const run = await runFlow(
			service,
			selfConnected(inDatabase({ returnTogether: true }), {
				items: toItems(fails, long),
				settings: { onError: 'continueErrorOutput' },
			}),
		);
		expect(textsAfter(run)).toEqual([['Long']]);
		expect(textsAfter(run, ERRORS)).toEqual([['The agent session failed: Nope']]);
		const [, ...wakes] = runsOf(run, NODE).slice(0, -1);
		expect(wakes.length).toBeGreaterThan(1);
		for (const waiting of wakes) expect(waiting).toHaveLength(2);
	});

	test('a parameter that becomes invalid in a wake fails its own item only, and names its session', async () => {
		const giveUpAfter = '={{ $json.sessionId && $json.bad ? -5 : 24 }}';
		const items = [
			{ json: { prompt: '[work 10m]', bad: true } },
			{ json: { prompt: long, bad: false } },
		];
		const run = await runFlow(service, selfConnected(inDatabase({ giveUpAfter }), { items }));
		expect(textsAfter(run)).toEqual([['Long']]);
		const { error } = run.data.resultData;
		expect(error?.message).toBe("'Give Up After (Hours)' isn't a valid number");
		const bad = (await service.sessions()).find(({ prompt }) => prompt === '[work 10m]')!;
		expect((error as { description?: string }).description).toMatch(bad.sessionId);
	});

	test.each([
		['ends if all sessions have ended', ['[work 10s] [say One]'], ['One']],
		[
			'continues the sessions that are still running',
			['[work 10s] [say One]', '[work 60s] [say Two]'],
			['One', 'Two'],
		],
	])('a second run of the same pause, which n8n 1 saves last, %s', async (_, prompts, said) => {
		const flow = selfConnected(inDatabase(), { items: toItems(...prompts) });
		const { executionId, result } = startFlow(service, flow);
		const wake = async ({ data }: Awaited<typeof result>) =>
			await startFlow(service, flow, { data, executionId }).result;
		const paused = await result;
		await until(async () => (await service.sessions())[0].status === 'completed');
		const original = await wake(paused);
		expect(textsAfter(original)).toEqual([['One']]);
		let copy = await wake(paused);
		for (; copy.status === 'waiting'; copy = await wake(copy))
			await new Promise((resolve) => setTimeout(resolve, 100));
		expect(copy.data.resultData.error).toBeUndefined();
		expect(textsAfter(copy)).toEqual(said.map((text) => [text]));
		expect(await of('POST', '/agent/sessions')).toHaveLength(prompts.length);
	});

	test('Stop aborts the session of an item whose failure waits for the other items', async () => {
		const items = toItems('[work 10m] [say One]', '[work 10m] [say Two]');
		const flow = selfConnected(inDatabase(), { items });
		const { executionId, result } = startFlow(service, flow);
		const wake = async (after: { data: Awaited<typeof result>['data'] }) =>
			startFlow(service, flow, { data: after.data, executionId });
		const fault = { operationId: 'getAgentSession', times: 1 } as const;
		await service.control.addFaults({ ...fault, kind: 'status', status: 403 });
		const failed = await (await wake(await result)).result;
		expect(failed.status).toBe('waiting');
		const polls = async () => (await of('GET', '')).length;
		const before = await polls();
		await service.control.addFaults({ ...fault, kind: 'latency', ms: 1_000 });
		const stopped = await wake(failed);
		await until(async () => (await polls()) > before);
		stopped.stop();
		await stopped.result;
		await until(async () => (await service.sessions()).every(({ aborted }) => aborted));
	});
});
