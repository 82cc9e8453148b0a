// Both nodes as tools of n8n's AI Agent, whose model plays a script, in the real n8n against the local mock service.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listExecutions } from '../../n8n-host/executions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import {
	agentSession,
	arrival,
	arrived,
	byId,
	callApi,
	chain,
	eventually,
	manualTrigger,
	node,
	NODE,
	play,
	projectId,
	getRecord,
	testWith,
	useStage,
	workflow,
	workspaceAutomation,
} from './support.mts';
import {
	lastTold,
	startScriptedModel,
	type Script,
	type ScriptedModel,
	type Turn,
} from '../../tools/scriptedModel.mts';

const stage = useStage();
let model: ScriptedModel;
let seed: any;

beforeAll(async () => {
	model = await startScriptedModel();
	await stage.host.importCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'none', url: model.baseUrl },
	});
	await stage.service.control.setSpeed(20);
	seed = await stage.service.control.seed();
});

afterAll(async () => {
	await model?.close();
});

/** The node as n8n turns it into a tool */
const asTool = (tool: WorkflowNode, name: string): WorkflowNode => ({
	...tool,
	id: name,
	name,
	type: `${tool.type}Tool`,
});

/** An AI Agent with these tools */
function agentWith(tools: WorkflowNode[]): WorkflowFile {
	const file = chain('An agent with tools', [
		manualTrigger(),
		node('AI Agent', '@n8n/n8n-nodes-langchain.agent', 3, {
			parameters: { promptType: 'define', text: 'Do it.', options: {} },
		}),
	]);
	const chatModel = node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, {
		parameters: {
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: {},
		},
		credentials: { openAiApi: { id: null, name: 'Scripted model' } },
	});
	const serves = (name: string, type: string) => [
		name,
		{ [type]: [[{ node: 'AI Agent', type, index: 0 }]] },
	];
	return {
		...file,
		nodes: [...file.nodes, chatModel, ...tools],
		connections: {
			...file.connections,
			...Object.fromEntries([
				serves('Model', 'ai_languageModel'),
				...tools.map(({ name }) => serves(name, 'ai_tool')),
			]),
		},
	};
}

async function playScript(script: Script, tools: WorkflowNode[]) {
	model.play(script);
	const execution = await play(stage, agentWith(tools));
	expect(execution.error).toBeUndefined();
	expect(model.told()).toHaveLength(script.length);
	return execution;
}

const getSessions = async (prompt: string) =>
	(await stage.service.sessions()).filter((session) => session.prompt === prompt);

const listTasks = asTool(workspaceAutomation('', 'task.getAll', { limit: 3 }), 'List tasks');
const renameTask = asTool(
	workspaceAutomation('', 'task.update', {
		taskId: byId("={{ $fromAI('taskId', 'The ID of the task') }}"),
		updateFields: { title: "={{ $fromAI('title', 'The new title') }}" },
	}),
	'Rename a task',
);
const runAgent = asTool(
	agentSession({
		prompt: "={{ $fromAI('prompt', 'What the agent should do') }}",
	}),
	'Run an agent',
);
const goOn = asTool(
	agentSession({
		operation: 'continue',
		sessionId: "={{ $fromAI('sessionId') }}",
		permissionPolicy: 'approve',
	}),
	'Go on',
);
const run = (prompt: string): Turn => [{ tool: 'Run_an_agent', with: { prompt } }];

const DID_NOT_FINISH = expect.stringContaining('did not finish within 0.1 minutes and was aborted');

describe("the model's view", () => {
	test('has a tool for each node, with the fields that the model fills in', async () => {
		await playScript(['Nothing to do.'], [listTasks, renameTask, runAgent]);
		const tools = Object.fromEntries(
			model.told()[0].tools.map((tool) => [tool.function.name, tool.function]),
		);
		const text = (description: string) => ({ type: 'string', description });
		expect(tools).toMatchObject({
			List_tasks: { description: 'Get many tasks in Workspace Automation' },
			Rename_a_task: {
				description: 'Update task in Workspace Automation',
				parameters: {
					properties: { taskId: text('The ID of the task'), title: text('The new title') },
					required: ['taskId', 'title'],
				},
			},
			Run_an_agent: {
				description: expect.stringMatching(/agent/),
				parameters: { properties: { prompt: text('What the agent should do') } },
			},
		});
	});
});

describe('Workspace Automation as a tool', () => {
	test("runs the model's call once, and returns the result", async () => {
		const execution = await playScript(
			[
				[{ tool: 'List_tasks', with: {} }],
				(told) => [
					{
						tool: 'Rename_a_task',
						with: { taskId: lastTold(told)[1].id, title: 'Named by a model' },
					},
				],
				(told) => `It is called ${lastTold(told)[0].title} now.`,
			],
			[listTasks, renameTask],
		);

		expect(execution.items('AI Agent')).toEqual([{ output: 'It is called Named by a model now.' }]);
		const [, listed, renamed] = model.told().map(({ messages }) => messages.at(-1)!);
		expect(JSON.parse(listed.content)).toMatchObject(
			seed.tasks.slice(0, 3).map(({ id, title }: any) => ({ id, title })),
		);
		expect(JSON.parse(renamed.content)).toMatchObject([
			{ id: seed.tasks[1].id, title: 'Named by a model' },
		]);
		const updates = (await stage.service.requests()).filter(
			({ method, body }) => method === 'PATCH' && body?.title === 'Named by a model',
		);
		expect(updates).toMatchObject([
			{ path: expect.stringContaining(seed.tasks[1].id), status: 200 },
		]);
	});

	testWith('ClickHouse')(
		'asks analytics with a query of the model, or with a value of the model in a query of yours',
		async () => {
			const freely = asTool(
				workspaceAutomation('', 'analytics.query', {
					query: "{{ $fromAI('query', 'A SELECT statement') }}",
				}),
				'Ask freely',
			);
			const visits = asTool(
				workspaceAutomation('', 'analytics.query', {
					query:
						"SELECT {{ $fromAI('source') }} AS source, count() > 0 AS known FROM daily_namespace_rollups WHERE utm_source = {{ $fromAI('source') }}",
				}),
				'Is known',
			);
			await playScript(
				[
					[{ tool: 'Ask_freely', with: { query: "SELECT 'seven' AS days" } }],
					[{ tool: 'Ask_freely', with: { query: 'DROP TABLE events_computed' } }],
					[{ tool: 'Is_known', with: { source: 'google' } }],
					[{ tool: 'Is_known', with: { source: "' OR 1 = 1 --" } }],
					'Done.',
				],
				[freely, visits],
			);

			const [answered, refused, known, unknown] = model.told().slice(1).map(lastTold);
			expect(answered).toMatchObject([{ days: 'seven' }]);
			expect(refused).toMatchObject([{ error: "'Query' isn't a SELECT or WITH statement" }]);
			expect([known, unknown]).toMatchObject([
				[{ source: 'google', known: 1 }],
				[{ source: "' OR 1 = 1 --", known: 0 }],
			]);
		},
	);

	test('returns the error to the model, and the workflow continues', async () => {
		const taskId = '00000000-0000-4000-8000-000000000000';
		const execution = await playScript(
			[[{ tool: 'Rename_a_task', with: { taskId, title: 'x' } }], 'There is no such task.'],
			[renameTask],
		);
		expect(execution.status).toBe('success');
		expect(lastTold(model.told()[1])).toMatchObject([{ error: "The resource wasn't found" }]);
	});
});

describe('Run Agent Session as a tool', () => {
	test.each([
		['completed', '[work 20s] [say All links work.]', { text: 'All links work.', decisions: [] }],
		[
			'needs_approval',
			'[ask bash: git push] [say Pushed.]',
			{ pendingInteractions: [{ permission: 'bash', patterns: ['git push'] }], decisions: [] },
		],
		['failed', '[work 20s] [fail The build broke.]', { failure: 'The build broke.' }],
	])('returns to the model a session that is %s', async (status, prompt, more) => {
		const execution = await playScript(
			[run(prompt), (told) => `The agent: ${lastTold(told)[0].status}`],
			[runAgent],
		);

		expect(execution.items('AI Agent')).toEqual([{ output: `The agent: ${status}` }]);
		const sessions = await getSessions(prompt);
		expect(sessions).toMatchObject([{ projectId, turns: 1 }]);
		expect(lastTold(model.told()[1])).toMatchObject([
			{ status, sessionId: sessions[0].sessionId, ...more },
		]);
	});

	test('continues a session that needed approval, when the model calls the tool that can approve', async () => {
		const prompt = '[ask bash: git tag] [say Tagged.]';
		await playScript(
			[
				run(prompt),
				(told) => [{ tool: 'Go_on', with: { sessionId: lastTold(told)[0].sessionId } }],
				(told) => lastTold(told)[0].text,
			],
			[runAgent, goOn],
		);
		expect(lastTold(model.told()[2])).toMatchObject([
			{
				status: 'completed',
				text: 'Tagged.',
				decisions: [{ patterns: ['git tag'], decision: 'approve' }],
			},
		]);
		expect(await getSessions(prompt)).toMatchObject([
			{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
		]);
	});

	test.each([
		['aborts the session', 'abort', { error: DID_NOT_FINISH }],
		['lets it run', 'letRun', { status: 'still_running' }],
	])('at Max Wait %s, and tells the model', async (_, onMaxWait, outcome) => {
		const prompt = `[work 10h] At Max Wait: ${onMaxWait}`;
		const parameters = { ...runAgent.parameters, maxWait: 0.05, onMaxWait };
		await playScript([run(prompt), 'It took too long.'], [{ ...runAgent, parameters }]);

		const [{ sessionId, aborted }] = await getSessions(prompt);
		expect(lastTold(model.told()[1])).toMatchObject([{ ...outcome, sessionId }]);
		expect(aborted).toBe(onMaxWait === 'abort');
	});

	test('aborts the session on Stop', async () => {
		const { host } = stage;
		const prompt = '[work 10h]';
		model.play([run(prompt)]);
		const executionId = await host.run(await host.importWorkflow(agentWith([runAgent])));
		const { sessionId } = await eventually(async () =>
			(await getSessions(prompt)).find(({ polls }) => polls > 0),
		);

		await host.stop(executionId);

		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});
});

describe('a workflow with Run Agent Session as a tool', () => {
	/** Returns a tool that calls a workflow in which the agent's input is the prompt. */
	async function callWorkflow(parameters: Record<string, unknown> = {}) {
		const trigger = node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
			parameters: { inputSource: 'passthrough' },
		});
		const session = agentSession({ prompt: '={{ $json.query }}', ...parameters });
		const workflowId = await stage.host.importWorkflow(
			workflow('Called', [trigger, session, arrival('Approver')], {
				Called: [[NODE]],
				[NODE]: [[], ['Approver']],
			}),
		);
		// n8n 2 calls no workflow that isn't published. n8n 1 has nothing there to publish.
		await stage.host.activate(workflowId).catch(() => {});
		const tool = node('Delegate', '@n8n/n8n-nodes-langchain.toolWorkflow', 2.2, {
			parameters: {
				description: 'Runs an agent',
				workflowId: byId(workflowId),
				workflowInputs: { mappingMode: 'defineBelow', value: {} },
			},
		});
		return { workflowId, tool };
	}

	const delegate = (prompt: string): Turn => [{ tool: 'Delegate', with: { input: prompt } }];

	const latestExecution = async (workflowId: string) =>
		(await listExecutions(stage.host.rest, workflowId))[0];

	test('sends a request to the approver, and returns to the model when the session has ended', async () => {
		const { workflowId, tool } = await callWorkflow();
		const prompt = '[ask bash: git fetch] [say Fetched.]';
		const played = playScript([delegate(prompt), (told) => lastTold(told)[0].text], [tool]);
		const { sessionId } = await eventually(async () =>
			(await getSessions(prompt)).find(({ polls }) => polls > 0),
		);
		const { id } = await eventually(
			async () =>
				(await callApi(stage, 'GET', `/agent/sessions/${sessionId}`)).pendingInteractions[0],
		);
		const path = `/agent/sessions/${sessionId}/interactions/${id}/resolve`;
		await callApi(stage, 'POST', path, { type: 'permission', response: 'once' });

		expect((await played).items('AI Agent')).toEqual([{ output: 'Fetched.' }]);
		expect(lastTold(model.told()[1])).toMatchObject([{ status: 'completed', sessionId }]);
		const called = await stage.host.waitForExecution((await latestExecution(workflowId)).id);
		expect(arrived(called, 'Approver')).toMatchObject([
			{ sessionId, pendingInteractions: [{ patterns: ['git fetch'] }] },
		]);
	});

	test('tells the model the error of Max Wait, which aborts the session', async () => {
		const { tool } = await callWorkflow({ maxWait: 0.05 });
		const prompt = '[work 10h] In a workflow, at Max Wait';
		await playScript([delegate(prompt), 'It took too long.'], [tool]);

		expect(model.told()[1].messages.at(-1)!.content).toEqual(DID_NOT_FINISH);
		expect(await getSessions(prompt)).toMatchObject([{ aborted: true }]);
	});

	test("isn't stopped with the agent: Stop of its own execution aborts the session", async () => {
		const { host } = stage;
		const { workflowId, tool } = await callWorkflow();
		const prompt = '[work 10h] In a workflow, stopped';
		model.play([delegate(prompt)]);
		const executionId = await host.run(await host.importWorkflow(agentWith([tool])));
		const { sessionId } = await eventually(async () =>
			(await getSessions(prompt)).find(({ polls }) => polls > 0),
		);

		await host.stop(executionId);
		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		const called = await latestExecution(workflowId);
		expect(called.status).toBe('running');
		expect((await getRecord(stage, sessionId)).aborted).toBe(false);

		await host.stop(called.id);
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});
});
