// n8n killed, and stopped, under sessions that wait in its database: each session is started once, each request decided once, and the
// outcome arrives. The moments are chosen: those of durable-killed-anywhere.test.mts are random.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { runLive, single, useKillableStage } from './durable.mts';
import { eventually } from './support.mts';

// n8n's own default: a poll that n8n has begun before a stop comes to its end.
const stage = useKillableStage({ env: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30' } });
/** The waiting execution of each session, by prompt */
const executions = new Map<string, string>();

const end = {
	killed: async () => await stage.host.kill(),
	stopped: async () => await stage.host.close(),
};

async function restart(how: keyof typeof end): Promise<void> {
	await end[how]();
	await stage.restart();
}

async function run(prompt: string): Promise<void> {
	executions.set(prompt, await runLive(stage.host, single(prompt, prompt)));
}

const sessionsFor = async (prompt: string) =>
	(await stage.service.sessions()).filter((session) => session.prompt === prompt);

/** As someone does who finds it in the list of executions: what n8n was at when it was killed, it calls crashed. Returns those. */
async function retryCrashed(): Promise<string[]> {
	await sleep(3000);
	const crashed: string[] = [];
	for (const [prompt, id] of executions) {
		const { status, waitTill } = await stage.host.rest.get(`/executions/${id}`);
		// n8n also calls a paused execution so for a moment.
		if (status !== 'crashed' || waitTill) continue;
		executions.set(prompt, await stage.host.retry(id));
		crashed.push(prompt);
	}
	return crashed;
}

const WORK = '[work 5s] [ask bash: one] [work 5s] [ask bash: two] [say Done.]';

/** Makes the next answer to an operation come so late that it is under way when n8n ends, and waits until it is. */
async function meetSlow(operationId: string): Promise<void> {
	await stage.service.control.addFaults({ operationId, kind: 'latency', ms: 12_000, times: 1 });
	await eventually(async () =>
		(await stage.service.control.faults()).every(({ struck }) => struck > 0),
	);
}

/** Waits until n8n has saved a pause: n8n 1 writes the status first, and then the data with the session. */
const parked = async (prompt: string) =>
	await eventually(async () => {
		const execution = await stage.host.rest.get(`/executions/${executions.get(prompt)}`);
		const [session] = await sessionsFor(prompt);
		const isSaved = session && JSON.stringify(execution).includes(session.sessionId);
		return execution.status === 'waiting' && isSaved;
	});

describe.each(['killed', 'stopped'] as const)('n8n %s', (how) => {
	const named = (when: string) => `${how} ${when} ${WORK}`;

	test('while one session is polled, and two others are paused or resume', async () => {
		for (const prompt of ['first', 'second', 'third'].map(named)) {
			await run(prompt);
			await parked(prompt);
		}
		await meetSlow('getAgentSession');
		await restart(how);
		// Executions that polled at that moment have crashed. Paused ones resume automatically. A stop waits 30 s for what runs.
		const crashed = await retryCrashed();
		if (how === 'killed') expect(crashed.length).toBeGreaterThan(0);
	});

	test('while a decision is sent', async () => {
		const prompt = named('while a decision is sent');
		await run(prompt);
		await parked(prompt);
		await meetSlow('resolveInteraction');
		await restart(how);
		await retryCrashed();
	});
});

test('each session was started once, each request decided once, and each outcome arrived', async () => {
	expect(executions.size).toBe(8);
	await retryCrashed();
	for (const [prompt, id] of executions) {
		const execution = await stage.host.waitForExecution(id);
		const { status, error } = execution;
		expect({ prompt, status, error: error?.message }).toEqual({ prompt, status: 'success' });
		expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
		expect(await sessionsFor(prompt)).toMatchObject([
			{ status: 'completed', turns: 1, interactions: [{ value: 'once' }, { value: 'once' }] },
		]);
	}
});
