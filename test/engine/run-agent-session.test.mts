// Run Agent Session as the engine runs it: parameters, outputs, errors, retries, Stop.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run, start, type Execution, type Setup } from './engine.mts';
import { useService } from './service.mts';

const service = useService();

const parameters = (changes: IDataObject = {}): IDataObject => ({
	operation: 'start',
	projectId: { __rl: true, mode: 'id', value: service.projectId },
	prompt: '[work 5s] [say Done]',
	permissionPolicy: 'ask',
	...changes,
	options: { pollInterval: 1, maxPollInterval: 1, ...(changes.options as IDataObject) },
});
const setup = (changes: IDataObject = {}, more: Partial<Setup> = {}): Setup => ({
	node: 'runAgentSession',
	parameters: parameters(changes),
	credentials: service.credentials,
	...more,
});
const of = async (method: string, ending: string) =>
	(await service.requests()).filter(
		(request) => request.method === method && request.path.endsWith(ending),
	);
const texts = (execution: Execution) =>
	execution.outputs.map((items) => items.map(({ json }) => json.text ?? json.error));
const until = async (condition: () => Promise<boolean>) => {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('outputs', () => {
	test('a session with one decided permission ends on Completed', async () => {
		const rule = [{ permission: 'bash', pattern: 'git *', decision: 'approve' }];
		const execution = await run(
			setup({
				prompt: '[ask bash: git push] [say Pushed]',
				permissionPolicy: 'rules',
				permissionRules: { rule },
			}),
		);
		expect(texts(execution)).toEqual([['Pushed'], [], []]);
		expect(execution.outputs[0][0].json.decisions).toMatchObject([
			{ permission: 'bash', patterns: ['git push'], decision: 'approve', decidedBy: 'rule 1' },
		]);
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'once' }]);
	}, 20_000);

	test('one that needs a human ends on Needs Approval and goes on with the answer in continue', async () => {
		const asked = await run(setup({ prompt: '[ask bash: git push] [say Pushed]' }));
		expect(asked.outputs.map((items) => items.length)).toEqual([0, 1, 0]);
		const { sessionId, pendingInteractions } = asked.outputs[1][0].json;
		expect(pendingInteractions).toMatchObject([{ permission: 'bash', patterns: ['git push'] }]);

		const items = [{ sessionId, answer: 'approve' }];
		const continued = await run(
			setup(
				{
					operation: 'continue',
					sessionId: '={{ $json.sessionId }}',
					permissionPolicy: '={{ $json.answer }}',
				},
				{ items },
			),
		);
		expect(texts(continued)).toEqual([['Pushed'], [], []]);
		expect(await service.sessions()).toHaveLength(1);
	}, 20_000);

	test('one that takes longer than Max Wait ends on Still Running', async () => {
		const execution = await run(setup({ prompt: '[work 10m]', options: { maxWait: 0.05 } }));
		expect(execution.outputs.map((items) => items.length)).toEqual([0, 0, 1]);
		expect(execution.outputs[2][0].json).toMatchObject({
			status: 'running',
			sessionId: expect.any(String),
		});
	}, 20_000);

	test('items of every kind find their way and keep their pairing (rule 11)', async () => {
		const items = [
			'[say One]',
			'[ask bash: x]',
			'[work 10m]',
			'[fail Out of disk]',
			'[say Five]',
		].map((prompt) => ({ prompt }));
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}', options: { maxWait: 0.07 } },
				{ items, settings: { onError: 'continueErrorOutput' } },
			),
		);
		const paired = execution.outputs.map((output) =>
			output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
		);
		expect(paired).toEqual([[0, 4], [1], [2], [3]]);
		const sessions = await service.sessions();
		expect(sessions).toHaveLength(5);
		const { sessionId } = sessions.find(({ status }) => status === 'failed');
		expect(execution.outputs[3][0].json).toEqual({
			prompt: items[3].prompt,
			error: 'The agent session failed: Out of disk',
			message: expect.stringContaining(sessionId),
		});
	}, 20_000);
});

describe('errors', () => {
	test('a failed session raises one that names session and dashboard', async () => {
		const { error } = await run(setup({ prompt: '[fail Out of disk]' }));
		const [{ sessionId }] = await service.sessions();
		expect(error?.message).toBe('The agent session failed: Out of disk');
		expect(error?.description).toContain(sessionId);
		expect(error?.description).toContain(`/dashboard/sessions/${sessionId}`);
		expect(error?.context).toMatchObject({ sessionId, itemIndex: 0 });
	}, 20_000);

	test('where the node stops, every item that failed is named with its session', async () => {
		const items = [{ end: 'fail One' }, { end: 'say Fine' }, { end: 'fail Two' }];
		const { error } = await run(setup({ prompt: '=[work 5s] [{{ $json.end }}]' }, { items }));
		const sessions = await service.sessions();
		const [one, two] = ['One', 'Two'].map((name) =>
			sessions.find(({ prompt }) => prompt.includes(name)),
		);
		expect(error?.message).toBe('The agent session failed: One');
		expect(error?.description).toContain(one.sessionId);
		expect(error?.description).toContain(
			`Item 2: The agent session failed: Two (session ${two.sessionId}`,
		);
	}, 20_000);

	test('a failed item keeps no permission of another from being decided', async () => {
		const items = [
			{ prompt: '[fail Out of disk]' },
			{ prompt: '[work 40s] [ask bash: x] [say Done]' },
		];
		const { error } = await run(
			setup({ prompt: '={{ $json.prompt }}', permissionPolicy: 'approve' }, { items }),
		);
		expect(error?.message).toBe('The agent session failed: Out of disk');
		const other = (await service.sessions()).find(({ prompt }) => prompt.includes('ask'));
		expect(other).toMatchObject({ status: 'completed', interactions: [{ value: 'once' }] });
	}, 20_000);

	test('a wrong token is named as such, says what to check and does not appear anywhere', async () => {
		const accessToken = 'wa_this_is_not_a_key';
		const execution = await run(
			setup({}, { credentials: { ...service.credentials, accessToken } }),
		);
		expect(execution.error?.message).toBe('The API key was refused');
		expect(execution.error?.description).toMatch(/Check in the credential/);
		expect(execution.error?.httpCode).toBe('401');
		expect(JSON.stringify(execution.data)).not.toContain(accessToken);
		expect(JSON.stringify(execution.error)).not.toContain(accessToken);
	}, 20_000);

	test('a service that is not there is named as such', async () => {
		// Port 9 is discard: nothing listens there.
		const execution = await run(
			setup(
				{ options: { maxWait: 0.05 } },
				{ credentials: { ...service.credentials, baseUrl: 'http://127.0.0.1:9/v1' } },
			),
		);
		expect(execution.error?.message).toBe('The service could not be reached');
		expect(execution.error?.description).toMatch(/ECONNREFUSED.*base URL/);
	}, 20_000);

	test.each<[string, IDataObject, IDataObject, RegExp, RegExp]>([
		[
			'base URL without /v1',
			{},
			{ baseUrl: 'http://localhost:4010' },
			/'Base URL' .* \/v1/,
			/https:\/\/api\.example\.com\/v1/,
		],
		[
			'http to another host',
			{},
			{ baseUrl: 'http://api.example.com/v1' },
			/'Base URL' .* https/,
			/localhost/,
		],
		['malformed overrides', {}, { overrides: '{"cursor"' }, /'Overrides'/, /JSON object/],
		['no token', {}, { accessToken: '' }, /'API Key' is empty/, /Enter a value/],
		['an empty prompt', { prompt: ' ' }, {}, /^'Prompt' is empty/, /expression/],
		['a prompt that is null', { prompt: '={{ null }}' }, {}, /^'Prompt' is empty/, /expression/],
		['a prompt that is no text', { prompt: '={{ [1] }}' }, {}, /^'Prompt' is not a text/, /Enter/],
		[
			'a malformed project',
			{ projectId: { __rl: true, mode: 'id', value: '={{ "p1" }}' } },
			{},
			/^'Project' is not a valid ID/,
			/UUID/,
		],
		[
			'no project',
			{ projectId: { __rl: true, mode: 'id', value: '={{ null }}' } },
			{},
			/^'Project' is empty/,
			/Enter/,
		],
		[
			'a malformed session ID',
			{ operation: 'continue', sessionId: 'abc' },
			{},
			/^'Session' is not a valid ID/,
			/UUID/,
		],
		[
			'a rule without a decision',
			{
				permissionPolicy: 'rules',
				permissionRules: { rule: [{ permission: 'bash', pattern: '*' }] },
			},
			{},
			/^Rule 1 has no decision/,
			/Choose/,
		],
		[
			'a policy that does not exist',
			{ permissionPolicy: '={{ "maybe" }}' },
			{},
			/^'Permission Policy'/,
			/ask, approve, deny, rules/,
		],
		[
			'a malformed body',
			{ options: { body: '{"a"' } },
			{},
			/^'Body' is not a valid JSON object/,
			/\{"name": "value"\}/,
		],
		[
			'a poll interval of nothing',
			{ options: { pollInterval: 0 } },
			{},
			/^'Poll Interval'/,
			/1 or more/,
		],
		[
			'a longest interval below the shortest',
			{ options: { pollInterval: 5, maxPollInterval: 2 } },
			{},
			/^'Max Poll Interval'/,
			/5 or more/,
		],
		['a negative wait', { options: { maxWait: -1 } }, {}, /^'Max Wait'/, /0 or more/],
		[
			'no concurrency',
			{ options: { maxConcurrentSessions: 0 } },
			{},
			/^'Max Concurrent Sessions'/,
			/1 or more/,
		],
	])(
		'%s is refused before anything is sent',
		async (_, changes, credentials, message, description) => {
			const { error } = await run(
				setup(changes, {
					credentials: { ...service.credentials, ...credentials } as Setup['credentials'],
				}),
			);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(description);
			expect(await service.requests()).toEqual([]);
		},
	);

	test('a mistake in one item keeps the others from being started, unless errors are continued', async () => {
		const items = [{ prompt: '[say One]' }, { prompt: '' }];
		const strict = await run(setup({ prompt: '={{ $json.prompt }}' }, { items }));
		expect(strict.error?.message).toBe("'Prompt' is empty");
		expect(strict.error?.context?.itemIndex).toBe(1);
		expect(await service.requests()).toEqual([]);

		const lenient = await run(
			setup(
				{ prompt: '={{ $json.prompt }}' },
				{ items, settings: { onError: 'continueRegularOutput' } },
			),
		);
		expect(texts(lenient)).toEqual([['One', "'Prompt' is empty"], [], []]);
	}, 20_000);
});

describe('Stop (rule 9)', () => {
	test('ends the poll at once and aborts the remote session', async () => {
		const execution = start(
			setup({ prompt: '[work 10m]', options: { pollInterval: 300, maxPollInterval: 300 } }),
		);
		await until(async () => (await service.sessions()).length === 1);
		execution.stop();
		await execution.result;
		await until(async () => (await service.sessions())[0].aborted);
		expect((await service.sessions())[0]).toMatchObject({ aborted: true, status: 'failed' });
	}, 20_000);

	test('with Abort on Stop off leaves it running', async () => {
		const execution = start(
			setup({
				prompt: '[work 10m]',
				options: { pollInterval: 300, maxPollInterval: 300, abortOnStop: false },
			}),
		);
		await until(async () => (await service.sessions()).length === 1);
		execution.stop();
		await execution.result;
		expect((await service.sessions())[0].aborted).toBe(false);
		expect(await of('POST', '/abort')).toEqual([]);
	}, 20_000);

	test('in the middle of the start aborts the session that came of it', async () => {
		await service.control('POST', '/faults', {
			operationId: 'createAgentSession',
			kind: 'latency',
			ms: 500,
		});
		const execution = start(setup({ prompt: '[work 10m]' }));
		await until(async () => (await service.requests()).length === 1);
		execution.stop();
		await execution.result;
		await until(async () => (await service.sessions())[0]?.aborted === true);
		expect(await service.sessions()).toHaveLength(1);
	}, 20_000);

	test('starts nothing when it comes before the node, as Retry On Fail would', async () => {
		const execution = start(
			setup(
				{ prompt: '[work 10m]' },
				{ settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 } },
			),
		);
		await until(async () => (await service.sessions()).length === 1);
		execution.stop();
		await execution.result;
		await until(async () => (await service.sessions())[0].aborted);
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	}, 20_000);
});

describe('retries (rule 10)', () => {
	test('Retry On Fail takes up the session that runs', async () => {
		// The reads after the first are refused for a moment: the try fails, the session goes on.
		await service.control('POST', '/faults', {
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
			times: 1,
		});
		const execution = await run(
			setup(
				{ prompt: '[work 60s] [say Done]' },
				{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 } },
			),
		);
		expect(texts(execution)).toEqual([['Done'], [], []]);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	}, 20_000);

	test('a retry of the failed execution takes it up too', async () => {
		await service.control('POST', '/faults', {
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
			times: 1,
		});
		const first = await run(setup({ prompt: '[work 60s] [say Done]' }));
		expect(first.error?.httpCode).toBe('403');
		const second = await run(setup({ prompt: '[work 60s] [say Done]' }, { retryOf: first }));
		expect(texts(second)).toEqual([['Done'], [], []]);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	}, 20_000);

	test('Retry On Fail starts a failed session again', async () => {
		const execution = await run(
			setup(
				{ prompt: '[fail Out of disk]' },
				{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } },
			),
		);
		expect(execution.error?.message).toMatch(/Out of disk/);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	}, 20_000);

	test('Retry On Fail starts nothing again that has completed, and reads it once', async () => {
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}' },
				{
					items: [{ prompt: '[fail Out of disk]' }, { prompt: '[work 5s] [say Done]' }],
					settings: {
						onError: 'continueErrorOutput',
						retryOnFail: true,
						maxTries: 3,
						waitBetweenTries: 10,
					},
				},
			),
		);
		const [{ json: completed }] = execution.outputs[0];
		expect(completed.text).toBe('Done');
		expect(await of('POST', '/agent/sessions')).toHaveLength(4);
		const reads = await of('GET', `/agent/sessions/${completed.sessionId}`);
		const tries = 3;
		expect(completed.pollCount).toBe(1);
		expect(reads.length).toBeLessThanOrEqual(6 + tries - 1);
		expect(await service.sessions()).toHaveLength(4);
	}, 20_000);

	test('Still Running wired back into the node continues the session, whatever the node would start', async () => {
		const items = [{ prompt: '[work 40s] [say One]' }, { prompt: '[work 120s] [say Two]' }];
		const execution = await run(
			setup({ prompt: '={{ $json.prompt }}', options: { maxWait: 0.02 } }, { items, backFrom: 2 }),
		);
		expect(execution.error).toBeUndefined();
		const rounds = execution.data.resultData.runData['Node under test'];
		expect(rounds.length).toBeGreaterThan(2);
		const done = rounds.flatMap(({ data }) => data!.main[0] ?? []);
		expect(done.map(({ json }) => json.text)).toEqual(['One', 'Two']);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	}, 30_000);

	test('an item with a session of somebody else is started as any other', async () => {
		const items = [{ sessionId: '6e0c3b0e-1f0e-4b43-9b6b-2b8f0b6c0001', prompt: '[say One]' }];
		const execution = await run(setup({ prompt: '={{ $json.prompt }}' }, { items }));
		expect(texts(execution)).toEqual([['One'], [], []]);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	}, 20_000);

	test('a start that may have happened is not repeated by Retry On Fail', async () => {
		await service.control('POST', '/faults', {
			operationId: 'createAgentSession',
			kind: 'reset-after',
		});
		const execution = await run(
			setup({}, { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 } }),
		);
		expect(execution.error?.message).toBe('It is not known whether the session was started');
		expect(await service.sessions()).toHaveLength(1);
	}, 20_000);
});

describe('concurrency (rule 11)', () => {
	test('is what Max Concurrent Sessions says, whatever happens to one of them, in order and paired', async () => {
		await service.control('POST', '/faults', {
			operationId: 'getAgentSession',
			kind: 'status',
			status: 429,
			retryAfter: 1,
			after: 20,
			times: 3,
		});
		const items = Array.from({ length: 50 }, (_, index) => ({
			prompt: index === 7 ? '[fail Out of disk]' : `[work 5s] [say Done ${index}]`,
		}));
		const settings = { onError: 'continueErrorOutput' as const };
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}', options: { maxConcurrentSessions: 10 } },
				{ items, settings },
			),
		);
		const others = items.map((_, index) => index).filter((index) => index !== 7);
		expect(texts(execution)[0]).toEqual(others.map((index) => `Done ${index}`));
		expect(
			execution.outputs[0].map(({ pairedItem }) => (pairedItem as { item: number }).item),
		).toEqual(others);
		expect(texts(execution)[3]).toEqual(['The agent session failed: Out of disk']);

		// Never an eleventh between its start and the reading that told the node of its end.
		const requests = await service.requests();
		const ends = new Map<string, string>();
		for (const { method, path, at, status, answer } of requests as any[]) {
			if (method === 'GET' && status === 200 && ['completed', 'failed'].includes(answer.status))
				ends.set(path.split('/').at(-1), at);
		}
		const starts = requests.filter(({ method }) => method === 'POST') as any[];
		expect(starts).toHaveLength(50);
		const moments = starts.flatMap(
			({ at, answer }) =>
				[
					[at, 1],
					[ends.get(answer.sessionId)!, -1],
				] as Array<[string, number]>,
		);
		// An end and the start that it made room for may fall into the same millisecond.
		moments.sort(([a, up], [b, down]) => a.localeCompare(b) || up - down);
		let running = 0;
		for (const [, change] of moments) expect((running += change)).toBeLessThanOrEqual(10);
	}, 60_000);

	test('a 429 to one session keeps all of them waiting', async () => {
		const items = Array.from({ length: 10 }, () => ({}));
		const execution = start(
			setup(
				{ prompt: '[work 200s] [say Done]', options: { maxConcurrentSessions: 10 } },
				{ items },
			),
		);
		await until(async () => (await of('POST', '/agent/sessions')).length === 10);
		await service.control('POST', '/faults', {
			operationId: 'getAgentSession',
			kind: 'status',
			status: 429,
			retryAfter: 3,
		});
		const refused = async () => (await service.requests()).find(({ status }) => status === 429);
		await until(async () => (await refused()) !== undefined);
		await execution.result;
		const at = Date.parse((await refused())!.at);
		// Some were under way already; from a moment later on none comes before the three seconds are over.
		const later = (await service.requests())
			.map((request) => Date.parse(request.at) - at)
			.filter((after) => after > 300);
		expect(Math.min(...later)).toBeGreaterThanOrEqual(3000);
	}, 60_000);
});

describe('as a tool (rule 13)', () => {
	test.each([
		['[say Done]', 'completed'],
		['[ask bash: x]', 'needs_approval'],
		['[work 10m]', 'still_running'],
		['[fail Out of disk]', 'failed'],
	])(
		'%s is told on the first output as %s',
		async (prompt, status) => {
			const execution = await run(setup({ prompt, options: { maxWait: 0.05 } }, { asTool: true }));
			expect(execution.outputs.map((items) => items.length)).toEqual([1, 0, 0]);
			expect(execution.outputs[0][0].json).toMatchObject({ status, sessionId: expect.any(String) });
		},
		20_000,
	);

	test('never parks, whatever Wait says', async () => {
		const parameters = { prompt: '[work 10m]', wait: 'database', options: { maxWait: 0.05 } };
		const { outputs } = await run(setup(parameters, { asTool: true }));
		expect(outputs[0][0].json).toMatchObject({ status: 'still_running' });
	}, 20_000);

	test('an error reaches the model with its way out and the session', async () => {
		await service.control('POST', '/faults', {
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
		});
		const { outputs } = await run(setup({}, { asTool: true }));
		const [{ sessionId }] = await service.sessions();
		expect(outputs[0][0].json).toMatchObject({
			error: 'The API key does not permit this',
			message: expect.stringContaining('scope'),
			sessionId,
		});
	}, 20_000);
});

describe('custom data (rule 14)', () => {
	test('names the session and its dashboard, for the first items', async () => {
		const execution = await run(
			setup({ prompt: '[say Done]' }, { items: [{}, {}, {}, {}, {}, {}] }),
		);
		const ids = (await service.sessions()).map(({ sessionId }) => sessionId);
		expect(ids).toContain(execution.customData?.sessionId);
		expect(execution.customData?.dashboardUrl).toContain(execution.customData?.sessionId);
		expect(execution.customData?.sessionId_1).not.toBe(execution.customData?.sessionId);
		expect(Object.keys(execution.customData ?? {})).toHaveLength(10);
	}, 20_000);

	test('keeps the sessions of earlier nodes and rounds', async () => {
		const first = await run(setup({ prompt: '[say Done]' }));
		const second = await run(setup({ prompt: '[say Done too]' }, { retryOf: first }));
		const ids = (await service.sessions()).map(({ sessionId }) => sessionId);
		expect([second.customData?.sessionId, second.customData?.sessionId_1]).toEqual(ids);
	}, 20_000);
});

test("the credential's overrides and the node's body change what is sent", async () => {
	const overrides = JSON.stringify({
		createAgentSession: { body: { project: '{projectId}', input: [{ text: '{prompt}' }] } },
	});
	await run(
		setup(
			{ prompt: 'Hello', options: { body: '{"model":"large"}' } },
			{ credentials: { ...service.credentials, overrides } },
		),
	);
	expect((await of('POST', '/agent/sessions'))[0].body).toEqual({
		project: service.projectId,
		input: [{ text: 'Hello' }],
		model: 'large',
	});
}, 20_000);
