// Run Agent Session, stopped and tried again by n8n.
import { describe, expect, test } from '@jest/globals';
import { outputIndex, type OutputKey } from '../../nodes/RunAgentSession/outputs.ts';
import { run, start } from './engine.mts';
import { texts, until, useRunAgentSession } from './runAgentSession.mts';

const { of, service, setup } = useRunAgentSession();

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
	});

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
	});

	test('during the start aborts the session that the start created', async () => {
		await service.control.addFaults({
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
	});

	test('prevents another start, even with Retry On Fail', async () => {
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
		// A retry would start its session before that of a later execution has ended.
		await run(setup({ prompt: '[say Later]' }));
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	});
});

describe('retries (rule 10)', () => {
	test('Retry On Fail resumes the running session', async () => {
		// The reads after the first are refused for a moment: the try fails, the session continues.
		await service.control.addFaults({
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
		expect(texts(execution)).toEqual({ completed: ['Done'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a retry of the failed execution also resumes the running session', async () => {
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
			times: 1,
		});
		const first = await run(setup({ prompt: '[work 60s] [say Done]' }));
		expect(first.error?.httpCode).toBe('403');
		const second = await run(setup({ prompt: '[work 60s] [say Done]' }, { retryOf: first }));
		expect(texts(second)).toEqual({ completed: ['Done'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('Retry On Fail starts a failed session again', async () => {
		const execution = await run(
			setup(
				{ prompt: '[fail Out of disk]' },
				{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } },
			),
		);
		expect(execution.error?.message).toMatch(/Out of disk/);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	});

	const failsBesideOne = {
		items: [{ prompt: '[fail Out of disk]' }, { prompt: '[work 5s] [say Done]' }],
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 },
	};

	test('Retry On Fail starts no completed session again, and polls it once', async () => {
		const execution = await run(setup({ prompt: '={{ $json.prompt }}' }, failsBesideOne));
		expect(execution.error?.message).toMatch(/Out of disk/);
		expect(await of('POST', '/agent/sessions')).toHaveLength(4);
		const completed = (await service.sessions()).filter(({ status }) => status === 'completed');
		expect(completed).toHaveLength(1);
		const reads = await of('GET', `/agent/sessions/${completed[0].sessionId}`);
		const tries = 3;
		expect(reads.length).toBeLessThanOrEqual(6 + tries - 1);
	});

	test('Retry On Fail runs the node once if On Error continues, because n8n looks for an error on the first output', async () => {
		const { settings, ...more } = failsBesideOne;
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}' },
				{ ...more, settings: { ...settings, onError: 'continueErrorOutput' } },
			),
		);
		expect(texts(execution)).toEqual({
			completed: ['Done'],
			error: ['The agent session failed: Out of disk'],
		});
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	});

	test('Still Running connected back to the node continues the session, even with another prompt', async () => {
		const items = [{ prompt: '[work 40s] [say One]' }, { prompt: '[work 120s] [say Two]' }];
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}', maxWait: 0.02 },
				{ items, backFrom: outputIndex('stillRunning') },
			),
		);
		expect(execution.error).toBeUndefined();
		const rounds = execution.data.resultData.runData['Node under test'];
		expect(rounds.length).toBeGreaterThan(2);
		const done = rounds.flatMap(({ data }) => data!.main[outputIndex('completed')] ?? []);
		expect(done.map(({ json }) => json.text)).toEqual(['One', 'Two']);
		expect(await of('POST', '/agent/sessions')).toHaveLength(2);
	});

	test.each(['getAgentSession', 'sendAgentMessage'] as const)(
		"Retry On Fail sends a message that wasn't sent, because %s was refused",
		async (operationId) => {
			const { projectId, control } = service;
			const sessionId = await control.startSession({ projectId, prompt: '[say First.]' });
			await until(async () => (await service.sessions())[0].status === 'completed');
			await control.addFaults({ operationId, kind: 'status', status: 403, times: 1 });
			const execution = await run(
				setup(
					{ operation: 'continue', sessionId, message: '[say Second.]' },
					{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } },
				),
			);
			expect(texts(execution)).toEqual({ completed: ['Second.'] });
		},
	);

	describe('an output connected back to the node that continues a session', () => {
		/** Runs it with this output connected to its own input, and returns its rounds. A third has no session, which ends it. */
		async function rounds(output: OutputKey, message: string, third = '') {
			const { projectId, control } = service;
			const sessionId = await control.startSession({ projectId, prompt: '[say First.]' });
			await until(async () => (await service.sessions())[0].status === 'completed');
			const parameters = {
				operation: 'continue',
				sessionId: `={{ $runIndex < 2 ? '${sessionId}' : '${third && sessionId}' }}`,
				message,
				// Each round of Still Running ends long before the agent does, and one of Completed never does.
				maxWait: output === 'stillRunning' ? 0.02 : 5,
			};
			const execution = await run(setup(parameters, { backFrom: outputIndex(output) }));
			return execution.data.resultData.runData['Node under test'];
		}

		test('Still Running sends its message once', async () => {
			const all = await rounds('stillRunning', '[work 80s] [say Second.]', 'goes on');
			expect(all.length).toBeGreaterThan(2);
			expect(all.at(-1)!.data!.main[outputIndex('completed')]).toMatchObject([
				{ json: { text: 'Second.' } },
			]);
			expect(await of('POST', '/messages')).toHaveLength(1);
		});

		test('Still Running only waits, even if an expression now returns another message', async () => {
			await rounds('stillRunning', '=[work 80s] [say {{ $runIndex }}]', 'waits');
			expect(await of('POST', '/messages')).toHaveLength(1);
		});

		test('Completed sends its message again for another turn', async () => {
			await rounds('completed', '[say Again.]');
			expect(await of('POST', '/messages')).toHaveLength(2);
		});
	});

	test('a session that failed before the pause in the database is reported as failed, even if comments go to the agent', async () => {
		const { projectId, control } = service;
		const sessionId = await control.startSession({ projectId, prompt: '[fail Out of paper]' });
		await until(async () => (await service.sessions())[0].status === 'failed');
		const options = { sendComments: true };
		const parameters = { operation: 'continue', wait: 'database', sessionId, options };
		const execution = await run(setup(parameters, { backFrom: outputIndex('stillRunning') }));
		expect(execution.error?.message).toBe('The agent session failed: Out of paper');
	});

	test("an item with another node's session starts its own session", async () => {
		const items = [{ sessionId: '6e0c3b0e-1f0e-4b43-9b6b-2b8f0b6c0001', prompt: '[say One]' }];
		const execution = await run(setup({ prompt: '={{ $json.prompt }}' }, { items }));
		expect(texts(execution)).toEqual({ completed: ['One'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test("Retry On Fail doesn't repeat a start that may have happened", async () => {
		await service.control.addFaults({
			operationId: 'createAgentSession',
			kind: 'reset-after',
		});
		const execution = await run(
			setup({}, { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 } }),
		);
		expect(execution.error?.message).toBe('The session may have been started');
		expect(await service.sessions()).toHaveLength(1);
	});
});
