// A worker of n8n's queue mode that is killed, and what becomes of its executions.
import { beforeAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import {
	hasEnded,
	listExecutions,
	readExecution,
	type Execution,
} from '../../n8n-host/executions.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import {
	agentSession,
	fromList,
	chain,
	createThenContinue,
	describeWith,
	eventually,
	manualTrigger,
	projectId,
	getRecord,
	sessionsFor,
	startedByItself,
	useOwnStage,
	watched,
	withProgress,
	workspaceAutomation,
} from './support.mts';

const describe = describeWith('Redis and PostgreSQL');

describe('a worker killed with -9', () => {
	// So that n8n notices sooner: by default a lost lock takes it a minute and a half to see, and executions without a worker three hours.
	const stage = useOwnStage(
		onSeveralMachines({
			workers: 1,
			env: {
				...WITHOUT_EDITOR,
				QUEUE_WORKER_LOCK_DURATION: '20000',
				QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
				QUEUE_WORKER_STALLED_INTERVAL: '10000',
				N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1', // minutes
			},
		}),
	);
	const prompts = {
		chained: 'Created before. [work 10m] [say Done.]',
		started: 'Started by the node. [work 10m] [say Done.]',
		handedOver: 'Handed over. [work 10m] [say Found again.]',
	};
	const ids = { chained: '', started: '', handedOver: '' };

	/**
	 * The retry of an execution, for one that ends in no time: n8n answers the request for it when it hears that it has ended, and for
	 * that it may start to listen too late.
	 */
	async function retriedAtOnce({ id, workflowId }: Execution): Promise<Execution> {
		const { rest, retry } = stage.host;
		retry(id).catch(() => {}); // cut off at the end, then
		const { id: retried } = await eventually(async () =>
			(await listExecutions(rest, workflowId)).find((one) => one.mode === 'retry' && hasEnded(one)),
		);
		return await readExecution(rest, retried);
	}

	const chained = () =>
		withProgress(
			chain('Create, then continue', [
				manualTrigger(),
				workspaceAutomation('Create', 'agentSession.create', {
					projectId: fromList(projectId),
					prompt: prompts.chained,
				}),
				agentSession({ operation: 'continue', sessionId: '={{ $json.sessionId }}' }),
			]),
		);
	const started = () =>
		withProgress(chain('Single', [manualTrigger(), agentSession({ prompt: prompts.started })]));
	const handedOver = () => createThenContinue(prompts.handedOver);

	beforeAll(async () => {
		const { host } = stage;
		const workflowId = await host.importWorkflow(handedOver());
		ids.chained = await host.run(await host.importWorkflow(chained()));
		ids.started = await host.run(await host.importWorkflow(started()));
		await host.run(workflowId);
		for (const prompt of Object.values(prompts)) await watched(stage, prompt);
		[{ id: ids.handedOver }] = await startedByItself(stage, workflowId);
		const [doomed] = host.workers;
		await host.addWorker();

		await doomed.kill();
	});

	test.each(['started', 'chained'] as const)(
		'has an execution that becomes an error without data, and a retry does nothing (%s)',
		async (which) => {
			const { host } = stage;
			const execution = await eventually(async () => {
				const found = await readExecution(host.rest, ids[which]);
				return found.status === 'error' ? found : undefined;
			});
			expect(execution).toMatchObject({ runData: {}, customData: {} });
			expect(execution.error?.message).toContain('failed to be processed too many times');

			expect(await retriedAtOnce(execution)).toMatchObject({ status: 'error', runData: {} });
			expect(await sessionsFor(stage, prompts[which])).toMatchObject([
				{ status: 'running', aborted: false },
			]);
		},
	);

	test('examples/create-then-continue.json: a retry on another worker waits for the same session', async () => {
		const { host, service } = stage;
		const crashed = await host.waitForExecution(ids.handedOver);
		expect(crashed.status).toBe('crashed');
		const [{ sessionId }] = crashed.items('When called with a session');
		expect(await getRecord(stage, sessionId)).toMatchObject({
			status: 'running',
			aborted: false,
		});

		await service.control.setSpeed(100);
		const retried = await host.retry(ids.handedOver);

		const execution = await host.waitForExecution(retried);
		expect(execution.status).toBe('success');
		expect(execution.items('Result')).toMatchObject([{ text: 'Found again.' }]);
		expect(host.workers[1].executions).toContain(retried);
		expect(await sessionsFor(stage, prompts.handedOver)).toMatchObject([
			{ sessionId, status: 'completed' },
		]);
	});
});
