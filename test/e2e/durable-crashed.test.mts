// n8n killed in the very moment in which it checks a session that it had paused: n8n's result of the execution, with any settings, and what
// continues with it when nobody is there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listExecutions, readExecution, type Execution } from '../../n8n-host/executions.mts';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { importCredential } from '../../tools/demoStage.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { call, live, retryKey, single, WAITS_FASTER } from './durable.mts';
import { shared } from './shared.mts';
import {
	chain,
	CLOSE_TIMEOUT_MS,
	eventually,
	example,
	node,
	STAGE_TIMEOUT_MS,
	TEST_TIMEOUT_MS,
	withProgress,
} from './support.mts';

const userFolder = mkdtempSync(join(tmpdir(), 'n8n-durable-crashed-'));
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

/** Settings for n8n's saving of execution progress */
const SAVES = ['nothing', 'progress'] as const;
type Saves = (typeof SAVES)[number];

const WORK = '[work 8s] [ask bash: one] [work 5s] [say Done.]';
const getPrompt = (saves: Saves) => `Saved in between: ${saves}. ${WORK}`;
const workflowIds = {} as Record<Saves, string>;
let errorWorkflowId: string;

const getSessions = async (saves: Saves) =>
	(await service.sessions()).filter(({ prompt }) => prompt === getPrompt(saves));

const getExecutions = async (saves: Saves) => await listExecutions(host.rest, workflowIds[saves]);

async function begin(saves: Saves): Promise<void> {
	const file = live(single(saves, getPrompt(saves)), saves);
	file.settings = { ...file.settings, errorWorkflow: errorWorkflowId };
	workflowIds[saves] = await host.importWorkflow(saves === 'progress' ? withProgress(file) : file);
	await host.activate(workflowIds[saves]);
	await call(`${host.url}/webhook/${saves}`);
	await eventually(async () => (await getExecutions(saves))[0]?.status === 'waiting');
}

/** Looks are so slow now that n8n is killed in the middle of one. */
async function killDuringLooks(): Promise<void> {
	await service.control.addFaults({
		operationId: 'getAgentSession',
		kind: 'latency',
		ms: 10_000,
		times: SAVES.length,
	});
	await eventually(async () =>
		(await service.control.faults()).every(({ struck }) => struck === SAVES.length),
	);
	await host.kill();
	await service.control.clearFaults();
}

/** examples/retry-crashed.json for this very n8n, every two seconds. */
async function retryByItself(): Promise<void> {
	await retryKey(host);
	for (const saves of SAVES) {
		const file = example('retry-crashed', {
			'Every 5 minutes': {
				rule: { interval: [{ field: 'cronExpression', expression: '*/2 * * * * *' }] },
			},
		});
		for (const one of file.nodes.filter(({ type }) => type.endsWith('.httpRequest')))
			one.credentials = { n8nApi: { id: null, name: 'n8n account' } };
		const text = JSON.stringify(file)
			.replaceAll('http://localhost:5678', host.url)
			.replace('"workflowId","value":""', `"workflowId","value":"${workflowIds[saves]}"`);
		await host.activate(await host.importWorkflow(JSON.parse(text)));
	}
}

const crashed = {} as Record<Saves, Execution>;
let errorExecutions: object[];

beforeAll(async () => {
	[host, service] = await Promise.all([start(), startLocalService()]);
	await importCredential(host, service);
	errorWorkflowId = await host.importWorkflow(
		chain('Told of errors', [node('Error', 'n8n-nodes-base.errorTrigger', 1)]),
	);
	await host.activate(errorWorkflowId).catch(() => {});
	for (const saves of SAVES) await begin(saves);
	await killDuringLooks();

	host = await start(host.login);
	await importCredential(host, service);
	for (const saves of SAVES) {
		const [{ id }] = await getExecutions(saves);
		crashed[saves] = await host.waitForExecution(id);
	}
	errorExecutions = await listExecutions(host.rest, errorWorkflowId);
	await retryByItself();
}, STAGE_TIMEOUT_MS);

afterAll(async () => {
	await Promise.allSettled([host?.close(), service?.close()]);
	rmSync(userFolder, { recursive: true, force: true });
}, CLOSE_TIMEOUT_MS);

describe.each(SAVES)('n8n killed with -9 during a poll, with saved data: %s', (saves) => {
	test('n8n marks the execution as crashed, and keeps its saved data', () => {
		expect(crashed[saves]).toMatchObject({
			status: 'crashed',
			customData: { sessionId: expect.any(String) },
		});
	});

	test(
		'examples/retry-crashed.json continues the same session automatically',
		async () => {
			const [retried] = await eventually(async () => {
				const list = (await getExecutions(saves)).filter(({ mode }) => mode === 'retry');
				return list.some(({ status }) => status === 'success') ? list : undefined;
			}, 120);
			expect((await readExecution(host.rest, retried.id)).items('Completed')).toMatchObject([
				{ text: 'Done.' },
			]);
			expect(await getSessions(saves)).toMatchObject([
				{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
			]);
			// Each once, however often it has looked since
			expect((await getExecutions(saves)).filter(({ mode }) => mode === 'retry')).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);
});

test('n8n runs no error workflow for them', () => {
	expect(errorExecutions).toEqual([]);
});
