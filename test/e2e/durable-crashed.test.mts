// n8n killed in the very moment in which it checks a session that it had paused: n8n's result of the execution, with any settings, and what
// continues with it when nobody is there.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { listExecutions, readExecution, type Execution } from '../../n8n-host/executions.mts';
import { call, live, retryKey, single, useKillableStage } from './durable.mts';
import { chain, eventually, example, node, withProgress } from './support.mts';

const stage = useKillableStage();

/** Settings for n8n's saving of execution progress */
const SAVES = ['nothing', 'progress'] as const;
type Saves = (typeof SAVES)[number];

const WORK = '[work 8s] [ask bash: one] [work 5s] [say Done.]';
const getPrompt = (saves: Saves) => `Saved in between: ${saves}. ${WORK}`;
const workflowIds = {} as Record<Saves, string>;
let errorWorkflowId: string;

const getSessions = async (saves: Saves) =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt === getPrompt(saves));

const getExecutions = async (saves: Saves) =>
	await listExecutions(stage.host.rest, workflowIds[saves]);

async function begin(saves: Saves): Promise<void> {
	const file = live(single(saves, getPrompt(saves)), saves);
	file.settings = { ...file.settings, errorWorkflow: errorWorkflowId };
	workflowIds[saves] = await stage.host.importWorkflow(
		saves === 'progress' ? withProgress(file) : file,
	);
	await stage.host.activate(workflowIds[saves]);
	await call(`${stage.host.url}/webhook/${saves}`);
	await eventually(async () => (await getExecutions(saves))[0]?.status === 'waiting');
}

/** Looks are so slow now that n8n is killed in the middle of one. */
async function killDuringLooks(): Promise<void> {
	await stage.service.control.addFaults({
		operationId: 'getAgentSession',
		kind: 'latency',
		ms: 10_000,
		times: SAVES.length,
	});
	await eventually(async () =>
		(await stage.service.control.faults()).every(({ struck }) => struck === SAVES.length),
	);
	await stage.host.kill();
	await stage.service.control.clearFaults();
}

/** examples/retry-crashed.json for this very n8n, every ten seconds: if n8n takes longer than that for one, they pile up. */
async function retryByItself(): Promise<void> {
	await retryKey(stage.host);
	for (const saves of SAVES) {
		const file = example('retry-crashed', {
			'Every 5 minutes': {
				rule: { interval: [{ field: 'cronExpression', expression: '*/10 * * * * *' }] },
			},
		});
		for (const one of file.nodes.filter(({ type }) => type.endsWith('.httpRequest')))
			one.credentials = { n8nApi: { id: null, name: 'n8n account' } };
		const text = JSON.stringify(file)
			.replaceAll('http://localhost:5678', stage.host.url)
			.replace('"workflowId","value":""', `"workflowId","value":"${workflowIds[saves]}"`);
		await stage.host.activate(await stage.host.importWorkflow(JSON.parse(text)));
	}
}

const crashed = {} as Record<Saves, Execution>;
let errorExecutions: object[];

beforeAll(async () => {
	errorWorkflowId = await stage.host.importWorkflow(
		chain('Told of errors', [node('Error', 'n8n-nodes-base.errorTrigger', 1)]),
	);
	await stage.host.activate(errorWorkflowId).catch(() => {});
	for (const saves of SAVES) await begin(saves);
	await killDuringLooks();

	await stage.restart();
	for (const saves of SAVES) {
		const [{ id }] = await getExecutions(saves);
		crashed[saves] = await stage.host.waitForExecution(id);
	}
	errorExecutions = await listExecutions(stage.host.rest, errorWorkflowId);
	await retryByItself();
});

describe.each(SAVES)('n8n killed with -9 during a poll, with saved data: %s', (saves) => {
	test('n8n marks the execution as crashed, and keeps its saved data', () => {
		expect(crashed[saves]).toMatchObject({
			status: 'crashed',
			customData: { sessionId: expect.any(String) },
		});
	});

	test('examples/retry-crashed.json continues the same session automatically', async () => {
		const [retried] = await eventually(async () => {
			const list = (await getExecutions(saves)).filter(({ mode }) => mode === 'retry');
			return list.some(({ status }) => status === 'success') ? list : undefined;
		});
		expect((await readExecution(stage.host.rest, retried.id)).items('Completed')).toMatchObject([
			{ text: 'Done.' },
		]);
		expect(await getSessions(saves)).toMatchObject([
			{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
		]);
		// Each once, however often it has looked since
		expect((await getExecutions(saves)).filter(({ mode }) => mode === 'retry')).toHaveLength(1);
	});
});

test('n8n runs no error workflow for them', () => {
	expect(errorExecutions).toEqual([]);
});
