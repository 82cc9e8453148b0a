// n8n killed in mid-session, on one machine, and what its executions do afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { shared } from './shared.mts';
import {
	agentSession,
	chain,
	eventually,
	example,
	fromList,
	getRecord,
	itemsOn,
	manualTrigger,
	NODE,
	play,
	projectId,
	sessionsFor,
	useStage,
	watched,
	withProgress,
	workspaceAutomation,
} from './support.mts';

const stage = useStage();

const speed = async (factor: number) => await stage.service.control.setSpeed(factor);

describe('n8n killed with -9', () => {
	/** Its data outlives it. */
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-killed-'));
	const prompts = {
		continued: 'Created before. [work 10m] [say Found again.]',
		started: 'Started by the node. [work 10m] [say Done.]',
		parked: 'Parked by the node. [work 10m] [say 212 pages checked.]',
	};
	const ids = { parked: '', continued: '', started: '' };
	let host: OwnHost;

	const created = (): WorkflowFile =>
		withProgress(
			chain('Create, then continue', [
				manualTrigger(),
				workspaceAutomation('Create', 'agentSession.create', {
					projectId: fromList(projectId),
					prompt: prompts.continued,
				}),
				agentSession({ operation: 'continue', sessionId: '={{ $json.sessionId }}' }),
			]),
		);

	/** At n8n's own pace, which polls after a minute or two. durable-killed.test.mts tests decisions in that time. */
	const longSession = (): WorkflowFile =>
		example('long-session', { [NODE]: { prompt: prompts.parked } });

	beforeAll(async () => {
		const { packageDir } = shared();
		host = await startHost({ packageDir, userFolder, env: WITHOUT_EDITOR });
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
		host = await startHost({
			packageDir,
			userFolder,
			login: host.login,
			env: WITHOUT_EDITOR,
		});
	});

	afterAll(async () => {
		await host?.close();
		rmSync(userFolder, { recursive: true, force: true });
	});

	test('examples/long-session.json: a paused execution resumes automatically until the session has ended', async () => {
		// A new n8n calls it crashed for a moment, until it has seen that it was paused.
		const once = async (until: 'waiting' | 'ended') =>
			await eventually(async () => {
				const execution = await host.waitForExecution(ids.parked, { until });
				return execution.status === 'crashed' ? undefined : execution;
			});
		const [{ sessionId }] = itemsOn(await once('waiting'), 'stillRunning');
		await speed(100);

		const execution = await once('ended');
		expect(execution.status).toBe('success');
		expect(execution.items('Result')).toMatchObject([{ text: '212 pages checked.' }]);
		expect(execution.items('Post the request')).toEqual([]);
		expect(await sessionsFor(stage, prompts.parked)).toMatchObject([
			{ sessionId, status: 'completed', turns: 1 },
		]);
	});

	test('a retry of the execution waits for the session that an earlier node created', async () => {
		const crashed = await host.waitForExecution(ids.continued);
		expect(crashed.status).toBe('crashed');
		expect(crashed.lastNodeExecuted).toBe(NODE);
		const [{ sessionId }] = crashed.items('Create');
		expect(await getRecord(stage, sessionId)).toMatchObject({ aborted: false });

		await speed(100);
		const execution = await host.waitForExecution(await host.retry(ids.continued));

		expect(execution.status).toBe('success');
		expect(itemsOn(execution, 'completed')).toMatchObject([
			{ sessionId, status: 'completed', text: 'Found again.' },
		]);
		expect(await sessionsFor(stage, prompts.continued)).toHaveLength(1);
	});

	test('a retry starts no other session if the node may have started one, and says so', async () => {
		const crashed = await host.waitForExecution(ids.started);
		expect(crashed.status).toBe('crashed');
		expect(crashed.customData).toEqual({});
		const [first] = await sessionsFor(stage, prompts.started);
		expect(first.aborted).toBe(false);

		await speed(100);
		const execution = await host.waitForExecution(await host.retry(ids.started));

		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe('The session may have been started');
		expect(await sessionsFor(stage, prompts.started)).toMatchObject([
			{ sessionId: first.sessionId },
		]);
	});
});
