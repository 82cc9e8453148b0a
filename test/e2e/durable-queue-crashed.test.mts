// n8n's queue mode, when what is killed is the worker that checks a session just then.
import { beforeAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { call, live, retryKey, single, WAITS_FASTER } from './durable.mts';
import {
	agentSession,
	chain,
	describeWith,
	eventually,
	itemsOn,
	node,
	sessionsFor,
	useOwnStage,
} from './support.mts';

const describe = describeWith('Redis and PostgreSQL');

const WORK = '[work 8s] [ask bash: one] [work 8s] [say Done.]';

/** Error workflow that resumes the session of an execution that n8n marked as an error, by its custom data. */
const errorWorkflow = (url: string): WorkflowFile =>
	chain('Goes on', [
		node('Error', 'n8n-nodes-base.errorTrigger', 1),
		node('Execution', 'n8n-nodes-base.httpRequest', 4.2, {
			parameters: {
				url: `=${url}/api/v1/executions/{{ $json.execution.id }}?includeData=true`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'n8nApi',
				options: {},
			},
			credentials: { n8nApi: { id: null, name: 'n8n account' } },
		}),
		agentSession({
			operation: 'continue',
			sessionId: '={{ $json.customData.sessionId }}',
			permissionPolicy: 'approve',
		}),
	]);

describe.each(['worker', 'worker and main'] as const)(
	'in the middle of a poll, killed with -9: %s',
	(what) => {
		// So that n8n notices sooner: by default a lost lock takes it a minute and a half to see, and executions without a worker three hours.
		// Where the main lives it is to notice the lost lock, not which of the two it notices first. Where it starts again it looks for
		// executions without a worker, and calls crashed what pauses just then: so the lock is lost after that.
		const isMainKilled = what === 'worker and main';
		const isOfTwo = hostVersion() !== '1.123';
		const stage = useOwnStage(
			onSeveralMachines({
				workers: 1,
				waitsFaster: WAITS_FASTER,
				env: {
					...WITHOUT_EDITOR,
					QUEUE_WORKER_LOCK_DURATION: isMainKilled ? '45000' : '20000',
					QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
					QUEUE_WORKER_STALLED_INTERVAL: '10000',
					...(isMainKilled && isOfTwo && { N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1' }), // minutes
				},
			}),
		);
		const prompt = `Killed: ${what} ${WORK}`;
		let execution: Execution;
		let errorWorkflowId: string;

		beforeAll(async () => {
			const { host, service } = stage;
			await retryKey(host);
			errorWorkflowId = await host.importWorkflow(errorWorkflow(host.url));
			await host.activate(errorWorkflowId).catch(() => {});
			const file = live(single(what, prompt), 'killed');
			file.settings = { ...file.settings, errorWorkflow: errorWorkflowId };
			const workflowId = await host.importWorkflow(file);
			await host.activate(workflowId);
			await call(`${host.url}/webhook/killed`);
			const { id } = await eventually(async () =>
				(await listExecutions(host.rest, workflowId)).find(({ status }) => status === 'waiting'),
			);
			await service.control.addFaults({
				operationId: 'getAgentSession',
				kind: 'latency',
				ms: 10_000,
				times: 1,
			});
			await eventually(async () => (await service.control.faults())[0].struck > 0);
			if (isMainKilled) await host.kill();
			await host.workers[0].kill();
			await host.addWorker();
			if (isMainKilled) await host.restartMain();
			execution = await host.waitForExecution(id);
		});

		/** The item that the session's outcome has reached, and that there is one session, with each request decided once */
		async function expectOutcome(item: object): Promise<void> {
			expect(item).toMatchObject({ text: 'Done.' });
			expect(await sessionsFor(stage, prompt)).toMatchObject([
				{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
			]);
		}

		const byItself = async () => {
			expect(execution.status).toBe('success');
			await expectOutcome(execution.items('Completed')[0]);
		};
		const byErrorWorkflow = async () => {
			const [{ sessionId }] = await sessionsFor(stage, prompt);
			expect(execution).toMatchObject({ status: 'error', runData: {}, customData: { sessionId } });
			const { id } = await eventually(
				async () => (await listExecutions(stage.host.rest, errorWorkflowId))[0],
			);
			await expectOutcome(itemsOn(await stage.host.waitForExecution(id), 'completed')[0]);
		};
		const byRetry = async () => {
			expect(execution.status).toBe('crashed');
			const { host } = stage;
			const retried = await host.waitForExecution(await host.retry(execution.id));
			await expectOutcome(retried.items('Completed')[0]);
		};

		const [outcome, check] = !isOfTwo
			? (['another worker continues the session automatically', byItself] as const)
			: what === 'worker'
				? ([
						'n8n marks it as an error without data, and an error workflow continues the session by its custom data',
						byErrorWorkflow,
					] as const)
				: (['n8n marks it as crashed, and a retry continues the session', byRetry] as const);
		test(outcome, check);
	},
);
