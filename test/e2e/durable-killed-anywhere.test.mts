// n8n killed with -9 at random moments of sessions that wait in its database, from the start to a comment, with one item and with 20.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { hasEnded, type Execution } from '../../n8n-host/executions.mts';
import { randomFrom } from '../unit/commands.mts';
import { durable, looped, runLive, useKillableStage } from './durable.mts';
import { arrived, getChoice, MESSAGE, openPage, withPage } from './page.mts';
import { connect, eventually, NODE } from './support.mts';
import { HANG_MS } from '../../n8n-host/hang.mts';

const KILLS = Number(process.env.DURABLE_KILLS ?? 6);
const SEED = Number(process.env.DURABLE_SEED ?? 2701);

const KILL_TIMEOUT_MS = 90_000;
/** Time that the service takes for a request, so that kills hit it */
const SLOW_MS = 800;
/** The maximum time from the moment to the kill */
const MAX_DELAY_MS = 1_500;

/** The parts of an execution in which n8n is killed, each with the service's operation that takes place there */
const MOMENTS = {
	start: 'createAgentSession',
	'first save': undefined,
	wake: 'getAgentSession',
	decision: 'resolveInteraction',
	page: undefined,
	comment: 'sendAgentMessage',
} as const;
type Moment = keyof typeof MOMENTS;

const stage = useKillableStage();

/** A workflow that n8n is killed under, and its latest execution */
interface Trial {
	name: string;
	prompts: string[];
	executionId: string;
}
const trials: Trial[] = [];

const isPage = (moment: Moment) => moment === 'page' || moment === 'comment';

/** Starts a workflow for a kill at a moment. Approvers who don't answer, because their link was lost with n8n, deny after a while. */
async function begin(name: string, moment: Moment, count: number): Promise<Trial> {
	const prompts = Array.from(
		{ length: count },
		(_, item) => `${name}, item ${item}. [work 3s] [ask bash: one] [work 3s] [say Done.]`,
	);
	const list = prompts.map((prompt) => ({ prompt }));
	const options = { ifNobodyAnswers: 'deny', unansweredAfter: 0.02, sendComments: true };
	const file = isPage(moment)
		? withPage(name, list, { options })
		: looped(name, list, durable({ prompt: '={{ $json.prompt }}' }), {
				wires: connect({ stillRunning: [NODE], completed: ['Completed'] }),
			});
	const trial = { name, prompts, executionId: await runLive(stage.host, file) };
	trials.push(trial);
	return trial;
}

const getStatus = async (id: string): Promise<{ status: string; waitTill?: string }> =>
	await stage.host.rest.get(`/executions/${id}`);

/** Sends an answer from the page, whose response nobody waits for. */
async function answer({ executionId }: Trial, comment: string): Promise<void> {
	const url = await eventually(async () => {
		const execution = await stage.host.waitForExecution(executionId, { until: 'waiting' });
		return arrived(execution, MESSAGE).at(0)?.url as string | undefined;
	});
	const page = await openPage(url);
	const request0 = getChoice(page, 0, 'Approve once');
	const body = new URLSearchParams({ ...page.hidden, request0, comment });
	void fetch(url, { method: 'POST', body }).catch(() => {});
}

/** Waits until an execution has come to the moment. */
async function arrive(trial: Trial, moment: Moment): Promise<void> {
	if (moment === 'first save')
		await eventually(async () => (await getStatus(trial.executionId)).status === 'waiting');
	if (isPage(moment)) await answer(trial, moment === 'comment' ? 'Use the old name.' : '');
	if (!MOMENTS[moment]) return;
	await eventually(async () =>
		(await stage.service.control.faults()).some(({ struck }) => struck > 0),
	);
}

/** Retries the executions that n8n calls crashed, as someone does who finds them in the list. */
async function retryCrashed(): Promise<void> {
	await sleep(3000);
	for (const trial of trials) {
		const { status, waitTill } = await getStatus(trial.executionId);
		// n8n also calls a paused execution so for a moment.
		if (status === 'crashed' && !waitTill)
			trial.executionId = await stage.host.retry(trial.executionId);
	}
}

test(
	`n8n is killed at ${KILLS} random moments (seed ${SEED})`,
	async () => {
		const random = randomFrom(SEED);
		const moments = Object.keys(MOMENTS) as Moment[];
		for (let kill = 0; kill < KILLS; kill++) {
			const moment = moments[Math.floor(random() * moments.length)];
			const count = random() < 0.5 ? 1 : 20;
			const delayMs = random() * MAX_DELAY_MS;
			const name = `Kill ${kill} (${moment}, ${count} items, ${Math.round(delayMs)} ms)`;
			const operationId = MOMENTS[moment];
			if (operationId)
				await stage.service.control.addFaults({
					operationId,
					kind: 'latency',
					ms: SLOW_MS,
					times: 0,
				});
			await arrive(await begin(name, moment, count), moment);
			await sleep(delayMs);
			await stage.host.kill();
			await stage.service.control.clearFaults();
			await stage.restart();
			await retryCrashed();
		}
	},
	2 * HANG_MS + KILLS * KILL_TIMEOUT_MS,
);

/** Waits for the end of an execution, and for that of its retries if it has crashed. */
async function waitForEnd(trial: Trial): Promise<Execution> {
	await eventually(async () => {
		await retryCrashed();
		return hasEnded(await getStatus(trial.executionId));
	});
	return await stage.host.waitForExecution(trial.executionId);
}

const count = (text: string, part: string) => text.split(part).length - 1;

test(
	'each session was started once, each request and comment was sent once, and each outcome arrived, or an error names its session',
	async () => {
		const ends: object[] = [];
		for (const trial of trials) {
			const execution = await waitForEnd(trial);
			const { message = '', description = '' } = execution.error ?? {};
			const error = `${message}. ${description}`;
			const returned = arrived(execution, 'Completed').map(({ sessionId }) => sessionId as string);
			const sessions = (await stage.service.sessions()).filter(({ prompt }) =>
				trial.prompts.includes(prompt),
			);
			const missing = sessions.filter(
				({ sessionId }) => !returned.includes(sessionId) && !error.includes(sessionId),
			);
			const unknown = count(error, 'may have been started');
			ends.push({
				name: trial.name,
				returned: returned.length,
				sessions: sessions.length,
				unknown,
			});
			expect({ name: trial.name, status: execution.status, error }).toMatchObject({
				status: error === '. ' ? 'success' : 'error',
			});
			// An item whose start was killed has an error instead of a session that anyone knows.
			expect({ name: trial.name, error, isNamed: missing.length <= unknown }).toMatchObject({
				isNamed: true,
			});
			expect(new Set(sessions.map(({ prompt }) => prompt)).size).toBe(sessions.length);
			expect(new Set(returned).size).toBe(returned.length);
			expect(returned.length + unknown).toBeGreaterThanOrEqual(
				error === '. ' ? trial.prompts.length : 0,
			);
			for (const { turns, interactions } of sessions) {
				expect(turns).toBeLessThanOrEqual(2);
				expect(interactions.length).toBeLessThanOrEqual(1);
			}
		}
		process.stderr.write(`${ends.map((end) => JSON.stringify(end)).join('\n')}\n`);
	},
	2 * HANG_MS + KILLS * KILL_TIMEOUT_MS,
);
