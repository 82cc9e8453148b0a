// n8n killed with -9 and "Retry with currently saved workflow" must not start a session twice, or hang n8n.
import { expect, test } from '@jest/globals';
import { durable, looped, runLive, single, useKillableStage } from './durable.mts';
import { connect, eventually, NODE } from './support.mts';

const stage = useKillableStage();

/** Kills n8n with -9 and starts it again. */
async function kill(): Promise<void> {
	await stage.host.kill();
	await stage.restart();
}

const retryWithSavedWorkflow = async (id: string): Promise<string> =>
	(await stage.host.rest.post(`/executions/${id}/retry`, { loadWorkflow: true })).id;

/** Makes responses so late that n8n is killed before they arrive, and waits until one is on its way. */
async function slow(operationId: string, ms: number, times: number): Promise<void> {
	await stage.service.control.addFaults({ operationId, kind: 'latency', ms, times });
}

test('a retry after a crash during the start of 20 items starts none twice, and names those that may have started', async () => {
	const items = Array.from({ length: 20 }, (_, index) => ({
		prompt: `Item ${index} [say Done.]`,
	}));
	await slow('createAgentSession', 700, 0);
	const session = durable({ prompt: '={{ $json.prompt }}' });
	const id = await runLive(
		stage.host,
		looped('Twenty', items, session, {
			wires: connect({ stillRunning: [NODE], completed: ['Completed'] }),
		}),
	);
	await eventually(async () => (await stage.service.sessions()).length >= 7);
	await kill();
	await stage.service.control.clearFaults();
	const { status } = await eventually(async () => {
		const execution = await stage.host.rest.get(`/executions/${id}`);
		return execution.status === 'crashed' && execution;
	});
	expect(status).toBe('crashed');
	const retried = await stage.host.waitForExecution(await stage.host.retry(id));
	const sessions = await stage.service.sessions();
	const prompts = sessions.map(({ prompt }: { prompt: string }) => prompt);
	expect(new Set(prompts).size).toBe(prompts.length);
	// n8n 2 knows the origin of a retry, n8n 1 that it is one: both report the items that an earlier attempt may have started.
	expect(retried.status).toBe('error');
	expect(retried.error?.message).toBe('The session may have been started');
});

test('after a crash while a timer wakes the execution, "Retry with currently saved workflow" continues the session, and n8n still runs', async () => {
	const prompt = 'Woken [work 15s] [say Done.]';
	const id = await runLive(stage.host, single('Woken', prompt));
	await eventually(
		async () => (await stage.host.rest.get(`/executions/${id}`)).status === 'waiting',
	);
	await slow('getAgentSession', 12_000, 1);
	await eventually(async () =>
		(await stage.service.control.faults()).every(({ struck }: { struck: number }) => struck > 0),
	);
	await kill();
	await stage.service.control.clearFaults();
	await eventually(
		async () => (await stage.host.rest.get(`/executions/${id}`)).status === 'crashed',
	);
	const retried = await stage.host.waitForExecution(await retryWithSavedWorkflow(id));
	expect(retried.status).toBe('success');
	expect(retried.items('Completed')).toMatchObject([{ text: 'Done.' }]);
	const sessions = (await stage.service.sessions()).filter(
		(each: { prompt: string }) => each.prompt === prompt,
	);
	expect(sessions).toHaveLength(1);
	expect((await fetch(`${stage.host.url}/healthz`)).ok).toBe(true);
});
