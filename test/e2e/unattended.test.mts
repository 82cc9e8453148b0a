// What happens when nobody watches: timeouts, retries, a human who never answers. How n8n is killed in mid-session is in killed.test.mts.
import { describe, expect, test } from '@jest/globals';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import {
	agentSession,
	chain,
	eventually,
	manualTrigger,
	NODE,
	play,
	recordOf,
	sessionsFor,
	TEST_TIMEOUT_MS,
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

describe('the timeout of the workflow', () => {
	test(
		'aborts the session as Stop does',
		async () => {
			const prompt = 'Too long. [work 10m]';
			const execution = await play(stage, single({ prompt }, {}, { executionTimeout: 5 }));

			expect(execution.status).toBe('canceled');
			const { sessionId } = await watched(stage, prompt);
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
			const options = { pollInterval: 1, maxWait: 2, abortOnStop: false };
			const executionId = await host.run(await host.importWorkflow(single({ prompt, options })));
			const { sessionId } = await eventually(async () =>
				(await sessionsFor(stage, prompt)).find(({ status }) => status === 'running'),
			);

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
			const [item] = execution.items(NODE);
			expect(item).toMatchObject({ status: 'completed', text: 'Done at the second try.' });
			expect(await sessionsFor(stage, prompt)).toMatchObject([
				{ sessionId: item.sessionId, status: 'completed' },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
