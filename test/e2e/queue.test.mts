// n8n in queue mode, with a main, two workers, Redis and PostgreSQL. How a worker is killed is in queue-killed.test.mts.
import { expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import {
	hasEnded,
	listExecutions,
	readExecution,
	type Execution,
} from '../../n8n-host/executions.mts';
import type { QueueHost, Worker } from '../../n8n-host/queue.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { onSeveralMachines, type Stage } from '../../tools/demoStage.mts';
import { OUTPUTS } from '../../nodes/RunAgentSession/outputs.ts';
import {
	agentSession,
	arrival,
	byId,
	chain,
	createThenContinue,
	describeWith,
	eventually,
	fromList,
	itemsOn,
	manualTrigger,
	node,
	NODE,
	play,
	projectId,
	getRecord,
	sessionsFor,
	startedByItself,
	useOwnStage,
	watched,
	withProgress,
	workflow,
	workspaceAutomation,
} from './support.mts';

const describe = describeWith('Redis and PostgreSQL');

/** Requests about a session, in order */
const requestsAbout = async ({ service }: Stage, sessionId: string): Promise<string[]> =>
	(await service.requests())
		.filter(({ path }) => path.includes(sessionId))
		.map(({ method, path }) => `${method} ${path.split(sessionId)[1]}`);

const getWorker = ({ host }: Stage<QueueHost>, executionId: string): Worker | undefined =>
	host.workers.find(({ executions }) => executions.includes(executionId));

describe('two workers', () => {
	const stage = useOwnStage(onSeveralMachines({ concurrency: 60, env: WITHOUT_EDITOR }));

	/** Script of a session, and its expected result in n8n and in the service's record */
	interface Kind {
		prompt: string;
		/** Minutes */
		maxWait?: number;
		onMaxWait?: 'abort';
		stop?: true;
		execution: 'success' | 'error' | 'canceled';
		output?: 'Completed' | 'Needs Approval' | 'Still Running';
		session: 'completed' | 'failed' | 'running';
		aborted?: true;
		/** Permissions, and what they were answered with */
		interactions?: string[];
	}

	/** With these rules `git` is approved, `edit` denied and `deploy` left to an approver. */
	const rule = [
		{ permission: 'bash', pattern: 'git *', decision: 'approve' },
		{ permission: 'edit', pattern: '*', decision: 'deny' },
	];
	const KINDS: Kind[] = [
		{
			prompt: '[work 2s] [say Done.]',
			execution: 'success',
			output: 'Completed',
			session: 'completed',
		},
		{
			prompt: '[ask bash: git push] [say Pushed.]',
			execution: 'success',
			output: 'Completed',
			session: 'completed',
			interactions: ['bash once'],
		},
		{
			prompt: '[ask edit: a.html] [say Left as it is.]',
			execution: 'success',
			output: 'Completed',
			session: 'completed',
			interactions: ['edit reject'],
		},
		{
			prompt: '[ask! edit: a.html]',
			execution: 'error',
			session: 'failed',
			interactions: ['edit reject'],
		},
		{ prompt: '[work 1s] [fail Out of disk]', execution: 'error', session: 'failed' },
		{
			prompt: '[ask bash: git pull + deploy: production]',
			execution: 'success',
			output: 'Needs Approval',
			session: 'running',
			interactions: ['bash once', 'deploy -'],
		},
		{
			prompt: '[question Which colour?]',
			execution: 'success',
			output: 'Needs Approval',
			session: 'running',
			interactions: ['undefined -'],
		},
		{
			prompt: '[work 1h]',
			maxWait: 0.2,
			execution: 'success',
			output: 'Still Running',
			session: 'running',
		},
		{
			prompt: '[work 2h]',
			maxWait: 0.2,
			onMaxWait: 'abort',
			execution: 'error',
			session: 'failed',
			aborted: true,
		},
		{ prompt: '[work 3h]', stop: true, execution: 'canceled', session: 'failed', aborted: true },
	];
	const items = Array.from({ length: 100 }, (_, index) => {
		const kind = KINDS[index % KINDS.length];
		return {
			...kind,
			prompt: `Item ${index}. ${kind.prompt}`,
			maxWait: kind.maxWait ?? 5,
			onMaxWait: kind.onMaxWait ?? 'route',
		};
	});

	/** With progress saved, so that n8n tells at once which execution is for which item */
	const hooked = (): WorkflowFile =>
		withProgress(
			workflow(
				'Many',
				[
					node('Webhook', 'n8n-nodes-base.webhook', 2, {
						parameters: {
							httpMethod: 'POST',
							path: 'many',
							responseMode: 'onReceived',
							options: {},
						},
						webhookId: 'many',
					}),
					agentSession({
						prompt: '={{ $json.body.prompt }}',
						permissionPolicy: 'rules',
						permissionRules: { rule },
						defaultDecision: 'ask',
						maxWait: '={{ $json.body.maxWait }}',
						onMaxWait: '={{ $json.body.onMaxWait }}',
						options: { pollInterval: 5 },
					}),
					...Object.values(OUTPUTS).map(arrival),
				],
				{ Webhook: [[NODE]], [NODE]: Object.values(OUTPUTS).map((name) => [name]) },
			),
		);

	/** Result of an item in n8n and in the service */
	async function getOutcome(prompt: string, execution: Execution) {
		const sessions = await sessionsFor(stage, prompt);
		const [session] = sessions;
		const output = Object.values(OUTPUTS).find((name) => execution.items(name).length > 0);
		const [item] = output ? execution.items(output) : [];
		const answered = session.interactions
			.filter(({ value }: any) => value !== undefined)
			.map(({ id, value }: any) => `${id} ${value}`);
		const stopped = execution.status === 'canceled';
		return {
			prompt,
			execution: execution.status,
			output,
			sessions: sessions.length,
			session: session.status,
			aborted: session.aborted || undefined,
			interactions: session.interactions.map(
				({ permission, value }: any) => `${permission} ${value ?? '-'}`,
			),
			// Lines of n8n's log about a session that it didn't stop: its ID, and each decision that the service has carried out.
			named: stopped || JSON.stringify(item ?? execution.error).includes(session.sessionId),
			foundByIt: stopped || Object.values(execution.customData).includes(session.sessionId),
			decisions: item
				? item.decisions.map(({ interactionId, option }: any) => `${interactionId} ${option}`)
				: answered,
			answered,
		};
	}

	/** Starts an execution for each item, as a service that calls the webhook does. */
	async function startAll(url: string): Promise<void> {
		const start = async (item: object) => {
			const headers = { 'content-type': 'application/json' };
			return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(item) })).status;
		};
		// The webhook is there a few seconds after the activation, and says then that it wants another method. A POST would start an execution.
		await eventually(async () => (await (await fetch(url)).text()).includes('POST'));
		expect(await Promise.all(items.map(start))).toEqual(items.map(() => 200));
	}

	/** The execution of each item, by prompt */
	async function findAll(workflowId: string): Promise<Map<string, string>> {
		const { rest } = stage.host;
		// One that is about to end may be listed twice.
		const started = await eventually(async () => {
			const ids = new Set((await listExecutions(rest, workflowId)).map(({ id }) => id));
			return ids.size >= items.length ? ids : undefined;
		});
		expect([...started]).toHaveLength(items.length);
		const found = new Map<string, string>();
		for (const id of started) {
			const execution = await eventually(async () => {
				const read = await readExecution(rest, id);
				return hasEnded(read) || read.items('Webhook').length > 0 ? read : undefined;
			});
			const [item] = execution.items('Webhook');
			if (!item)
				throw new Error(
					`Execution ${id}, ${execution.status}, has no data: ${JSON.stringify(execution.error)}`,
				);
			found.set(item.body.prompt, id);
		}
		return found;
	}

	test("share 100 executions, and each execution's result matches the service's record", async () => {
		const { host, service } = stage;
		const workflowId = await host.importWorkflow(hooked());
		await host.activate(workflowId);
		await startAll(`${host.url}/webhook/many`);
		const executions = await findAll(workflowId);
		for (const { prompt, stop } of items) {
			if (!stop) continue;
			await watched(stage, prompt);
			await host.stop(executions.get(prompt)!);
		}
		await eventually(async () => (await listExecutions(host.rest, workflowId)).every(hasEnded));
		await eventually(
			async () =>
				(await service.sessions()).filter(({ aborted }) => aborted).length ===
				items.filter(({ aborted }) => aborted).length,
		);

		const outcomes = [];
		for (const { prompt } of items)
			outcomes.push(
				await getOutcome(prompt, await readExecution(host.rest, executions.get(prompt)!)),
			);
		const expected = items.map(
			({ prompt, execution, output, session, aborted, interactions = [] }) => ({
				prompt,
				execution,
				output,
				session,
				aborted,
				interactions,
			}),
		);
		expect(outcomes).toMatchObject(
			expected.map((one) => ({ ...one, sessions: 1, named: true, foundByIt: true })),
		);
		expect(outcomes.map(({ decisions }) => decisions)).toEqual(
			outcomes.map(({ answered }) => answered),
		);
		expect(await service.sessions()).toHaveLength(items.length);
		// Each execution ran on one worker, and each worker had a good part of them.
		const ran = host.workers.flatMap((worker) => worker.executions);
		expect([...ran].sort()).toEqual([...executions.values()].sort());
		for (const worker of host.workers)
			expect(worker.executions.length).toBeGreaterThan(items.length / 10);
	});

	test('Stop selected on the main ends the node on its worker and aborts the session', async () => {
		const { host } = stage;
		const prompt = 'Stopped from afar. [work 10m]';
		const executionId = await host.run(
			await host.importWorkflow(chain('Stopped', [manualTrigger(), agentSession({ prompt })])),
		);
		const { sessionId } = await watched(stage, prompt);

		await host.stop(executionId);

		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
		await eventually(async () =>
			getWorker(stage, executionId)?.tail().includes(`Agent session ${sessionId} was aborted`),
		);
		// For as long as it takes another session to be polled twice, nobody asks for this one.
		const other = await play(
			stage,
			chain('Other', [
				manualTrigger(),
				agentSession({ prompt: '[work 6s] [say Done.]', simplify: false }),
			]),
		);
		expect(itemsOn(other, 'completed')[0].pollCount).toBeGreaterThan(1);
		expect((await requestsAbout(stage, sessionId)).at(-1)).toBe('POST /abort');
	});

	test('examples/create-then-continue.json: Stop on the waiting execution aborts the session', async () => {
		const { host } = stage;
		const prompt = 'Stopped. [work 10m]';
		const workflowId = await host.importWorkflow(createThenContinue(prompt));
		const creating = await host.run(workflowId);
		const { sessionId } = await watched(stage, prompt);
		expect((await host.waitForExecution(creating)).status).toBe('success');
		const [{ id }] = await startedByItself(stage, workflowId);

		await host.stop(id);

		expect((await host.waitForExecution(id)).status).toBe('canceled');
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});

	test('keep files in the database, which every worker can read', async () => {
		const text = 'Opened at eight, closed at six.';
		const execution = await play(
			stage,
			chain('A file', [
				manualTrigger(),
				workspaceAutomation('Upload', 'file.create', {
					projectId: fromList(projectId),
					name: 'hours.txt',
					contentSource: 'text',
					text,
				}),
				workspaceAutomation('Download', 'file.getContent', {
					fileId: byId('={{ $json.id }}'),
					outputAs: 'binary',
					binaryPropertyName: 'data',
				}),
			]),
		);

		expect(execution.error).toBeUndefined();
		const [file] = execution.runData.Download[0].data!.main[0]!;
		expect(file).toMatchObject({
			binary: { data: { fileName: 'hours.txt', id: expect.stringMatching(/^database:/) } },
		});
	});
});
