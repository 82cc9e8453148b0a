// What is left of a session whose item fails, in n8n's engine over HTTP.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { useAnswers } from './answers.mts';
import { run, type Setup } from './engine.mts';

const service = useAnswers();
const ID = '123e4567-e89b-12d3-a456-426614174000';
const DASHBOARD = `https://workspace.example/sessions/${ID}`;
const AT = '2026-10-05T07:00:00.000Z';
const HALF = 'Half done: 3 of 7 pages';
const session = (more: IDataObject) => ({
	sessionId: ID,
	dashboardUrl: DASHBOARD,
	projectId: '223e4567-e89b-12d3-a456-426614174000',
	pendingInteractions: [],
	latestMessage: { role: 'assistant', text: HALF, createdAt: AT, completedAt: AT },
	...more,
});
const OUT_OF_LIMIT = session({ status: 'failed', error: 'usage_limit_reached' });

const runWith = async (settings: Setup['settings'], parameters: IDataObject = {}) =>
	await run({
		node: 'runAgentSession',
		parameters: {
			operation: 'continue',
			sessionId: ID,
			whileWaiting: 'keepRunning',
			...parameters,
		},
		credentials: service.credentials,
		settings,
	});

const WORK = {
	text: HALF,
	sessionId: ID,
	dashboardUrl: DASHBOARD,
	projectId: '223e4567-e89b-12d3-a456-426614174000',
	startedAt: expect.any(String),
	durationMs: expect.any(Number),
	decisions: [],
};

test.each([
	['continueErrorOutput', 2],
	['continueRegularOutput', 0],
] as const)(
	'a failed item has the work of its session, with On Error %s',
	async (onError, output) => {
		service.answer = () => OUT_OF_LIMIT;
		const { outputs, error } = await runWith({ onError });
		expect(error).toBeUndefined();
		expect(outputs.map((items) => items?.length ?? 0)).toEqual(output === 2 ? [0, 0, 1] : [1, 0]);
		expect(outputs[output][0].json).toMatchObject({
			...WORK,
			error: 'The agent session failed: usage_limit_reached',
			message: expect.stringContaining('continue the session with a message'),
			status: 'failed',
		});
	},
);

test('the work is the same at Max Wait', async () => {
	service.answer = ({ method }) => (method === 'GET' ? session({ status: 'running' }) : {});
	const { outputs } = await runWith(
		{ onError: 'continueErrorOutput' },
		{ maxWait: 0, onMaxWait: 'letRun' },
	);
	expect(outputs[2][0].json).toMatchObject({
		...WORK,
		error: expect.stringContaining('did not finish'),
		status: 'running',
	});
});

test("the error of an execution names the session and the agent's last words", async () => {
	service.answer = () => OUT_OF_LIMIT;
	const { error } = await runWith({});
	expect(error?.description).toContain(`Session ${ID}, ${DASHBOARD}.`);
	expect(error?.description).toContain(`The agent's last words: ${HALF}.`);
});

test('an item without a session has only its error', async () => {
	const { outputs } = await runWith(
		{ onError: 'continueErrorOutput' },
		{ operation: 'start', projectId: { __rl: true, mode: 'id', value: ID }, prompt: ' ' },
	);
	expect(Object.keys(outputs[2][0].json)).toEqual(['error', 'message']);
});
