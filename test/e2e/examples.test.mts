// The workflows of examples/ that do a job of their own, as somebody would import them, in the real n8n against the local service. Those
// that show how a session waits for people and outlives n8n are in run-agent-session.test.mts and unattended.test.mts.
import { sendOver } from '../../local-service/control/client.mts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { lastTold, startScriptedModel, type ScriptedModel } from '../../tools/scriptedModel.mts';
import {
	answerForm,
	callApi,
	example,
	eventually,
	play,
	projectId,
	TEST_TIMEOUT_MS,
	useStage,
} from './support.mts';

const stage = useStage();

/** What the service holds at the start, see its control API */
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
}, TEST_TIMEOUT_MS);

const call = async (method: string, path: string, body?: object): Promise<any> =>
	await callApi(stage, method, path, body);

const requestsTo = async (method: string, path: RegExp) =>
	(await stage.service.requests()).filter(
		(request) => request.method === method && path.test(request.path),
	);

/** The execution of a workflow that something outside has started */
async function startedExecution(workflowId: string): Promise<Execution> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { id } = await eventually(
		async () => (await stage.host.rest.get(`/executions?filter=${filter}`)).results[0],
	);
	return await stage.host.waitForExecution(id);
}

describe('nightly-content-check.json', () => {
	const EXAMPLE = 'nightly-content-check';

	/** What was saved in the project that keeps the reports */
	async function savedReports(): Promise<string[]> {
		const files = (await control('GET', '/seed')).files.filter(({ name }: any) =>
			name.startsWith('content-check '),
		);
		return await Promise.all(
			files.map(async ({ id }: any) => (await call('GET', `/files/${id}/content`)).text),
		);
	}

	test(
		'checks each project once and saves one report of all',
		async () => {
			const execution = await play(stage, example(EXAMPLE));

			expect(execution.error).toBeUndefined();
			expect(execution.status).toBe('success');
			const projects: Array<{ id: string; name: string }> = seed.projects.slice(0, 3);
			const place = (projectId: string) => projects.findIndex(({ id }) => id === projectId);
			// They are started side by side: in which order, the network decides.
			const sessions = (await stage.service.sessions()).toSorted(
				(one, other) => place(one.projectId) - place(other.projectId),
			);
			expect(sessions).toMatchObject(
				projects.map(({ id }) => ({
					projectId: id,
					status: 'completed',
					interactions: [{ value: 'once' }],
				})),
			);
			const [report, ...more] = await savedReports();
			expect(more).toEqual([]);
			expect(report).toMatch(/^# Content check of \d{4}-\d\d-\d\d\n/);
			for (const { name } of projects) expect(report).toContain(`## ${name}\n42 pages read.`);
			expect(report).not.toContain('Not checked');
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'lets the agent change nothing',
		async () => {
			const prompt =
				'[ask edit: index.html + bash: git push] [ask bash: npm run check-links, rm -rf .] [say Left as it was.]';
			const execution = await play(
				stage,
				example(EXAMPLE, { Projects: { limit: 1 }, 'Check the content': { prompt } }),
			);

			expect(execution.status).toBe('success');
			expect(await stage.service.sessions()).toMatchObject([
				{ interactions: [{ value: 'reject' }, { value: 'reject' }, { value: 'reject' }] },
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'goes on with the other projects when one fails, saves the report, and ends with an error that says which',
		async () => {
			await control('POST', '/faults', {
				operationId: 'createAgentSession',
				kind: 'status',
				status: 403,
				after: 1,
			});

			const execution = await play(stage, example(EXAMPLE));

			expect(execution.status).toBe('error');
			expect(execution.lastNodeExecuted).toBe('Tell somebody');
			const [report] = await savedReports();
			expect(execution.error!.message).toBe(report);
			expect(report.match(/42 pages read/g)).toHaveLength(2);
			expect(report).toMatch(/## (Juniper \w+)\nNot checked: \S+/);
			expect(await stage.service.sessions()).toHaveLength(2);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says so too when a session takes too long, and leaves none running',
		async () => {
			const slow = {
				prompt: '[work 10h]',
				options: { pollInterval: 1, maxWait: 0.05, onMaxWait: 'abort' },
			};
			const execution = await play(
				stage,
				example(EXAMPLE, { Projects: { limit: 2 }, 'Check the content': slow }),
			);

			expect(execution.status).toBe('error');
			expect(execution.error!.message.match(/Not checked/g)).toHaveLength(2);
			expect(await stage.service.sessions()).toMatchObject([{ aborted: true }, { aborted: true }]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says so too when a session waits for what no rule can decide',
		async () => {
			const question = { prompt: '[question Which colour?]' };
			const execution = await play(
				stage,
				example(EXAMPLE, { Projects: { limit: 1 }, 'Check the content': question }),
			);

			expect(execution.status).toBe('error');
			const [{ sessionId }] = await stage.service.sessions();
			expect(execution.error!.message).toMatch(
				new RegExp(
					`\nNot checked: the agent asks for something that no rule can decide\.\nhttp.*${sessionId}$`,
				),
			);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'tells the report to somebody when it cannot be saved',
		async () => {
			await control('POST', '/faults', { operationId: 'createFile', kind: 'status', status: 403 });
			const execution = await play(stage, example(EXAMPLE, { Projects: { limit: 1 } }));

			expect(execution.status).toBe('error');
			expect(execution.error!.message).toMatch(
				/^The report was not saved: .+\n\n# Content check of /,
			);
			expect(execution.error!.message).toContain('42 pages read');
		},
		TEST_TIMEOUT_MS,
	);
});

describe('upload-and-use.json', () => {
	const EXAMPLE = 'upload-and-use';
	const brief = () =>
		new File(['# Spring menu\nMatcha and lemonade.'], 'brief.md', { type: 'text/markdown' });

	/** Makes the workflow live and fills in its form. */
	async function send(changes: Parameters<typeof example>[1] = {}): Promise<Execution> {
		const { host } = stage;
		const file = example(EXAMPLE, changes);
		const workflowId = await host.importWorkflow(file);
		await host.activate(workflowId);
		const url = `${host.url}/form/${file.nodes.find(({ type }) => type.endsWith('formTrigger'))!.webhookId}`;
		await eventually(async () => (await fetch(url)).ok);
		await answerForm(url, [brief(), 'Put it on the landing page.']);
		const execution = await startedExecution(workflowId);
		await host.deactivate(workflowId);
		return execution;
	}

	test(
		'saves the uploaded file, and tells the agent to use that very file',
		async () => {
			const execution = await send();

			expect(execution.error).toBeUndefined();
			const [saved] = execution.items('Save the file');
			expect(saved.name).toMatch(/^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d brief\.md$/);
			expect((await call('GET', `/files/${saved.id}/content`)).text).toBe(await brief().text());
			const [session, ...more] = await stage.service.sessions();
			expect(more).toEqual([]);
			expect(session).toMatchObject({
				status: 'completed',
				projectId: saved.projectId,
				interactions: [{ patterns: ['npm run build'], value: 'once' }],
			});
			expect(session.prompt).toContain(`"${saved.name}" (${saved.id})`);
			expect(session.prompt).toContain('Put it on the landing page.');
			expect(execution.items('Result')).toMatchObject([
				{
					file: saved.name,
					text: expect.stringContaining('as the brief wants it'),
					dashboardUrl: expect.stringContaining(session.sessionId),
				},
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says which session waits for a decision, and decides nothing itself',
		async () => {
			const execution = await send({ 'Let the agent use it': { prompt: '[ask bash: git push]' } });

			expect(execution.status).toBe('success');
			const [{ sessionId, interactions }] = await stage.service.sessions();
			expect(execution.items('Look at it')).toMatchObject([
				{
					text: 'The agent waits for a decision.',
					dashboardUrl: expect.stringContaining(sessionId),
				},
			]);
			expect(interactions[0].value).toBeUndefined();
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'starts no agent when the file could not be saved, and says so',
		async () => {
			await control('POST', '/faults', { operationId: 'createFile', kind: 'status', status: 403 });
			const execution = await send();

			expect(execution.status).toBe('error');
			expect(execution.error!.message).toMatch(
				/^The file was not saved, so no agent was started\. \S/,
			);
			expect(await stage.service.sessions()).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says which file and which session when the agent fails',
		async () => {
			const execution = await send({ 'Let the agent use it': { prompt: '[fail Out of disk]' } });

			expect(execution.status).toBe('error');
			const [{ sessionId }] = await stage.service.sessions();
			expect(execution.error!.message).toMatch(/brief\.md: .*Out of disk/);
			expect(execution.error!.message).toContain(sessionId);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('clean-up-stale-domains.json', () => {
	const EXAMPLE = 'clean-up-stale-domains';

	/** A copy with other settings */
	function withSettings(settings: Record<string, unknown>) {
		const file = example(EXAMPLE);
		const { assignments } = file.nodes.find(({ name }) => name === 'Settings')!.parameters
			.assignments;
		for (const [name, value] of Object.entries(settings))
			assignments.find((one: { name: string }) => one.name === name).value = value;
		return file;
	}
	const domainsOf = async (): Promise<string[]> =>
		(await control('GET', '/seed')).domains.map(({ domain }: any) => domain);
	/** The stale ones of the two sites that the example names */
	const STALE = ['old.juniper-coffee.example', 'old.juniper-coffee-shop.example'];

	test(
		'deletes nothing as it comes, and says what it would delete',
		async () => {
			const execution = await play(stage, example(EXAMPLE));

			expect(execution.error).toBeUndefined();
			expect(execution.items('Report')).toEqual([
				{ text: STALE.map((domain) => `would be deleted: ${domain}`).join('\n'), open: 0 },
			]);
			expect(await requestsTo('DELETE', /./)).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'deletes the stale domains of these sites and no others, once it may',
		async () => {
			const before = await domainsOf();
			const execution = await play(stage, withSettings({ reallyDelete: true }));

			expect(execution.error).toBeUndefined();
			expect(execution.items('Report')[0].text).toBe(
				STALE.map((domain) => `deleted: ${domain}`).join('\n'),
			);
			expect(await domainsOf()).toEqual(before.filter((domain) => !STALE.includes(domain)));
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'deletes nothing when there are more than it may delete at once',
		async () => {
			const execution = await play(stage, withSettings({ reallyDelete: true, atMost: 1 }));

			expect(execution.status).toBe('error');
			expect(execution.error!.message).toMatch(/^2 stale domains are more than the 1 /);
			expect(await requestsTo('DELETE', /./)).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'does the others when one cannot be deleted and a site cannot be listed, and ends with an error that names both',
		async () => {
			const unknown = '00000000-0000-4000-8000-000000000000';
			const [{ siteId }] = seed.domains;
			await control('POST', '/faults', {
				operationId: 'deleteCustomDomain',
				kind: 'status',
				status: 403,
			});
			const execution = await play(
				stage,
				withSettings({ reallyDelete: true, siteIds: [siteId, unknown, seed.sites[1].id] }),
			);

			expect(execution.status).toBe('error');
			const lines = execution.error!.message.split('\n').sort();
			expect(lines).toEqual([
				expect.stringMatching(/^NOT deleted: old\.juniper-coffee(-shop)?\.example: \S/),
				expect.stringMatching(new RegExp(`^NOT looked at: site ${unknown}: \\S`)),
				expect.stringMatching(/^deleted: old\.juniper-coffee(-shop)?\.example$/),
			]);
			expect((await domainsOf()).filter((domain) => STALE.includes(domain))).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('task-maintenance.json', () => {
	const EXAMPLE = 'task-maintenance';
	const updates = async () => await requestsTo('PATCH', /\/tasks\//);

	test(
		'changes nothing when all is well',
		async () => {
			const execution = await play(stage, example(EXAMPLE));
			expect(execution.error).toBeUndefined();
			expect(execution.items('All tasks')).toHaveLength(seed.tasks.length);
			expect(await updates()).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'repairs titles and emojis, leaves everything else, and finds nothing to do the next time',
		async () => {
			const [first, second] = seed.tasks;
			await call('PATCH', `/tasks/${first.id}`, { emoji: '' });
			await call('PATCH', `/tasks/${second.id}`, { title: '  Check   broken links ' });
			await control('DELETE', '/requests');

			const execution = await play(stage, example(EXAMPLE));

			expect(execution.error).toBeUndefined();
			expect(execution.items('Report')).toEqual([
				{ text: `tidied: 📌 ${first.title}\ntidied: 🔗 Check broken links`, open: 0 },
			]);
			expect(await updates()).toHaveLength(2);
			expect((await control('GET', '/seed')).tasks).toEqual(
				seed.tasks.map((task: any) =>
					task.id === second.id ? { ...task, title: 'Check broken links' } : task,
				),
			);
			await play(stage, example(EXAMPLE));
			expect(await updates()).toHaveLength(2);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'leaves what it cannot judge or change to somebody: an error names each task, the others are repaired',
		async () => {
			const [first, second, third] = seed.tasks;
			await call('PATCH', `/tasks/${first.id}`, { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' });
			for (const { id } of [second, third]) await call('PATCH', `/tasks/${id}`, { emoji: '' });
			await control('POST', '/faults', { operationId: 'updateTask', kind: 'status', status: 403 });

			const execution = await play(stage, example(EXAMPLE));

			expect(execution.status).toBe('error');
			expect(execution.error!.message.split('\n').sort()).toEqual([
				expect.stringMatching(/^NOT tidied: .+: \S/),
				`idle: ${first.title} (FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30): it never runs again`,
				expect.stringMatching(/^tidied: 📌 /),
			]);
			expect(
				(await updates()).filter(
					({ path, body }) => path.endsWith(first.id) && body.rrule === undefined,
				),
			).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('product-list.json', () => {
	const EXAMPLE = 'product-list';
	const products = async (): Promise<any[]> =>
		(await call('GET', `/products?projectId=${projectId}&limit=100`)).data;
	const named = async () =>
		Object.fromEntries((await products()).map(({ name, price }) => [name, price]));

	/** Makes the workflow live and uploads a list. */
	async function upload(list: string): Promise<Execution> {
		const { host } = stage;
		const file = example(EXAMPLE);
		const workflowId = await host.importWorkflow(file);
		await host.activate(workflowId);
		const url = `${host.url}/form/${file.nodes.find(({ type }) => type.endsWith('formTrigger'))!.webhookId}`;
		await eventually(async () => (await fetch(url)).ok);
		await answerForm(url, [new File([list], 'list.csv', { type: 'text/csv' })]);
		const execution = await startedExecution(workflowId);
		await host.deactivate(workflowId);
		return execution;
	}

	test(
		'updates what there is, creates what is new, and changes nothing the second time',
		async () => {
			const before = await named();
			const [known] = Object.keys(before);
			const list = `name,price\n${known},31\nHoney oats,7.5\n`;

			const execution = await upload(list);

			expect(execution.error).toBeUndefined();
			expect(execution.items('Report')).toEqual([
				{ text: `updated: ${known}\ncreated: Honey oats`, open: 0 },
			]);
			const after = { ...before, [known]: 31, 'Honey oats': 7.5 };
			expect(await named()).toEqual(after);

			await upload(list);
			expect(await named()).toEqual(after);
			expect(await products()).toHaveLength(Object.keys(after).length);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'creates a product once although the answer is lost, and says which row is in doubt',
		async () => {
			await control('POST', '/faults', { operationId: 'createProduct', kind: 'reset-after' });
			const execution = await upload('name,price\nHoney oats,7.5\nOat bar,2\n');

			expect(execution.status).toBe('error');
			const lines = execution.error!.message.split('\n').sort();
			expect(lines).toEqual([
				expect.stringMatching(/^NOT saved: (Honey oats|Oat bar): It is not known whether/),
				expect.stringMatching(/^created: (Honey oats|Oat bar)$/),
			]);
			const added = (await products()).map(({ name }) => name).filter((name) => /oat/i.test(name));
			expect(added.sort()).toEqual(['Honey oats', 'Oat bar']);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('agent-with-tools.json', () => {
	let model: ScriptedModel;

	beforeAll(async () => {
		model = await startScriptedModel();
		await stage.host.importCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.baseUrl },
		});
	}, TEST_TIMEOUT_MS);
	afterAll(async () => await model?.close());

	/** Says something in the chat and returns the answer. The model is one that plays the script. */
	async function chat(chatInput: string): Promise<{ answer: any; execution: Execution }> {
		const { host } = stage;
		const file = example('agent-with-tools', {
			'When somebody writes': {
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

	test(
		'looks things up, changes a task, and hands a job to the agent of the site',
		async () => {
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

			const { answer, execution } = await chat(
				'Check the links at three, and build the first site.',
			);

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
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'leaves to a human what the rule does not cover: the model only reads what is asked for, and where',
		async () => {
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
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says so when the model fails',
		async () => {
			// A script without turns: the model answers with an error.
			model.play([]);
			const { answer, execution } = await chat('Are you there?');
			expect(execution.status).toBe('success');
			expect(answer.output).toMatch(/^I could not do that: \S/);
		},
		TEST_TIMEOUT_MS,
	);
});
