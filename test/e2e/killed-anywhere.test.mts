// n8n killed with -9 at random moments of sessions that pause the execution, with one item and with 20.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createDice } from '../../local-service/faults.mts';
import { hasEnded } from '../../n8n-host/executions.mts';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { around, pausing, publish, usePausingStage } from './pausing.mts';
import { arrived, eventually } from './support.mts';

const KILLS = Number(process.env.KILLS ?? 2);
const SEED = Number(process.env.SEED ?? 2701);

/** Maximum time from the start of an execution to the kill: the first wakes are over by then. */
const MAX_DELAY_MS = 8_000;
/** Time that the service takes for each request, so that kills hit requests */
const SLOW_MS = 150;

const stage = usePausingStage();

interface Trial {
	name: string;
	prompts: string[];
	executionId: string;
}

const getStatus = async ({ executionId }: Trial): Promise<{ status: string; waitTill?: string }> =>
	await stage.host.rest.get(`/executions/${executionId}`);

/** Starts an execution, and kills n8n in the middle of it. */
async function kill(name: string, count: number, delayMs: number): Promise<Trial> {
	const prompts = Array.from(
		{ length: count },
		(_, item) => `${name}, item ${item}. [work 1m] [ask bash: one] [work 2m] [say Done.]`,
	);
	const list = prompts.map((prompt) => ({ prompt }));
	const options = { maxConcurrentSessions: 20 };
	const { call } = await publish(stage.host, around(name, list, pausing({ options })));
	const executionId = await call();
	await sleep(delayMs);
	await stage.kill();
	await stage.restart();
	return { name, prompts, executionId };
}

/** Waits for the end of an execution, and retries it whenever n8n calls it crashed. */
async function waitForEnd(trial: Trial): Promise<void> {
	await eventually(async () => {
		const { status, waitTill } = await getStatus(trial);
		// n8n 2 calls an execution crashed that it resumes while it starts, until the end of the wake.
		if (status === 'crashed' && !waitTill) {
			await sleep(3_000);
			if ((await getStatus(trial)).status === 'crashed')
				trial.executionId = await stage.host.retry(trial.executionId);
			return false;
		}
		return status !== 'crashed' && hasEnded({ status });
	});
}

test(
	`${KILLS} kills (seed ${SEED}): no session starts twice, no request is decided twice, and each outcome arrives or an error says what is unknown`,
	async () => {
		const random = createDice(SEED);
		const slow = { operationId: '*', kind: 'latency', ms: SLOW_MS, times: 0 } as const;
		await stage.service.control.addFaults(slow);
		for (let n = 0; n < KILLS; n++) {
			const count = random() < 0.5 ? 1 : 20;
			const delayMs = Math.round(random() * MAX_DELAY_MS);
			const trial = await kill(`Kill ${n} (${count} items, ${delayMs} ms)`, count, delayMs);
			await waitForEnd(trial);
			const execution = await stage.host.waitForExecution(trial.executionId);
			const { message = '', description = '' } = execution.error ?? {};
			const sessions = (await stage.service.sessions()).filter(({ prompt }) =>
				trial.prompts.includes(prompt),
			);
			const { name } = trial;
			const returned = arrived(execution, 'Completed').length;
			const text = `${message}. ${description}`;
			expect({ name, text, prompts: new Set(sessions.map(({ prompt }) => prompt)).size }).toEqual({
				name,
				text,
				prompts: sessions.length,
			});
			const isUnknown = text.includes('may have been started');
			expect({ name, text, status: execution.status, returned }).toMatchObject(
				isUnknown ? { status: 'error' } : { status: 'success', returned: trial.prompts.length },
			);
			for (const { turns, interactions } of sessions) {
				expect(turns).toBe(1);
				expect(interactions.length).toBeLessThanOrEqual(1);
			}
		}
	},
	2 * HANG_MS + KILLS * 120_000,
);
