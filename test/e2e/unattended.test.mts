// What happens when nobody watches: timeouts, retries, a human who never answers, sessions of hours, n8n killed in mid-session.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { startHost, type Host } from '../../n8n-host/host.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { credentialName } from '../../tools/demoStage.mts';
import { packedPackage, type PackedPackage } from '../../tools/package.mts';
import {
	agentSession,
	answerForm,
	byId,
	chain,
	changed,
	eventually,
	manualTrigger,
	NODE,
	play,
	projectId,
	recordOf,
	TEST_TIMEOUT_MS,
	useStage,
	workspaceAutomation,
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

const sessionsFor = async (prompt: string): Promise<any[]> =>
	(await stage.service.sessions()).filter((session) => session.prompt === prompt);

/** The session with this prompt, once the node has looked at it */
const watched = async (prompt: string) =>
	await eventually(async () => (await sessionsFor(prompt)).find(({ polls }) => polls > 0));

/** As `eventually`, for a wait of a minute that n8n takes up to another minute to see the end of */
const patiently = async <T,>(look: () => Promise<T>) => await eventually(look, 150);

const requestsTo = async (end: string) =>
	(await stage.service.requests()).filter(
		({ method, path }) => method === 'POST' && path.endsWith(end),
	);

const speed = async (factor: number) =>
	await stage.service.control('POST', '/speed', { speed: factor });

describe('the timeout of the workflow', () => {
	test(
		'aborts the session as Stop does',
		async () => {
			const prompt = 'Too long. [work 10m]';
			const execution = await play(stage, single({ prompt }, {}, { executionTimeout: 8 }));

			expect(execution.status).toBe('canceled');
			const { sessionId } = await watched(prompt);
			await eventually(async () => (await recordOf(stage, sessionId)).aborted);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('Stop with Abort on Stop off', () => {
	test(
		'leaves the session running, and the log of n8n says so',
		async () => {
			const { host } = stage;
			const prompt = 'Go on without me. [work 10m]';
			const options = { pollInterval: 5, maxWait: 2, abortOnStop: false };
			const executionId = await host.run(await host.importWorkflow(single({ prompt, options })));
			const { sessionId } = await watched(prompt);

			await host.stop(executionId);

			expect((await host.waitForExecution(executionId)).status).toBe('canceled');
			await eventually(async () =>
				host.tail().includes(`agent session ${sessionId} goes on, because Abort on Stop is off`),
			);
			expect(await recordOf(stage, sessionId)).toMatchObject({ status: 'running', aborted: false });
			expect(await requestsTo(`/${sessionId}/abort`)).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('Retry On Fail', () => {
	test(
		'goes on with the session that the first try started',
		async () => {
			const prompt = 'Only once, please. [work 8s] [say Done at the second try.]';
			const retrying = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1000 };
			await stage.service.control('POST', '/faults', {
				operationId: 'getAgentSession',
				kind: 'status',
				status: 403,
				after: 1,
				times: 1,
			});

			const execution = await play(stage, single({ prompt }, retrying));

			const { faults } = await stage.service.control('GET', '/faults');
			await stage.service.control('DELETE', '/faults');
			expect(faults).toMatchObject([{ struck: 1 }]);
			expect(execution.status).toBe('success');
			const [item] = execution.items(NODE);
			expect(item).toMatchObject({ status: 'completed', text: 'Done at the second try.' });
			expect(await sessionsFor(prompt)).toMatchObject([
				{ sessionId: item.sessionId, status: 'completed' },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('several requests at once', () => {
	test(
		'are put to the human in one question, and decided by one answer',
		async () => {
			const prompt =
				'[ask bash: npm run build + bash: git push + edit: a.html] [say All published.]';
			const parked = await play(stage, changed('ask-a-human', { [NODE]: { prompt } }), 'waiting');

			expect(parked.status).toBe('waiting');
			const [asked] = parked.items(NODE, 1);
			expect(asked.decisions).toMatchObject([
				{ patterns: ['npm run build'], decision: 'approve', decidedBy: 'rule 1' },
			]);
			const [{ question, formUrl }] = parked.items('What is asked');
			expect(question).toBe(
				'May the agent use bash for git push?\nMay the agent use edit for a.html?',
			);

			await answerForm(formUrl, ['approve']);

			const execution = await stage.host.waitForExecution(parked.id);
			expect(execution.status).toBe('success');
			expect(execution.items('Result')).toMatchObject([{ text: 'All published.' }]);
			expect(execution.items('Go on with the session')).toMatchObject([
				{
					decisions: [
						{ permission: 'bash', patterns: ['git push'], decision: 'approve' },
						{ permission: 'edit', patterns: ['a.html'], decision: 'approve' },
					],
				},
			]);
			expect((await recordOf(stage, asked.sessionId)).interactions).toMatchObject([
				{ value: 'once' },
				{ value: 'once' },
				{ value: 'once' },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('examples/approval-with-deadline.json', () => {
	const EXAMPLE = 'approval-with-deadline';

	/** The execution when the human was asked for the nth time */
	const askedAgain = async (id: string, times: number): Promise<Execution> =>
		await eventually(async () => {
			const execution = await stage.host.waitForExecution(id, { until: 'waiting' });
			return execution.status !== 'waiting' || execution.runData['What is asked']?.length === times
				? execution
				: undefined;
		});

	test(
		'aborts the session when nobody answers in time, and says so',
		async () => {
			const file = changed(EXAMPLE, { 'Ask a human': { resumeAmount: 1, resumeUnit: 'seconds' } });
			const parked = await play(stage, file, 'waiting');
			expect(parked.status).toBe('waiting');
			const [{ sessionId, dashboardUrl }] = parked.items(NODE, 1);
			expect(await recordOf(stage, sessionId)).toMatchObject({ status: 'running', aborted: false });

			const execution = await stage.host.waitForExecution(parked.id);

			expect(execution.status).toBe('success');
			const [said] = execution.items('Nobody answered');
			expect(said.dashboardUrl).toBe(dashboardUrl);
			expect(said.text).toBe(
				'Nobody answered in time, so the session was aborted. It had asked:\nMay the agent use bash for git push?\nMay the agent use edit for index.html?',
			);
			expect(execution.items('Result')).toEqual([]);
			const record = await recordOf(stage, sessionId);
			expect(record).toMatchObject({ status: 'failed', aborted: true });
			// Nobody approved anything on the human's behalf.
			expect(record.interactions.map(({ value }: any) => value ?? null)).toEqual([null, null]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'takes an answer for what was asked only, and asks again for what comes later',
		async () => {
			const prompt =
				'[ask bash: git push, rm -rf tmp/* + edit: a.html] [ask bash: npm run build] [ask bash: rm -rf tmp/cache] [say Tidied up.]';
			const parked = await play(stage, changed(EXAMPLE, { [NODE]: { prompt } }), 'waiting');
			const [{ formUrl, sessionId }] = parked.items('What is asked');

			await answerForm(formUrl, ['approve']);

			const again = await askedAgain(parked.id, 2);
			expect(again.status).toBe('waiting');
			expect(again.items('What is asked')).toMatchObject([
				{ sessionId, question: 'May the agent use bash for rm -rf tmp/cache?' },
			]);
			await answerForm(again.items('What is asked')[0].formUrl, ['deny']);

			const execution = await stage.host.waitForExecution(parked.id);
			expect(execution.status).toBe('success');
			expect(execution.items('Result')).toHaveLength(1);
			expect(execution.items('Nobody answered')).toEqual([]);
			const record = await recordOf(stage, sessionId);
			expect(record).toMatchObject({ status: 'completed', aborted: false });
			expect(
				record.interactions.map(({ patterns, value }: any) => [patterns.join(', '), value]),
			).toEqual([
				['git push, rm -rf tmp/*', 'once'],
				['a.html', 'once'],
				['npm run build', 'once'],
				['rm -rf tmp/cache', 'reject'],
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('n8n killed with -9', () => {
	/** Its data outlives it. */
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-killed-'));
	const prompts = {
		continued: 'Created before. [work 10m] [say Found again.]',
		started: 'Started by the node. [work 10m] [say Done.]',
	};
	const ids = { parked: '', continued: '', started: '' };
	let packed: PackedPackage;
	let host: Host;

	const created = (): WorkflowFile =>
		withSettings(
			chain('Create, then continue', [
				manualTrigger(),
				workspaceAutomation('Create', 'agentSession.create', {
					projectId: byId(projectId),
					prompt: prompts.continued,
				}),
				agentSession({ operation: 'continue', sessionId: '={{ $json.sessionId }}' }),
			]),
			{ saveExecutionProgress: true },
		);

	/** Parks for so long that n8n does it in its database, the second time for no longer than it takes to see that there is one. */
	const longSession = (): WorkflowFile => {
		const options = { pollInterval: 5, maxWait: 0.1 };
		return changed('long-session', {
			[NODE]: { options },
			Wait: { amount: '={{ $runIndex === 0 ? 65 : 1 }}', unit: 'seconds' },
			'Look again': { options },
		});
	};

	beforeAll(async () => {
		const { service } = stage;
		packed = await packedPackage(false);
		host = await startHost({ packageDir: packed.folder, userFolder });
		await host.importCredential({
			name: credentialName,
			type: 'workspaceAutomationApi',
			data: { baseUrl: service.baseUrl, accessToken: service.key, apiVersion: '2026-10-05' },
		});
		ids.continued = await host.run(await host.importWorkflow(created()));
		ids.started = await host.run(
			await host.importWorkflow(
				single({ prompt: prompts.started }, {}, { saveExecutionProgress: true }),
			),
		);
		await Promise.all([watched(prompts.continued), watched(prompts.started)]);
		ids.parked = (await play({ ...stage, host }, longSession(), 'waiting')).id;

		await host.kill();
		host = await startHost({ packageDir: packed.folder, userFolder });
	}, TEST_TIMEOUT_MS);

	afterAll(async () => {
		await host?.close();
		packed?.remove();
		rmSync(userFolder, { recursive: true, force: true });
	}, 30_000);

	// First: it needs the session at its own pace, the others are content with a faster one.
	test(
		'examples/long-session.json: a parked execution goes on by itself, looking again until the session has ended',
		async () => {
			// A new n8n calls it crashed for a moment, until it has seen that it was parked.
			const parked = await eventually(async () => {
				const execution = await host.waitForExecution(ids.parked, { until: 'waiting' });
				return execution.status === 'waiting' ? execution : undefined;
			});
			const [{ sessionId }] = parked.items(NODE, 2);
			expect(parked.runData['Look again']).toBeUndefined();

			// It was still running at the first look. From then on it may hurry: what it asks takes another look all the same.
			const { polls } = await recordOf(stage, sessionId);
			await patiently(async () => (await recordOf(stage, sessionId)).polls > polls);
			await speed(100);

			const execution = await host.waitForExecution(ids.parked);
			expect(execution.status).toBe('success');
			expect(execution.runData['Look again'].length).toBeGreaterThan(1);
			expect(execution.items('Result')).toMatchObject([
				{ text: '212 pages checked, 3 links repaired. The build passed.' },
			]);
			expect(execution.items('Stop and Error')).toEqual([]);
			const record = await recordOf(stage, sessionId);
			expect(record).toMatchObject({
				status: 'completed',
				turns: 1,
				interactions: [{ permission: 'bash', value: 'once' }],
			});
			expect(await sessionsFor(record.prompt)).toHaveLength(1);
		},
		2 * TEST_TIMEOUT_MS,
	);

	test(
		'a session created in a node before is the one that a retry of the execution waits for',
		async () => {
			const crashed = await host.waitForExecution(ids.continued);
			expect(crashed.status).toBe('crashed');
			expect(crashed.lastNodeExecuted).toBe(NODE);
			const [{ sessionId }] = crashed.items('Create');
			expect(await recordOf(stage, sessionId)).toMatchObject({ aborted: false });

			await speed(100);
			const execution = await host.waitForExecution(await host.retry(ids.continued));

			expect(execution.status).toBe('success');
			expect(execution.items(NODE)).toMatchObject([
				{ sessionId, status: 'completed', text: 'Found again.' },
			]);
			expect(await sessionsFor(prompts.continued)).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'a session started by the node itself is forgotten: a retry starts another, the first goes on',
		async () => {
			const crashed = await host.waitForExecution(ids.started);
			expect(crashed.status).toBe('crashed');
			expect(crashed.customData).toEqual({});
			const [first] = await sessionsFor(prompts.started);
			expect(first.aborted).toBe(false);

			await speed(100);
			const execution = await host.waitForExecution(await host.retry(ids.started));

			expect(execution.status).toBe('success');
			const [item] = execution.items(NODE);
			expect(item.sessionId).not.toBe(first.sessionId);
			expect(await sessionsFor(prompts.started)).toMatchObject([
				{ sessionId: first.sessionId },
				{ sessionId: item.sessionId },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
