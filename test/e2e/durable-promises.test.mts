// n8n killed with -9 and "Retry with currently saved workflow" must not start a session twice, or hang n8n.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { durable, looped, runLive, single, WAITS_FASTER } from './durable.mts';
import { shared } from './shared.mts';
import { CLOSE_TIMEOUT_MS, connect, eventually, NODE, STAGE_TIMEOUT_MS } from './support.mts';

const TIMEOUT_MS = 5 * 60_000;
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-promises-'));
let host: OwnHost;
let service: LocalService;

const start = async (login?: OwnHost['login']) =>
	await startHost({
		packageDir: shared().packageDir,
		userFolder,
		login,
		waitsFaster: WAITS_FASTER,
		env: WITHOUT_EDITOR,
	});

/** Kills n8n with -9 and starts it again. */
async function kill(): Promise<void> {
	await host.kill();
	host = await start(host.login);
	await importCredential(host, service);
}

const retryWithSavedWorkflow = async (id: string): Promise<string> =>
	(await host.rest.post(`/executions/${id}/retry`, { loadWorkflow: true })).id;

/** Makes responses so late that n8n is killed before they arrive, and waits until one is on its way. */
async function slow(operationId: string, ms: number, times: number): Promise<void> {
	await service.control.addFaults({ operationId, kind: 'latency', ms, times });
}

beforeAll(async () => {
	[host, service] = await Promise.all([start(), startLocalService()]);
	await importCredential(host, service);
}, STAGE_TIMEOUT_MS);

afterAll(async () => {
	await Promise.allSettled([host?.close(), service?.close()]);
	rmSync(userFolder, { recursive: true, force: true });
}, CLOSE_TIMEOUT_MS);

test(
	'a retry after a crash during the start of 20 items starts none twice, and names those that may have started',
	async () => {
		const items = Array.from({ length: 20 }, (_, index) => ({
			prompt: `Item ${index} [say Done.]`,
		}));
		await slow('createAgentSession', 700, 0);
		const session = durable({ prompt: '={{ $json.prompt }}' });
		const id = await runLive(
			host,
			looped('Twenty', items, session, {
				wires: connect({ stillRunning: [NODE], completed: ['Completed'] }),
			}),
		);
		await eventually(async () => (await service.sessions()).length >= 7);
		await kill();
		await service.control.clearFaults();
		const { status } = await eventually(async () => {
			const execution = await host.rest.get(`/executions/${id}`);
			return execution.status === 'crashed' && execution;
		});
		expect(status).toBe('crashed');
		const retried = await host.waitForExecution(await host.retry(id), { timeoutMs: TIMEOUT_MS });
		const sessions = await service.sessions();
		const prompts = sessions.map(({ prompt }: { prompt: string }) => prompt);
		expect(new Set(prompts).size).toBe(prompts.length);
		// n8n 2 knows the origin of a retry, n8n 1 that it is one: both report the items that an earlier attempt may have started.
		expect(retried.status).toBe('error');
		expect(retried.error?.message).toBe('The session may have been started');
	},
	TIMEOUT_MS,
);

test(
	'after a crash while a timer wakes the execution, "Retry with currently saved workflow" continues the session, and n8n still runs',
	async () => {
		const prompt = 'Woken [work 15s] [say Done.]';
		const id = await runLive(host, single('Woken', prompt));
		await eventually(async () => (await host.rest.get(`/executions/${id}`)).status === 'waiting');
		await slow('getAgentSession', 12_000, 1);
		await eventually(async () =>
			(await service.control.faults()).every(({ struck }: { struck: number }) => struck > 0),
		);
		await kill();
		await service.control.clearFaults();
		await eventually(async () => (await host.rest.get(`/executions/${id}`)).status === 'crashed');
		const retried = await host.waitForExecution(await retryWithSavedWorkflow(id), {
			timeoutMs: 120_000,
		});
		expect(retried.status).toBe('success');
		expect(retried.items('Completed')).toMatchObject([{ text: 'Done.' }]);
		const sessions = (await service.sessions()).filter(
			(each: { prompt: string }) => each.prompt === prompt,
		);
		expect(sessions).toHaveLength(1);
		expect((await fetch(`${host.url}/healthz`)).ok).toBe(true);
	},
	TIMEOUT_MS,
);
