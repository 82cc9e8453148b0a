// Run Agent Session beside what its pauses are: chats, Stop, timeouts, retries, tracing, and the test of its credential.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import axios from 'axios';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import { MESSAGE, messages, openPage } from './page.mts';
import { around, expectSuccess, pausing, startLive, usePausingStage } from './pausing.mts';
import {
	agentSession,
	arrival,
	arrived,
	chain,
	editFields,
	eventually,
	getRecord,
	manualTrigger,
	node,
	NODE,
	play,
	sessionsFor,
	workflow,
} from './support.mts';

const stage = usePausingStage();

const single = (
	parameters: Record<string, unknown>,
	parts: Partial<WorkflowNode> = {},
	settings: object = {},
): WorkflowFile => {
	const file = chain('Single', [manualTrigger(), agentSession(parameters, parts)]);
	return { ...file, settings: { ...file.settings, ...settings } };
};

/** The session with this prompt, once a node has polled it */
const polled = async (prompt: string): Promise<any> =>
	await eventually(async () => (await sessionsFor(stage, prompt)).find(({ polls }) => polls > 0));

const isAborted = async (sessionId: string): Promise<boolean> =>
	(await getRecord(stage, sessionId)).aborted;

describe('a chat that streams its response', () => {
	test("shows the agent's activity while the node waits, and then its text", async () => {
		const prompt = '[ask bash: npm run build] [idle 2m] [say Built.]';
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
		const chunks = data
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as { type: string; content?: string })
			.filter(({ type }) => type !== 'keepalive');
		expect(chunks.map(({ type }) => type)).toEqual(['begin', 'item', 'item', 'end']);
		expect(chunks.map(({ content }) => content).join('')).toBe('npm run build\n\nBuilt.');
	});
});

describe('Stop', () => {
	test('ends an execution that keeps running, and aborts the session', async () => {
		const { host } = stage;
		const prompt = 'Stopped. [work 10h]';
		const executionId = await host.run(await host.importWorkflow(single({ prompt })));
		const { sessionId } = await polled(prompt);
		await host.stop(executionId);
		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => await isAborted(sessionId));
	});

	test('ends a wake of an execution that pauses, and aborts the session', async () => {
		const { host, service } = stage;
		const requests = Array.from({ length: 30 }, (_, n) => `[ask bash: ${n}] [work 30s]`);
		const prompt = `Stopped in a wake. ${requests.join(' ')}`;
		const { executionId } = await startLive(
			host,
			around('Stopped in a wake', [{ prompt }], pausing()),
		);
		const { sessionId } = await eventually(async () =>
			(await sessionsFor(stage, prompt)).find(({ polls }) => polls > 3),
		);
		await host.stop(executionId);
		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => await isAborted(sessionId));
		expect((await service.sessions()).filter((each) => each.prompt === prompt)).toHaveLength(1);
	});

	test('with Abort on Stop off leaves the session running, and the log of n8n says so', async () => {
		const { host } = stage;
		const prompt = 'Go on without me. [work 10h]';
		const file = single({ prompt, options: { abortOnStop: false } });
		const executionId = await host.run(await host.importWorkflow(file));
		const { sessionId } = await polled(prompt);
		await host.stop(executionId);
		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		const line = `Agent session ${sessionId} is still running, because Abort on Stop is off`;
		await eventually(async () => host.tail().includes(line));
		expect(await isAborted(sessionId)).toBe(false);
	});
});

describe('the timeout of the workflow', () => {
	test('aborts the session of an execution that keeps running, as Stop does', async () => {
		const prompt = 'Too long. [work 10h]';
		const execution = await play(stage, single({ prompt }, {}, { executionTimeout: 60 }));
		expect(execution.status).toBe('canceled');
		const { sessionId } = await polled(prompt);
		await eventually(async () => await isAborted(sessionId));
	});

	test('counts paused time, and leaves the session running, because n8n runs no node', async () => {
		const prompt = 'Paused too long. [work 10h]';
		const file = around('Paused', [{ prompt }], pausing(), { settings: { executionTimeout: 60 } });
		const { executionId } = await startLive(stage.host, file);
		const execution = await stage.host.waitForExecution(executionId);
		expect(execution.status).toBe('canceled');
		const [{ sessionId }] = await sessionsFor(stage, prompt);
		expect(execution.customData).toMatchObject({ sessionId });
		expect(await isAborted(sessionId)).toBe(false);
	});
});

// n8n 1 fails at its own Wait node if it resumes an execution twice, which it doesn't do here.
describe("n8n's Wait node", () => {
	test('behind the node passes each item on once', async () => {
		const list = [1, 8].map((minutes) => ({ prompt: `Waits. [work ${minutes}m] [say Done.]` }));
		const wait = node('Wait', 'n8n-nodes-base.wait', 1.1, {
			parameters: { resume: 'timeInterval', amount: 2, unit: 'minutes' },
			webhookId: 'wait',
		});
		const file = around('Waits', list, pausing(), {
			more: [wait, arrival('Waited')],
			follows: { Completed: [['Wait']], Wait: [['Waited']] },
		});
		const { executionId } = await startLive(stage.host, file);
		const execution = await stage.host.waitForExecution(executionId);
		expectSuccess(execution);
		expect(arrived(execution, 'Waited')).toMatchObject([{ text: 'Done.' }, { text: 'Done.' }]);
	});

	test('behind To Approve waits for an answer elsewhere, which is applied, and the session continues', async () => {
		const prompt = 'Elsewhere. [ask bash: npm publish] [say Went on.]';
		const message = editFields(MESSAGE, {
			url: '={{ $json.approvalUrl }}',
			resume: '={{ $execution.resumeUrl }}',
			sessionId: '={{ $json.sessionId }}',
			pending: '={{ JSON.stringify($json.pendingInteractions) }}',
		});
		const wait = node('Wait', 'n8n-nodes-base.wait', 1.1, {
			parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
			webhookId: 'wait',
		});
		const applies = {
			...pausing({
				operation: 'applyAnswer',
				sessionId: `={{ $('${MESSAGE}').item.json.sessionId }}`,
				answer: 'approve',
				askedInteractions: `={{ $('${MESSAGE}').item.json.pending }}`,
			}),
			id: 'applies',
			name: 'Applies',
		};
		const file = around('Elsewhere', [{ prompt }], pausing({ permissionPolicy: 'ask' }), {
			outputs: [['Completed'], [MESSAGE]],
			more: [message, wait, applies, arrival('Applied')],
			follows: { [MESSAGE]: [['Wait']], Wait: [['Applies']], Applies: [['Applied']] },
		});
		const { executionId } = await startLive(stage.host, file);
		const [sent] = (await messages(stage, executionId)) as any[];
		// n8n asks only the node that has paused.
		expect(await openPage(sent.url)).toMatchObject({ status: 404 });
		expect(await sessionsFor(stage, prompt)).toMatchObject([
			{ interactions: [{ patterns: ['npm publish'] }] },
		]);
		expect((await fetch(sent.resume, { method: 'POST' })).status).toBe(200);
		const execution = await stage.host.waitForExecution(executionId);
		expectSuccess(execution);
		expect(arrived(execution, 'Applied')).toMatchObject([{ decisions: [{ decision: 'approve' }] }]);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Went on.' }]);
		expect(await sessionsFor(stage, prompt)).toMatchObject([{ interactions: [{ value: 'once' }] }]);
	});
});

describe('another try', () => {
	const failsOnce = async () =>
		await stage.service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
			times: 1,
		});

	test.each([
		['as its workflow was', false],
		['with the saved workflow', true],
	])('a retry of the failed execution %s continues its session', async (_, withSavedWorkflow) => {
		const { host } = stage;
		const prompt = `Failed first, ${withSavedWorkflow}. [work 1m] [say Done.]`;
		await failsOnce();
		const { executionId } = await startLive(host, around('Failed', [{ prompt }], pausing()));
		expect((await host.waitForExecution(executionId)).status).toBe('error');
		const execution = await host.waitForExecution(await host.retry(executionId, withSavedWorkflow));
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done.' }]);
		expect(await sessionsFor(stage, prompt)).toHaveLength(1);
	});
});

describe("n8n's tracing", () => {
	test('gets the sessions, their statuses and the number of decisions', async () => {
		const prompts = ['Traced. [ask bash: x] [say One.]', 'Traced. [work 1m] [say Two.]'];
		const list = prompts.map((prompt) => ({ prompt }));
		const { executionId } = await startLive(stage.host, around('Traced', list, pausing()));
		const { runData } = await stage.host.waitForExecution(executionId);
		const sessions = await Promise.all(
			prompts.map(async (prompt) => (await sessionsFor(stage, prompt))[0].sessionId),
		);
		// n8n 1 has no tracing, and would save the metadata with the execution.
		expect(runData[NODE][0].metadata?.tracing).toEqual(
			hostVersion() === '1.123'
				? undefined
				: {
						'workspaceAutomation.sessions': sessions.join(),
						'workspaceAutomation.statuses': 'completed,completed',
						'workspaceAutomation.decisions': 1,
					},
		);
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
