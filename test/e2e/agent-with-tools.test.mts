// The example in which an AI Agent has both nodes as its tools, in the real n8n against the local mock service. The model plays a script.
import { sendOver } from '../../local-service/control/client.mts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { lastTold, startScriptedModel, type ScriptedModel } from '../../tools/scriptedModel.mts';
import { example, eventually, useStage } from './support.mts';

const stage = useStage();

/** Data of the service at the start, see its control API */
let seed: any;

const control = async (
	method: 'GET' | 'POST' | 'DELETE',
	path: string,
	body?: unknown,
): Promise<any> => (await sendOver(stage.service.controlUrl)(method, path, body)).body;

beforeEach(async () => {
	await control('POST', '/reset');
	await control('POST', '/speed', { speed: 20 });
	seed = await control('GET', '/seed');
});

/** The execution of a workflow that something outside has started */
async function startedExecution(workflowId: string): Promise<Execution> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { id } = await eventually(
		async () => (await stage.host.rest.get(`/executions?filter=${filter}`)).results[0],
	);
	return await stage.host.waitForExecution(id);
}

describe('agent-with-tools.json', () => {
	let model: ScriptedModel;

	beforeAll(async () => {
		model = await startScriptedModel();
		await stage.host.importCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.baseUrl },
		});
	});
	afterAll(async () => await model?.close());

	/** Says something in the chat and returns the answer. The model is one that plays the script. */
	async function chat(chatInput: string): Promise<{ answer: any; execution: Execution }> {
		const { host } = stage;
		const file = example('agent-with-tools', {
			'When chat message received': {
				public: true,
				mode: 'webhook',
				options: { responseMode: 'lastNode' },
			},
			'Chat model': { model: { __rl: true, mode: 'id', value: 'scripted' } },
		});
		file.nodes.find(({ name }) => name === 'Chat model')!.credentials = {
			openAiApi: { id: null, name: 'Scripted model' },
		};
		const workflowId = await host.importWorkflow(file);
		await host.activate(workflowId);
		const url = `${host.url}/webhook/${file.nodes.find(({ type }) => type.endsWith('chatTrigger'))!.webhookId}/chat`;
		const body = JSON.stringify({ action: 'sendMessage', sessionId: workflowId, chatInput });
		const answer = await eventually(async () => {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body,
			});
			return response.status === 404 ? undefined : await response.json();
		});
		const execution = await startedExecution(workflowId);
		await host.deactivate(workflowId);
		return { answer, execution };
	}

	test("finds things, changes a task, and gives a task to the site's agent", async () => {
		const [project] = seed.projects;
		model.play([
			[
				{ tool: 'List_projects', with: {} },
				{ tool: 'List_tasks', with: {} },
			],
			[
				{
					tool: 'Change_a_task',
					with: { taskId: seed.tasks[1].id, title: 'Check links', rrule: 'FREQ=DAILY;BYHOUR=3' },
				},
			],
			[{ tool: 'List_files', with: { projectId: project.id } }],
			[
				{
					tool: 'Run_the_site_agent',
					with: {
						projectId: project.id,
						prompt: 'Build it. [ask bash: npm run build] [say Built.]',
					},
				},
			],
			(told) => `The agent says: ${lastTold(told)[0].text}`,
		]);

		const { answer, execution } = await chat('Check the links at three, and build the first site.');

		expect(execution.error).toBeUndefined();
		expect(answer).toEqual({ output: 'The agent says: Built.' });
		const [asked, , , files] = model.told();
		expect(asked.messages).toMatchObject([
			{ role: 'system' },
			{ role: 'user', content: 'Check the links at three, and build the first site.' },
		]);
		expect(lastTold(files)).toContainEqual(
			expect.objectContaining({ projectId: project.id, kind: 'file' }),
		);
		expect((await control('GET', '/seed')).tasks[1]).toMatchObject({
			title: 'Check links',
			prompt: seed.tasks[1].prompt,
		});
		expect(await stage.service.sessions()).toMatchObject([
			{
				projectId: project.id,
				status: 'completed',
				interactions: [{ patterns: ['npm run build'], value: 'once' }],
			},
		]);
	});

	test('leaves requests without a rule to an approver: the model only gets the request and the link', async () => {
		model.play([
			[
				{
					tool: 'Run_the_site_agent',
					with: { projectId: seed.projects[0].id, prompt: '[ask bash: git push] [say Pushed.]' },
				},
			],
			(told) => `${lastTold(told)[0].status}: ${lastTold(told)[0].dashboardUrl}`,
		]);

		const { answer } = await chat('Publish it.');

		const [session] = await stage.service.sessions();
		expect(answer.output).toMatch(new RegExp(`^needs_approval: http.*${session.sessionId}$`));
		expect(session).toMatchObject({
			status: 'running',
			interactions: [{ patterns: ['git push'] }],
		});
		expect(session.interactions[0].value).toBeUndefined();
	});

	test('reports a failure of the model', async () => {
		// A script without turns: the model answers with an error.
		model.play([]);
		const { answer, execution } = await chat('Are you there?');
		expect(execution.status).toBe('success');
		expect(answer.output).toMatch(/^I could not do that: \S/);
	});
});
