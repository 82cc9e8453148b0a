// Unattended runs: timeouts, retries, an approver who never answers. Kills of n8n are in killed.test.mts.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { single as singleInDatabase } from './durable.mts';
import {
	agentSession,
	answerForm,
	chain,
	eventually,
	example,
	itemsOn,
	manualTrigger,
	NODE,
	play,
	getRecord,
	sessionsFor,
	useStage,
	watched,
} from './support.mts';

const stage = useStage();

/** Nothing but a start and the node */
const single = (
	parameters: Record<string, unknown>,
	parts: Partial<WorkflowNode> = {},
	settings: object = {},
): WorkflowFile =>
	withSettings(chain('Single', [manualTrigger(), agentSession(parameters, parts)]), settings);

const withSettings = (file: WorkflowFile, settings: object): WorkflowFile => ({
	...file,
	settings: { ...file.settings, ...settings },
});

const requestsTo = async (end: string) =>
	(await stage.service.requests()).filter(
		({ method, path }) => method === 'POST' && path.endsWith(end),
	);

describe('Retry On Fail', () => {
	test('continues the session that the first try started', async () => {
		const prompt = 'Only once, please. [work 4s] [say Done at the second try.]';
		const retrying = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1000 };
		await stage.service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
			times: 1,
		});

		const execution = await play(stage, single({ prompt }, retrying));

		const faults = await stage.service.control.faults();
		await stage.service.control.clearFaults();
		expect(faults).toMatchObject([{ struck: 1 }]);
		expect(execution.status).toBe('success');
		const [item] = itemsOn(execution, 'completed');
		expect(item).toMatchObject({ status: 'completed', text: 'Done at the second try.' });
		expect(await sessionsFor(stage, prompt)).toMatchObject([
			{ sessionId: item.sessionId, status: 'completed' },
		]);
	});
});

const PAUSED = 'Paused too long. [work 9h]';
let pausedId: string;

describe('the timeout of the workflow', () => {
	// It polls for 30 s, and pauses for 70. Started after the test above, whose fault could hit one of its polls.
	beforeAll(async () => {
		const file = withSettings(singleInDatabase('Paused', PAUSED), { executionTimeout: 60 });
		pausedId = await stage.host.run(await stage.host.importWorkflow(file));
	});

	test('aborts the session as Stop does', async () => {
		const prompt = 'Too long. [work 10m]';
		const execution = await play(stage, single({ prompt }, {}, { executionTimeout: 5 }));

		expect(execution.status).toBe('canceled');
		const { sessionId } = await watched(stage, prompt);
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});
});

describe('Stop with Abort on Stop off', () => {
	test('leaves the session running, and the log of n8n says so', async () => {
		const { host } = stage;
		const prompt = 'Go on without me. [work 10m]';
		const options = { pollInterval: 1, abortOnStop: false };
		const executionId = await host.run(await host.importWorkflow(single({ prompt, options })));
		const { sessionId } = await eventually(async () =>
			(await sessionsFor(stage, prompt)).find(({ status }) => status === 'running'),
		);

		await host.stop(executionId);

		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () =>
			host
				.tail()
				.includes(`Agent session ${sessionId} is still running, because Abort on Stop is off`),
		);
		expect(await getRecord(stage, sessionId)).toMatchObject({
			status: 'running',
			aborted: false,
		});
		expect(await requestsTo(`/${sessionId}/abort`)).toEqual([]);
	});
});

describe('several requests at once', () => {
	test('are put into one question, and decided by one answer', async () => {
		const prompt = '[ask bash: npm run build + bash: git push + edit: a.html] [say All published.]';
		const parked = await play(stage, example('ask-a-human', { [NODE]: { prompt } }), 'waiting');

		expect(parked.status).toBe('waiting');
		const [asked] = itemsOn(parked, 'needsApproval');
		expect(asked.decisions).toMatchObject([
			{ patterns: ['npm run build'], decision: 'approve', decidedBy: 'rule 1' },
		]);
		const [{ question, formUrl }] = parked.items('Approval request');
		expect(question).toMatch(/^Command: «git push» *$/m);
		expect(question).toMatch(/^File: «a․html» *$/m);

		await answerForm(formUrl, ['approve']);

		const execution = await stage.host.waitForExecution(parked.id);
		expect(execution.status).toBe('success');
		expect(execution.items('Result')).toMatchObject([{ text: 'All published.' }]);
		expect(itemsOn(execution, 'completed', 'Continue the session')).toMatchObject([
			{
				decisions: [
					{ permission: 'bash', patterns: ['git push'], decision: 'approve' },
					{ permission: 'edit', patterns: ['a.html'], decision: 'approve' },
				],
			},
		]);
		expect((await getRecord(stage, asked.sessionId)).interactions).toMatchObject([
			{ value: 'once' },
			{ value: 'once' },
			{ value: 'once' },
		]);
	});
});

describe('examples/approval-with-deadline.json', () => {
	const EXAMPLE = 'approval-with-deadline';

	/** The execution when the approver was asked for the nth time */
	const askedAgain = async (id: string, times: number): Promise<Execution> =>
		await eventually(async () => {
			const execution = await stage.host.waitForExecution(id, { until: 'waiting' });
			return execution.status !== 'waiting' ||
				execution.runData['Approval request']?.length === times
				? execution
				: undefined;
		});

	test('aborts the session if nobody answers in time, and says so', async () => {
		const file = example(EXAMPLE, { 'Ask a human': { resumeAmount: 1, resumeUnit: 'seconds' } });
		const parked = await play(stage, file, 'waiting');
		expect(parked.status).toBe('waiting');
		const [{ sessionId, dashboardUrl }] = itemsOn(parked, 'needsApproval');
		expect(await getRecord(stage, sessionId)).toMatchObject({
			status: 'running',
			aborted: false,
		});

		const execution = await stage.host.waitForExecution(parked.id);

		expect(execution.status).toBe('success');
		const [said] = execution.items('Nobody answered');
		expect(said.dashboardUrl).toBe(dashboardUrl);
		expect(said.text).toMatch(
			/^Nobody answered in time, so the session was aborted. It had asked:\n/,
		);
		expect(said.text).toMatch(/^Command: «git push» *$/m);
		expect(said.text).toMatch(/^File: «index․html» *$/m);
		expect(execution.items('Result')).toEqual([]);
		const record = await getRecord(stage, sessionId);
		expect(record).toMatchObject({ status: 'failed', aborted: true });
		// Nobody approved anything on the approver's behalf.
		expect(record.interactions.map(({ value }: any) => value ?? null)).toEqual([null, null]);
	});

	test('applies an answer only to the requests shown, and asks again about later ones', async () => {
		const prompt =
			'[ask bash: git push, rm -rf tmp/* + edit: a.html] [ask bash: rm -rf tmp/cache] [say Tidied up.]';
		const parked = await play(stage, example(EXAMPLE, { [NODE]: { prompt } }), 'waiting');
		const [{ formUrl, sessionId }] = parked.items('Approval request');

		await answerForm(formUrl, ['approve']);

		const again = await askedAgain(parked.id, 2);
		expect(again.status).toBe('waiting');
		expect(again.items('Approval request')).toMatchObject([
			{ sessionId, question: expect.stringMatching(/^Command: «rm -rf tmp∕cache» *$/m) },
		]);
		await answerForm(again.items('Approval request')[0].formUrl, ['deny']);

		const execution = await stage.host.waitForExecution(parked.id);
		expect(execution.status).toBe('success');
		expect(execution.items('Result')).toHaveLength(1);
		expect(execution.items('Nobody answered')).toEqual([]);
		const record = await getRecord(stage, sessionId);
		expect(record).toMatchObject({ status: 'completed', aborted: false });
		expect(
			record.interactions.map(({ patterns, value }: any) => [patterns.join(', '), value]),
		).toEqual([
			['git push, rm -rf tmp/*', 'once'],
			['a.html', 'once'],
			['rm -rf tmp/cache', 'reject'],
		]);
	});
});

test("the workflow's timeout counts paused time, and leaves the session running (rule 7)", async () => {
	expect((await stage.host.waitForExecution(pausedId)).status).toBe('canceled');
	expect(await sessionsFor(stage, PAUSED)).toMatchObject([{ aborted: false }]);
});
