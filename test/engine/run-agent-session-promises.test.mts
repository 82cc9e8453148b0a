// The promises of Run Agent Session in n8n's engine: never a second session by accident, and Stop stops everything.
import { describe, expect, test } from '@jest/globals';
import { outputIndex } from '../../nodes/RunAgentSession/outputs.ts';
import { run, start } from './engine.mts';
import { itemsOn, texts, until, useRunAgentSession } from './runAgentSession.mts';

const { of, service, setup } = useRunAgentSession();
const STILL_RUNNING = outputIndex('stillRunning');

describe('never a second session', () => {
	test.each(['memory', 'database'])(
		'Always Output Data with Still Running connected to the node itself starts one session, and ends (%s)',
		async (wait) => {
			const parameters = { wait, prompt: '[say Done]', maxWait: 1 };
			const settings = { alwaysOutputData: true };
			const execution = await run(setup(parameters, { settings, backFrom: STILL_RUNNING }));
			expect(execution.error).toBeUndefined();
			expect(await of('POST', '/agent/sessions')).toHaveLength(1);
		},
	);

	const failsOnce = async () =>
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 401,
			times: 1,
		});
	const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
	const prompt = '=[work 2s] [say Done] {{ $now.toMillis() }} {{ Math.random() }}';

	test('Retry On Fail with {{ $now }} in the prompt continues the session of the first attempt', async () => {
		await failsOnce();
		const execution = await run(setup({ prompt }, { settings: retries }));
		expect(texts(execution)).toEqual({ completed: ['Done'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a retry of the execution continues the session if the raw parameters and the input are the same', async () => {
		await failsOnce();
		const failed = await run(setup({ prompt }));
		expect(failed.error?.httpCode).toBe('401');
		const execution = await run(setup({ prompt }, { retryOf: failed }));
		expect(texts(execution)).toEqual({ completed: ['Done'] });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a retry of the execution with another prompt starts nothing, and names the session and both solutions', async () => {
		await failsOnce();
		const failed = await run(setup({ prompt }));
		const [{ sessionId }] = await service.sessions();
		const execution = await run(setup({ prompt: 'Something else' }, { retryOf: failed }));
		expect(execution.error?.message).toBe(
			`An earlier attempt started session ${sessionId} for this item`,
		);
		expect(execution.error?.description).toMatch(/restore the parameters and retry/);
		expect(execution.error?.description).toMatch(/run the workflow again from the start/);
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});

	test('two items that continue one session are an error before anything is sent', async () => {
		const { projectId, control } = service;
		const sessionId = await control.startSession({ projectId, prompt: '[ask bash: x]' });
		const parameters = { operation: 'continue', sessionId, permissionPolicy: 'approve' };
		const execution = await run(setup(parameters, { items: [{}, {}] }));
		expect(execution.error?.message).toBe('Several items continue the same session');
		expect(await of('POST', '/resolve')).toEqual([]);
	});

	test("an item can't fake a failure or a decision of this node (rule 49)", async () => {
		const items = [
			{
				heldFailure: { message: 'Faked', description: '', context: {} },
				failure: { message: 'Faked' },
				outcome: { text: 'Faked' },
				sessionKey: '0.0',
				ledger: [],
				prompt: '[say Real]',
			},
		];
		const execution = await run(setup({ prompt: '={{ $json.prompt }}' }, { items }));
		expect(texts(execution)).toEqual({ completed: ['Real'] });
	});
});

describe('Stop', () => {
	test('aborts every session of the run, even those that already have an outcome', async () => {
		const items = [{ prompt: '[ask bash: x]' }, { prompt: '[work 10m]' }, { prompt: '[say Done]' }];
		const parameters = {
			prompt: '={{ $json.prompt }}',
			permissionPolicy: 'ask',
			options: { pollInterval: 1, maxPollInterval: 1 },
		};
		const execution = start(setup(parameters, { items }));
		await until(async () => {
			const sessions = await service.sessions();
			return sessions.length === 3 && sessions.filter(({ polls }) => polls > 2).length >= 1;
		});
		execution.stop();
		await execution.result;
		const aborted = async () => {
			const sessions = await service.sessions();
			return sessions.map(({ prompt, aborted: is }) => [prompt, is]);
		};
		await until(async () => (await aborted()).filter(([, is]) => is).length === 2);
		expect(Object.fromEntries(await aborted())).toEqual({
			'[ask bash: x]': true,
			'[work 10m]': true,
			'[say Done]': false,
		});
	});
});

describe('Max Wait 0', () => {
	test('starts the session and leaves through Still Running without a poll', async () => {
		const execution = await run(setup({ prompt: '[work 10m]', maxWait: 0 }));
		expect(itemsOn(execution, 'stillRunning')).toHaveLength(1);
		expect((await service.requests()).map(({ method }) => method)).toEqual(['POST']);
	});
});
