// n8n killed in mid-session, on one machine, and what its executions do afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { shared } from './shared.mts';
import {
	agentSession,
	byId,
	chain,
	example,
	eventually,
	manualTrigger,
	NODE,
	play,
	projectId,
	recordOf,
	sessionsFor,
	STAGE_TIMEOUT_MS,
	TEST_TIMEOUT_MS,
	useStage,
	watched,
	withProgress,
	workspaceAutomation,
} from './support.mts';

const stage = useStage();

/** As `eventually`, for a wait of a minute that n8n takes up to another minute to see the end of */
const patiently = async <T,>(look: () => Promise<T>) => await eventually(look, 150);

const speed = async (factor: number) =>
	await stage.service.control('POST', '/speed', { speed: factor });

describe('n8n killed with -9', () => {
	/** Its data outlives it. */
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-killed-'));
	const prompts = {
		continued: 'Created before. [work 10m] [say Found again.]',
		started: 'Started by the node. [work 10m] [say Done.]',
	};
	const ids = { parked: '', continued: '', started: '' };
	let host: OwnHost;

	const created = (): WorkflowFile =>
		withProgress(
			chain('Create, then continue', [
				manualTrigger(),
				workspaceAutomation('Create', 'agentSession.create', {
					projectId: byId(projectId),
					prompt: prompts.continued,
				}),
				agentSession({ operation: 'continue', sessionId: '={{ $json.sessionId }}' }),
			]),
		);

	/** Parks for so long that n8n does it in its database, the second time for no longer than it takes to see that there is one. */
	const longSession = (): WorkflowFile => {
		// Longer than half of Max Wait: each look polls twice, and what is asked in between takes another look.
		const options = { pollInterval: 5, maxWait: 0.1 };
		return example('long-session', {
			[NODE]: { options },
			// n8n compares 65 s with what is left of the wait when it looks, some milliseconds later.
			Wait: { amount: '={{ $runIndex === 0 ? 70 : 1 }}', unit: 'seconds' },
			'Look again': { options },
		});
	};

	beforeAll(async () => {
		const { packageDir } = shared();
		host = await startHost({ packageDir, userFolder });
		await importCredential(host, stage.service);
		ids.continued = await host.run(await host.importWorkflow(created()));
		ids.started = await host.run(
			await host.importWorkflow(
				withProgress(chain('Single', [manualTrigger(), agentSession({ prompt: prompts.started })])),
			),
		);
		await Promise.all([watched(stage, prompts.continued), watched(stage, prompts.started)]);
		ids.parked = (await play({ ...stage, host }, longSession(), 'waiting')).id;

		await host.kill();
		host = await startHost({ packageDir, userFolder, login: host.login });
	}, STAGE_TIMEOUT_MS);

	afterAll(async () => {
		await host?.close();
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
			expect(await sessionsFor(stage, record.prompt)).toHaveLength(1);
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
			expect(await sessionsFor(stage, prompts.continued)).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'a session started by the node itself is forgotten: a retry starts another, the first goes on',
		async () => {
			const crashed = await host.waitForExecution(ids.started);
			expect(crashed.status).toBe('crashed');
			expect(crashed.customData).toEqual({});
			const [first] = await sessionsFor(stage, prompts.started);
			expect(first.aborted).toBe(false);

			await speed(100);
			const execution = await host.waitForExecution(await host.retry(ids.started));

			expect(execution.status).toBe('success');
			const [item] = execution.items(NODE);
			expect(item.sessionId).not.toBe(first.sessionId);
			expect(await sessionsFor(stage, prompts.started)).toMatchObject([
				{ sessionId: first.sessionId },
				{ sessionId: item.sessionId },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
