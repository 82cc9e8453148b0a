// The package as it would be published, in the real n8n, against the local mock service.
import { beforeAll, describe, expect, test } from '@jest/globals';
import axios from 'axios';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OUTPUTS } from '../../nodes/RunAgentSession/outputs.ts';
import {
	agentSession,
	answerForm,
	arrival,
	connect,
	getDashboard,
	eventually,
	example,
	itemsOn,
	manualTrigger,
	NODE,
	node,
	openForm,
	play,
	getRecord,
	useStage,
	workflow,
} from './support.mts';

const stage = useStage();

beforeAll(async () => {
	await stage.service.control.setSpeed(20);
});

/** Nothing but a start and the node */
const single = (parameters: Record<string, unknown>) =>
	workflow('Single', [manualTrigger(), agentSession(parameters)], { Start: [[NODE]] });

describe('examples/run-agent-session.json', () => {
	test('completes after a rule has approved the request', async () => {
		const execution = await play(stage, example('run-agent-session'));

		expect(execution.status).toBe('success');
		const [item] = itemsOn(execution, 'completed');
		expect(item).toMatchObject({
			status: 'completed',
			text: 'The build passed. The landing page has a new headline and two compressed images.',
			dashboardUrl: expect.stringContaining(item.sessionId),
			decisions: [{ permission: 'bash', patterns: ['npm run build'], decision: 'approve' }],
		});
		expect(item.error).toBeFalsy();
		expect(execution.items('Result')).toEqual([
			{
				text: item.text,
				decisions: 'approve: bash npm run build',
				dashboardUrl: item.dashboardUrl,
			},
		]);
		expect(Object.values(execution.customData)).toEqual(
			expect.arrayContaining([item.sessionId, item.dashboardUrl]),
		);

		const record = await getRecord(stage, item.sessionId);
		expect(record.status).toBe('completed');
		expect(record.interactions).toMatchObject([{ permission: 'bash', value: 'once' }]);
	});
});

describe('a chat that streams its response', () => {
	test("shows the agent's activity while the node waits, and then its text", async () => {
		const prompt = '[ask bash: npm run build] [idle 20s] [say Built.]';
		const webhookId = '5e2b8c1e-6a55-4f4b-9f3c-0b7d2f5c9a11';
		const chat = node('Chat', '@n8n/n8n-nodes-langchain.chatTrigger', 1.3, {
			webhookId,
			parameters: { public: true, options: { responseMode: 'streaming' } },
		});
		const session = agentSession({ prompt, permissionPolicy: 'approve' });
		const file = workflow('Chat', [chat, session], { Chat: [[NODE]] });
		const workflowId = await stage.host.importWorkflow(file);
		await stage.host.activate(workflowId);
		const url = `${stage.host.url}/webhook/${webhookId}/chat`;
		const said = { action: 'sendMessage', sessionId: 'chat', chatInput: 'Build it.' };
		const { data } = await eventually(async () => {
			const response = await axios.post<string>(url, said, { validateStatus: null });
			return response.status === 404 ? undefined : response;
		});
		await stage.host.deactivate(workflowId);
		const chunks = data
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as { type: string; content?: string });
		expect(chunks.map(({ type }) => type)).toEqual(['begin', 'item', 'item', 'end']);
		expect(chunks.map(({ content }) => content).join('')).toBe('npm run build\n\nBuilt.');
	});
});

describe('examples/ask-a-human.json', () => {
	test.each([
		{ answer: 'approve', value: 'once', text: 'The landing page is live.' },
		{ answer: 'deny', value: 'reject', text: expect.stringContaining('not permitted') },
	])(
		'pauses the execution, and continues the same session after the answer $answer',
		async ({ answer, value, text }) => {
			const parked = await play(stage, example('ask-a-human'), 'waiting');

			expect(parked.status).toBe('waiting');
			const [asked] = itemsOn(parked, 'needsApproval');
			expect(asked).toMatchObject({
				pendingInteractions: [{ permission: 'bash', patterns: ['git push'] }],
				decisions: [],
			});
			const [{ question, formUrl }] = parked.items('Approval request');
			expect(question).toMatch(/^Permission: «bash» *\nCommand: «git push» *$/m);
			expect((await getRecord(stage, asked.sessionId)).status).toBe('running');

			await answerForm(formUrl, [answer]);

			const execution = await stage.host.waitForExecution(parked.id);
			expect(execution.status).toBe('success');
			const [item] = itemsOn(execution, 'completed', 'Continue the session');
			expect(item).toMatchObject({
				sessionId: asked.sessionId,
				status: 'completed',
				text,
				decisions: [
					{ permission: 'bash', patterns: ['git push'], decision: answer, decidedBy: 'answer' },
				],
			});
			expect(execution.items('Result')).toHaveLength(1);

			const record = await getRecord(stage, item.sessionId);
			expect(record.status).toBe('completed');
			expect(record.interactions).toMatchObject([{ permission: 'bash', value }]);
		},
	);
});

describe('a form for approvals', () => {
	test('shows text that a request hides in HTML, and the answer approves only this request', async () => {
		const prompt = '[ask bash: git push <!-- && rm -rf / -->] [ask bash: rm -rf /] [say Done.]';
		const parked = await play(stage, example('ask-a-human', { [NODE]: { prompt } }), 'waiting');
		const [{ sessionId, formUrl }] = parked.items('Approval request');
		const form = await (await fetch(formUrl)).text();
		expect(form).toContain('git push ＜!-- ＆＆ rm -rf ∕ --＞');

		await answerForm(formUrl, ['approve']);

		const record = await eventually(async () => {
			const again = await stage.host.waitForExecution(parked.id, { until: 'waiting' });
			const isAsked = again.runData['Approval request']?.length === 2;
			return isAsked ? await getRecord(stage, sessionId) : undefined;
		});
		expect(record.interactions.map(({ value }: any) => value ?? null)).toEqual(['once', null]);
	});

	test.each(['ask-a-human', 'approval-with-deadline'])(
		'that is submitted after another request replaced the shown one approves nothing: %s',
		async (name) => {
			const prompt = '[ask bash: git push] [ask bash: rm -rf /] [say Done.]';
			const parked = await play(stage, example(name, { [NODE]: { prompt } }), 'waiting');
			const [{ sessionId, formUrl }] = parked.items('Approval request');
			const asked = async (times: number) =>
				await eventually(async () => {
					const again = await stage.host.waitForExecution(parked.id, { until: 'waiting' });
					return again.status === 'waiting' && again.runData['Approval request']?.length === times;
				});
			const values = async () =>
				(await getRecord(stage, sessionId)).interactions.map(({ value }: any) => value ?? null);
			const submit = await openForm(formUrl);

			await submit(['approve']);
			await asked(2);
			expect(await values()).toEqual(['once', null]);

			await submit(['approve']);
			await asked(3);
			expect(await values()).toEqual(['once', null]);

			await answerForm(formUrl, ['deny']);
			const execution = await stage.host.waitForExecution(parked.id);
			expect(execution.items('Result')).toHaveLength(1);
			expect(await values()).toEqual(['once', 'reject']);
		},
	);
});

describe('a failed session', () => {
	const prompt = 'Build the site. [work 1s] [fail The build broke.]';

	test('stops the workflow with an error that names the session and its dashboard', async () => {
		const file = workflow(
			'Failing',
			[manualTrigger(), agentSession({ prompt }), arrival('Completed')],
			{ Start: [[NODE]], [NODE]: connect({ completed: ['Completed'] }) },
		);
		const execution = await play(stage, file);

		expect(execution.status).toBe('error');
		expect(execution.lastNodeExecuted).toBe(NODE);
		expect(execution.items('Completed')).toEqual([]);
		const told = `${execution.error?.message}\n${execution.error?.description}`;
		expect(told).toContain('The build broke.');

		const record = (await stage.service.sessions()).at(-1)!;
		expect(record.status).toBe('failed');
		expect(told).toContain(record.sessionId);
		expect(told).toContain(await getDashboard(stage, record.sessionId));
	});

	test('uses the error output if On Error is set to it', async () => {
		const file = workflow(
			'Failing on',
			[
				manualTrigger(),
				agentSession({ prompt }, { onError: 'continueErrorOutput' }),
				...[...Object.values(OUTPUTS), 'Failed'].map(arrival),
			],
			{
				Start: [[NODE]],
				[NODE]: [...Object.values(OUTPUTS), 'Failed'].map((name) => [name]),
			},
		);
		const execution = await play(stage, file);

		expect(execution.status).toBe('success');
		for (const other of Object.values(OUTPUTS)) expect(execution.items(other)).toEqual([]);
		const items = execution.items('Failed');
		expect(items).toHaveLength(1);
		const record = (await stage.service.sessions()).at(-1)!;
		expect(record.status).toBe('failed');
		for (const part of [
			'The build broke.',
			record.sessionId,
			await getDashboard(stage, record.sessionId),
		]) {
			expect(JSON.stringify(items)).toContain(part);
		}
	});
});

describe('Stop', () => {
	test('ends the execution at once and aborts the session', async () => {
		const { host, service } = stage;
		const executionId = await host.run(await host.importWorkflow(single({ prompt: '[work 10h]' })));
		const { sessionId } = await eventually(async () =>
			(await service.sessions()).find(({ prompt, polls }) => prompt === '[work 10h]' && polls > 0),
		);

		await host.stop(executionId);

		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});
});

describe('a retry of the execution', () => {
	test('continues the session that the failed execution started', async () => {
		const { host, service } = stage;
		const prompt = 'Only once. [work 60s] [say Done once.]';
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
		});
		const failed = await play(stage, single({ prompt }));
		expect(failed.status).toBe('error');
		await service.control.clearFaults();

		const execution = await host.waitForExecution(await host.retry(failed.id));

		expect(execution.status).toBe('success');
		const [item] = itemsOn(execution, 'completed');
		expect(item).toMatchObject({ status: 'completed', text: 'Done once.' });
		const records = (await service.sessions()).filter((session) => session.prompt === prompt);
		expect(records).toMatchObject([{ sessionId: item.sessionId, status: 'completed' }]);
	});
});

describe('the credential', () => {
	const data = () => ({
		baseUrl: stage.service.baseUrl,
		accessToken: stage.service.key,
		apiVersion: '2026-10-05',
		overrides: '{}',
	});
	/** The button in the panel of a saved credential in which something was changed */
	const press = async (changes: object = {}) => {
		const saved = await stage.host.importCredential({
			name: 'Tried',
			type: 'workspaceAutomationApi',
			data: data(),
		});
		const credentials = { ...saved, data: { ...data(), ...changes } };
		return await stage.host.rest.post<{ status: string; message: string }>('/credentials/test', {
			credentials,
		});
	};

	test('passes its test with a valid key', async () => {
		expect(await press()).toMatchObject({ status: 'OK' });
	});

	test.each([301, 302, 303, 307, 308])(
		"doesn't follow a redirect (%d) to another origin in its test",
		async (status) => {
			const requests: Array<string | undefined> = [];
			const listen = async (server: Server) => {
				server.listen(0, '127.0.0.1');
				await once(server, 'listening');
				return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
			};
			const elsewhere = createServer(({ headers }, response) => {
				requests.push(headers.authorization);
				response.end('{"data":[]}');
			});
			const location = `${await listen(elsewhere)}/projects`;
			let asked = 0;
			const redirecting = createServer((_, response) => {
				asked++;
				response.writeHead(status, { location }).end();
			});
			const result = await press({ baseUrl: await listen(redirecting) });
			for (const server of [elsewhere, redirecting]) server.close();
			expect(asked).toBe(1);
			expect(result.status).toBe('Error');
			expect(requests).toEqual([]);
		},
	);

	test.each([
		// n8n 1.x loses the answer before it finds the credential's message, and has its own words.
		['a wrong key', { accessToken: 'wa_wrong' }, /^(The API key was refused|Authorization failed)/],
		[
			'a base URL without /v1',
			{ baseUrl: 'http://localhost:4010' },
			/'Base URL' .* doesn't end in \/v1/,
		],
		[
			'overrides that are not JSON',
			{ overrides: '{"cursor"' },
			/'Overrides' isn't a valid JSON object/,
		],
	])('fails its test with %s, and names the cause', async (_, changes, message) => {
		const result = await press(changes);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(JSON.stringify(result)).not.toContain('wa_wrong');
	});
});
