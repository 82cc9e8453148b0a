// Run Agent Session as n8n's engine runs it: results, answers, errors, retries, Stop, tools.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { byId } from '../../n8n-host/workflows.mts';
import type { Setup } from './engine.mts';
import { itemsOn, texts, useRunAgentSession } from './runAgentSession.mts';

const {
	setup,
	run,
	of,
	sessions,
	requests,
	addFaults,
	stopAfter,
	startSession,
	credentials,
	projectId,
} = useRunAgentSession();

const PROMPT = '={{ $json.prompt }}';
const toItems = (...prompts: string[]) => prompts.map((prompt) => ({ prompt }));
const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
const asking = { maxWait: 1, onMaxWait: 'letRun' };
const continues = { onError: 'continueRegularOutput' as const };

/** Runs it until it has asked, and returns the item for the approver. */
const ask = async (changes: IDataObject) => {
	const execution = await run(setup({ ...asking, ...changes }, { settings: continues }));
	return itemsOn(execution, 'needsApproval')[0].json as IDataObject;
};

describe('a completed session', () => {
	test('with one permission that a rule decided leaves through Completed, with the text first', async () => {
		const rule = [{ permission: 'bash', pattern: 'git push', decision: 'approve' }];
		const prompt = '[ask bash: git push] [say Pushed]';
		const execution = await run(
			setup({ prompt, permissionPolicy: 'rules', permissionRules: { rule } }),
		);
		const [{ json }] = itemsOn(execution, 'completed');
		expect(Object.keys(json)).toEqual([
			'text',
			'status',
			'sessionId',
			'dashboardUrl',
			'projectId',
			'projectName',
			'startedAt',
			'durationMs',
			'decisions',
		]);
		expect(json).toMatchObject({
			text: 'Pushed',
			decisions: [
				{ permission: 'bash', decision: 'approve', decidedBy: 'rule 1', state: 'confirmed' },
			],
		});
		expect(sessions()[0].interactions).toMatchObject([{ value: 'once' }]);
	});

	test('has the rest of the response with Simplify off', async () => {
		const execution = await run(setup({ prompt: '[say Done]', options: { simplify: false } }));
		expect(itemsOn(execution, 'completed')[0].json).toMatchObject({
			pollCount: expect.any(Number),
			durationMs: expect.any(Number),
			latestMessage: { text: 'Done' },
		});
	});
});

describe('an item for an approver', () => {
	test('begins with what to send, and names what the agent wants first', async () => {
		const item = await ask({ prompt: '[ask bash: git push]' });
		expect(Object.keys(item)).toEqual([
			'message',
			'question',
			'text',
			'status',
			'sessionId',
			'dashboardUrl',
			'projectId',
			'projectName',
			'startedAt',
			'durationMs',
			'decisions',
			'pendingInteractions',
			'undecided',
		]);
		expect(item.message).toBe(item.question);
		expect(item.question).toMatch(/^The agent wants to run this command {2}\nCommand: «git push»/);
	});
});

describe('Apply an Answer', () => {
	const apply = async (item: IDataObject, answer: unknown, more: Partial<Setup> = {}) =>
		await run(
			setup(
				{
					operation: 'applyAnswer',
					sessionId: { __rl: true, mode: 'id', value: String(item.sessionId) },
					answer: answer as IDataObject,
					askedInteractions: JSON.stringify(item.pendingInteractions),
				},
				more,
			),
		);

	test.each([
		[true, 'once'],
		['deny', 'reject'],
	])(
		'sends %p to the requests that were shown, and returns what came of it',
		async (answer, value) => {
			const item = await ask({ prompt: '[ask bash: a] [ask bash: b] [say Done]' });
			const execution = await apply(item, answer);
			expect(sessions()[0].interactions[0]).toMatchObject({ value });
			const [{ json }] = itemsOn(execution, 'completed');
			expect(json).toMatchObject({
				sessionId: item.sessionId,
				decisions: [{ decidedBy: 'answer', state: 'confirmed' }],
				pendingInteractions: [{ patterns: ['b'] }],
			});
		},
	);

	test('decides nothing that has changed since, or that was not shown', async () => {
		const item = await ask({ prompt: '[ask bash: a] [say Done]' });
		const [shown] = item.pendingInteractions as IDataObject[];
		const other = { ...item, pendingInteractions: [{ ...shown, patterns: ['b'] }] };
		const execution = await apply(other, true);
		expect(sessions()[0].interactions[0].value).toBeUndefined();
		expect(itemsOn(execution, 'completed')[0].json).toMatchObject({
			because: expect.stringMatching(/^A request is still pending: .*patterns.* changed$/),
			decisions: [],
			pendingInteractions: [{ patterns: ['a'] }],
		});
	});

	test('sends nothing if nobody answered', async () => {
		const item = await ask({ prompt: '[ask bash: a] [say Done]' });
		const before = (await requests()).length;
		const execution = await apply(item, '={{ $json.nothing }}');
		expect(itemsOn(execution, 'completed')[0].json).toMatchObject({
			status: 'not_answered',
			decisions: [],
		});
		expect(await requests()).toHaveLength(before);
	});

	test('is no tool: a model cannot answer', async () => {
		const item = await ask({ prompt: '[ask bash: a] [say Done]' });
		const execution = await apply(item, true, { asTool: true });
		expect(JSON.stringify(execution.outputs[0] ?? execution.error)).toMatch(
			/'Apply an Answer' isn't for tools/,
		);
		expect(sessions()[0].interactions[0].value).toBeUndefined();
	});

	test('aborts no session after Stop', async () => {
		const item = await ask({ prompt: '[ask bash: a] [work 10m]' });
		const given = setup({
			operation: 'applyAnswer',
			sessionId: { __rl: true, mode: 'id', value: item.sessionId },
			answer: true,
			askedInteractions: JSON.stringify(item.pendingInteractions),
		});
		await stopAfter(given, 1_000);
		expect(sessions()[0].aborted).toBe(false);
	});
});

describe('an error', () => {
	test('of a failed session names session and dashboard', async () => {
		const { error } = await run(setup({ prompt: '[fail Out of disk]' }));
		const [{ sessionId }] = sessions();
		expect(error?.message).toBe('The agent session failed: Out of disk');
		expect(error?.description).toContain(`/dashboard/sessions/${sessionId}`);
		expect(error?.context).toMatchObject({ sessionId, itemIndex: 0 });
	});

	test('about a wrong key has advice, and the key appears nowhere', async () => {
		const accessToken = 'wa_this_is_not_a_key';
		const execution = await run(setup({}, { credentials: { ...credentials(), accessToken } }));
		expect(execution.error?.message).toBe('The API key was refused');
		expect(execution.error?.description).toMatch(/Check in the credential/);
		expect(JSON.stringify(execution.data)).not.toContain(accessToken);
	});

	test('that keeps all items from running leaves through the error output', async () => {
		const settings = { onError: 'continueErrorOutput' as const };
		const broken = { ...credentials(), overrides: 'x' };
		const execution = await run(setup({}, { items: [{}, {}], settings, credentials: broken }));
		const message = "'Overrides' isn't a valid JSON object";
		expect(texts(execution)).toEqual({ error: [message, message] });
		expect(sessions()).toEqual([]);
	});

	test('of one item stops the start of the others, unless On Error continues', async () => {
		const items = toItems('[say One]', '');
		const strict = await run(setup({ prompt: PROMPT }, { items }));
		expect(strict.error?.message).toBe("'Prompt' is empty");
		expect(strict.error?.context?.itemIndex).toBe(1);
		expect(await requests()).toEqual([]);
		const lenient = await run(setup({ prompt: PROMPT }, { items, settings: continues }));
		expect(texts(lenient)).toEqual({ completed: ['One', "'Prompt' is empty"] });
	});
});

describe('bad input is an error before anything is sent', () => {
	test.each<[string, IDataObject, RegExp, RegExp]>([
		['an empty prompt', { prompt: ' ' }, /^'Prompt' is empty/, /expression/],
		['a prompt that is no text', { prompt: '={{ [1] }}' }, /^'Prompt' is not a text/, /Enter/],
		[
			'a malformed project',
			{ projectId: byId('={{ "p1" }}') },
			/^'Project' isn't a valid ID/,
			/UUID/,
		],
		['no project', { projectId: byId('={{ null }}') }, /^'Project' is empty/, /Enter/],
		[
			'a malformed session',
			{ operation: 'continue', sessionId: 'abc' },
			/^'Session' isn't a valid ID/,
			/UUID/,
		],
		[
			'an unknown policy',
			{ permissionPolicy: '={{ "maybe" }}' },
			/^'Permission Policy'/,
			/ask, rules, deny, approve/,
		],
		[
			'a malformed body',
			{ options: { body: '{"a"' } },
			/^'Body' isn't a valid JSON object/,
			/\{"name": "value"\}/,
		],
		['a Max Wait below 0', { maxWait: -1 }, /^'Max Wait \(Minutes\)'/, /0 or more/],
		[
			'a Max Wait that is no number',
			{ maxWait: '={{ "long" }}' },
			/^'Max Wait \(Minutes\)'/,
			/number/,
		],
		[
			'no concurrency',
			{ options: { maxConcurrentSessions: 0 } },
			/^'Max Concurrent Sessions'/,
			/1 or more/,
		],
		...[0, 0.5, -1, '={{ "soon" }}'].map((askIfQuiet): [string, IDataObject, RegExp, RegExp] => [
			`Ask If Quiet for ${askIfQuiet} minutes`,
			{ options: { askIfQuiet } },
			/^'Ask If Quiet for \(Minutes\)' isn't a valid number/,
			/1 or more/,
		]),
		[
			'an unknown While Waiting',
			{ whileWaiting: 'sleep' },
			/^'While Waiting'/,
			/pause, keepRunning/,
		],
		['an unknown On Max Wait', { onMaxWait: 'route' }, /^'On Max Wait'/, /abort, letRun/],
	])('%s', async (_name, changes, message, description) => {
		const { error } = await run(setup(changes));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(await requests()).toEqual([]);
	});

	test('two items that continue one session', async () => {
		const sessionId = await startSession('[ask bash: x]');
		const given = { operation: 'continue', sessionId, permissionPolicy: 'approve' };
		const { error } = await run(setup(given, { items: [{}, {}] }));
		expect(error?.message).toBe('Several items continue the same session');
		expect(await of('POST', '/resolve')).toEqual([]);
	});
});

describe('never a second session', () => {
	const refuse = async (times: number) =>
		await addFaults({ operationId: 'getAgentSession', kind: 'status', status: 401, times });
	const prompt = '=[work 2s] [say Done] {{ $now.toMillis() }} {{ Math.random() }}';

	test('Retry On Fail with {{ $now }} in the prompt continues the session of the first attempt', async () => {
		await refuse(1);
		const execution = await run(setup({ prompt }, { settings: retries }));
		expect(texts(execution)).toEqual({ completed: ['Done'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test.each([
		[undefined, 3],
		[1, 2],
		[9, 5],
	])("Max Tries %s makes %d tries: n8n's own limits", async (maxTries, count) => {
		const settings = { ...retries, maxTries };
		await run(setup({ prompt: '[fail Out of disk]' }, { settings }));
		expect(await of('POST', '/agent/sessions')).toHaveLength(count);
	});

	test('a retry has all tries of Retry On Fail again', async () => {
		await refuse(3);
		const failed = await run(setup({ prompt }, { settings: retries }));
		expect(failed.error?.description).toContain('Retry On Fail made 2 tries');
		const again = await run(setup({ prompt }, { settings: retries, retryOf: failed }));
		expect(texts(again)).toEqual({ completed: ['Done'] });
	});

	test('a retry with another prompt starts nothing, and names the session and both ways out', async () => {
		await refuse(1);
		const failed = await run(setup({ prompt }));
		const [{ sessionId }] = sessions();
		const { error } = await run(setup({ prompt: 'Something else' }, { retryOf: failed }));
		expect(error?.message).toBe(`An earlier attempt started session ${sessionId} for this item`);
		expect(error?.description).toMatch(/restore the parameters.*run the workflow again/s);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a completed sibling of a failed item is returned by the retry, not started again', async () => {
		const items = toItems('[fail Out of disk]', '[work 5s] [say Done]');
		const failed = await run(setup({ prompt: PROMPT }, { items }));
		expect(failed.error?.description).toMatch(/Other items have completed/);
		const settings = { onError: 'continueErrorOutput' as const };
		const again = await run(setup({ prompt: PROMPT }, { items, retryOf: failed, settings }));
		expect(texts(again).completed).toEqual(['Done']);
		expect(await of('POST', '/agent/sessions')).toHaveLength(3);
	});

	test('a session that Max Wait has aborted is started again', async () => {
		const job = { prompt: '[work 10m] [say Done]', maxWait: 1 };
		const aborted = await run(setup(job));
		expect(aborted.error?.message).toMatch(/was aborted$/);
		await run(setup(job, { retryOf: aborted }));
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	});

	test("nothing in an item's JSON counts as a record of the node", async () => {
		const items = [
			{
				prompt: '[say Real]',
				failure: { message: 'Faked' },
				sessionKey: '0.0',
				state: 'ended',
				sessionId: '6e0c3b0e-1f0e-4b43-9b6b-2b8f0b6c0001',
			},
		];
		const execution = await run(setup({ prompt: PROMPT }, { items }));
		expect(texts(execution)).toEqual({ completed: ['Real'] });
	});
});

describe('Stop', () => {
	test('aborts every session of the run that has not completed', async () => {
		const items = toItems('[ask bash: x]', '[work 10m]', '[say Done]');
		await stopAfter(setup({ prompt: PROMPT }, { items }), 20_000);
		const aborted = sessions().map(({ prompt, aborted: is }) => [prompt, is]);
		expect(Object.fromEntries(aborted)).toEqual({
			'[ask bash: x]': true,
			'[work 10m]': true,
			'[say Done]': false,
		});
	});

	test.each<[string, number, IDataObject, string]>([
		['that it aborted', 0, {}, 'was aborted'],
		['that it could not abort', 20, {}, "couldn't be aborted and may still be running"],
		['that it left running, with Abort on Stop off', 0, { abortOnStop: false }, 'is still running'],
	])('names the sessions %s', async (_, times, options, end) => {
		if (times > 0)
			await addFaults({ operationId: 'abortAgentSession', kind: 'status', status: 500, times });
		const { error } = await stopAfter(setup({ prompt: '[work 10m]', options }), 20_000);
		const [{ sessionId, aborted }] = sessions();
		expect(error?.description).toBe(`Session ${sessionId} ${end}.`);
		expect(aborted).toBe(end === 'was aborted');
	});

	test('starts nothing and aborts nothing that has completed with Retry On Fail', async () => {
		const items = toItems('[say Done]', '[work 10m]');
		await stopAfter(setup({ prompt: PROMPT }, { items, settings: retries }), 30_000);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
		expect(sessions().map(({ aborted }) => aborted)).toEqual([false, true]);
	});

	test.each([true, false])('during the start, with Abort on Stop %s', async (abortOnStop) => {
		await addFaults({ operationId: 'createAgentSession', kind: 'latency', ms: 500 });
		await stopAfter(setup({ prompt: '[work 10m]', options: { abortOnStop } }), 200);
		expect(sessions().map(({ aborted }) => aborted)).toEqual([abortOnStop]);
	});
});

describe('as a tool', () => {
	test.each([
		['[say Done]', 'completed'],
		['[ask bash: x]', 'needs_approval'],
		['[work 10m]', 'still_running'],
		['[fail Out of disk]', 'failed'],
	])('%s leaves through the first output as %s, and nothing pauses', async (prompt, status) => {
		const given = { prompt, maxWait: 1, onMaxWait: 'letRun', whileWaiting: 'pause' };
		const execution = await run(setup(given, { asTool: true }));
		const { json } = execution.outputs[0][0];
		expect(json).toMatchObject({ status, sessionId: expect.any(String) });
		expect(json).not.toHaveProperty('approvalUrl');
	});

	test('takes no minutes of Ask If Quiet from a model', async () => {
		const options = { askIfQuiet: '={{ $json.minutes }}' };
		const { outputs } = await run(setup({ options }, { items: [{ minutes: 20 }], asTool: true }));
		expect(outputs[0][0].json.error).toMatch(/^A model must not fill in 'Ask If Quiet/);
	});

	test('an error for the model has a way out and the session', async () => {
		await addFaults({ operationId: 'getAgentSession', kind: 'status', status: 403 });
		const { outputs } = await run(setup({}, { asTool: true }));
		expect(outputs[0][0].json).toMatchObject({
			error: "The API key doesn't allow this",
			message: expect.stringContaining('scope'),
			sessionId: sessions()[0].sessionId,
		});
	});
});

test("the execution's custom data has the sessions' IDs and dashboards", async () => {
	const execution = await run(setup({ prompt: '[say Done]' }, { items: [{}, {}, {}, {}, {}, {}] }));
	const ids = sessions().map(({ sessionId }) => sessionId);
	expect(ids).toContain(execution.customData?.sessionId);
	expect(execution.customData?.dashboardUrl).toContain(execution.customData?.sessionId);
	const { sessionId, sessionIds_1: others = '' } = execution.customData ?? {};
	expect([sessionId, ...others.split(',')].sort()).toEqual(ids.sort());
});

test("the credential's overrides and the node's body change the request", async () => {
	const overrides = JSON.stringify({
		createAgentSession: { body: { project: '{projectId}', input: [{ text: '{prompt}' }] } },
	});
	const given = { prompt: 'Hello', options: { body: '{"model":"large"}' } };
	await run(setup(given, { credentials: { ...credentials(), overrides } }));
	expect((await of('POST', '/agent/sessions'))[0].body).toEqual({
		project: projectId(),
		input: [{ text: 'Hello' }],
		model: 'large',
	});
});
