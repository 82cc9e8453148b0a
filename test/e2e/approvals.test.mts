// The examples in which people approve in their own channels, in the real n8n, with the people played on a stand-in for the channels.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import { readExecution, type Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { CREDENTIAL, importCredentials } from './channels/channelNodes.mts';
import { click, fillIn, openChat } from './channels/people.mts';
import { atHost, links, type Sent } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { handsOn, withModel } from '../../tools/chatPicture.mts';
import {
	lastTold,
	startScriptedModel,
	type Call,
	type Script,
	type ScriptedModel,
} from '../../tools/scriptedModel.mts';
import {
	eventually,
	example,
	NODE,
	recordOf,
	sessionsFor,
	startedByItself,
	TEST_TIMEOUT_MS,
} from './support.mts';

const { stage, channels } = useChannels();

/** n8n looks once a minute for whose time limit is over. */
const OVER_TIMEOUT_MS = 5 * 60_000;
const OVER = {
	limitWaitTime: {
		values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2026-01-01T00:00:00' },
	},
};

beforeAll(async () => await importCredentials(stage.host), TEST_TIMEOUT_MS);

const CREDENTIALS: Record<string, string> = {
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.slackHitlTool': 'slackApi',
	'n8n-nodes-base.gmail': 'gmailOAuth2',
	'n8n-nodes-base.gmailTrigger': 'gmailOAuth2',
};

/** An example as somebody has filled it in: credentials, and the channel in Slack */
function filledIn(
	name: string,
	changes: Record<string, Record<string, unknown>> = {},
): WorkflowFile {
	const file = example(name, changes);
	for (const node of file.nodes) {
		const type = CREDENTIALS[node.type];
		if (type) node.credentials = { [type]: { id: null, name: CREDENTIAL } };
		if (node.parameters.channelId)
			node.parameters.channelId = { mode: 'id', value: 'C012AB3CD', __rl: true };
	}
	return file;
}

let seen = 0;
beforeEach(() => {
	seen = channels.sent().length;
});

/** The message that asks for these patterns, sent since the test began or, the later ones, since the last that was found */
async function asks(...patterns: string[]): Promise<Sent> {
	const found = await channels.message(
		(sent) =>
			channels.sent().indexOf(sent) >= seen &&
			patterns.every((pattern) => sent.text.includes(`«${pattern.replaceAll('.', '․')}»`)),
	);
	seen = channels.sent().indexOf(found) + 1;
	return found;
}

/** The messages that ask for each of these patterns, in whatever order they come */
async function asksForEach(...patterns: string[]): Promise<Sent[]> {
	const from = seen;
	const found: Sent[] = [];
	for (const pattern of patterns) {
		seen = from;
		found.push(await asks(pattern));
	}
	seen = Math.max(...found.map((sent) => channels.sent().indexOf(sent))) + 1;
	return found;
}

const valuesOf = async (sessionId: string) =>
	(await recordOf(stage, sessionId)).interactions.map(({ patterns, value }: any) => [
		patterns.join(),
		value ?? null,
	]);

/** Runs an example until it has asked in other executions. Returns the items that it has asked with. */
async function askWith(file: WorkflowFile) {
	const workflowId = await stage.host.importWorkflow(file);
	// n8n 2 wants a workflow published that is called by others than a person.
	if (hostVersion() === '2.41') await stage.host.activate(workflowId);
	const execution = await stage.host.waitForExecution(await stage.host.run(workflowId));
	expect(execution.error).toBeUndefined();
	return { workflowId, asked: execution.items(NODE, 1) as Array<Record<string, any>> };
}

/** The executions that ask, once there are so many and all have ended, the first first */
async function askingExecutions(workflowId: string, count: number): Promise<Execution[]> {
	const ids = await eventually(async () => {
		// One that is about to end may be listed twice.
		const all = new Set((await startedByItself(stage, workflowId)).map(({ id }) => id));
		return all.size >= count ? [...all].sort((a, b) => Number(a) - Number(b)) : undefined;
	}, 150);
	expect(ids).toHaveLength(count);
	const executions = await Promise.all(
		ids.map(async (id) => await stage.host.waitForExecution(id, { timeoutMs: 150_000 })),
	);
	for (const { error } of executions) expect(error).toBeUndefined();
	return executions;
}

/** Answers in the form that the mail leads to. */
const sendForm: typeof click = async (host, message, approve) =>
	await fillIn(host, message, [approve ? 'Approve' : 'Deny']);

describe.each([
	{ file: 'approve-in-slack.json', name: 'approve-in-slack', answer: click },
	{ file: 'approve-by-mail.json', name: 'approve-by-mail', answer: sendForm },
])('$file', ({ name, answer }) => {
	test.each([
		{ approve: true, value: 'once', text: 'The landing page is live.' },
		{ approve: false, value: 'reject', text: expect.stringContaining('not permitted') },
	])(
		'asks in one message, and goes on with the answer: $value',
		async ({ approve, value, text }) => {
			const { workflowId, asked } = await askWith(filledIn(name));
			const [{ sessionId }] = asked;
			const message = await asks('git push', 'index.html');
			expect(message.text).toContain(sessionId);

			await answer(stage.host, message, approve);

			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Result')).toMatchObject([{ text }]);
			expect(execution.items('Go on with the session')[0].decisions).toMatchObject([
				{ decidedBy: 'answer' },
				{ decidedBy: 'answer' },
			]);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', value],
				['index.html', value],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'asks again for what comes after the first answer, and a second click on the first message decides nothing of it',
		async () => {
			const prompt = '[ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]';
			const { workflowId, asked } = await askWith(filledIn(name, { [NODE]: { prompt } }));
			const first = await asks('git push');
			expect(first.text).not.toContain('«rm -rf');
			await answer(stage.host, first, true);
			const second = await asks('rm -rf tmp');
			expect(second.text).not.toContain('«git push');

			// What n8n answers depends on its version; what counts is that nothing is approved.
			await answer(stage.host, first, true).catch(() => undefined);
			expect((await valuesOf(asked[0].sessionId)).at(-1)).toEqual(['rm -rf tmp', null]);

			await answer(stage.host, second, false);
			const executions = await askingExecutions(workflowId, 2);
			expect(executions[1].items('Result')).toHaveLength(1);
			expect(await valuesOf(asked[0].sessionId)).toEqual([
				['git push', 'once'],
				['rm -rf tmp', 'reject'],
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('approve-in-slack.json, when nobody answers in time', () => {
	test(
		'decides nothing, and asks again',
		async () => {
			const file = filledIn('approve-in-slack', { 'Ask in Slack': { options: OVER } });
			const { workflowId, asked } = await askWith(file);
			await asks('git push', 'index.html');
			const again = await asks('git push', 'index.html');
			const decided = (await valuesOf(asked[0].sessionId)).map(([, value]: any) => value);
			expect(decided).toEqual([null, null]);
			await click(stage.host, again, true);
			const executions = await askingExecutions(workflowId, 2);
			expect(executions[1].items('Result')).toHaveLength(1);
		},
		OVER_TIMEOUT_MS,
	);
});

test(
	'approve-by-mail.json approves nothing for a scanner that opens every link',
	async () => {
		const { workflowId, asked } = await askWith(filledIn('approve-by-mail'));
		const message = await asks('git push', 'index.html');
		const found = links(message);
		expect(found.length).toBeGreaterThan(0);
		for (const method of ['HEAD', 'GET'])
			for (const link of found) await fetch(atHost(link, stage.host.url), { method });
		const untouched = (await valuesOf(asked[0].sessionId)).map(([, value]: any) => value);
		expect(untouched).toEqual([null, null]);
		await sendForm(stage.host, message, false);
		await askingExecutions(workflowId, 1);
	},
	TEST_TIMEOUT_MS,
);

describe('approve-by-mail.json, when nobody answers in time', () => {
	test(
		'aborts the session, and says what it had asked',
		async () => {
			const file = filledIn('approve-by-mail', { 'Ask by mail': { options: OVER } });
			const { workflowId, asked } = await askWith(file);
			const [{ sessionId, dashboardUrl, question }] = asked;
			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Nobody answered')).toEqual([
				{
					text: `Nobody answered in time, so the session was aborted. What was asked:\n${question}`,
					dashboardUrl,
				},
			]);
			expect(execution.items('Result')).toEqual([]);
			const record = await recordOf(stage, sessionId);
			expect(record.aborted).toBe(true);
			expect(record.interactions.map(({ value }: any) => value ?? null)).toEqual([null, null]);
		},
		OVER_TIMEOUT_MS,
	);
});

describe('approve-several.json', () => {
	test(
		'asks for each session in a message of its own, and each answer counts for its session, in whatever order',
		async () => {
			const { workflowId, asked } = await askWith(filledIn('approve-several'));
			const [publish, tidy] = await asksForEach('git push', 'rm -rf drafts');
			await click(stage.host, tidy, false);
			await click(stage.host, publish, true);

			const executions = await askingExecutions(workflowId, 2);
			const results = executions.map((execution) => execution.items('Result')[0].text);
			expect(results).toContain('The landing page is live.');
			expect(results).toContainEqual(expect.stringMatching(/^The blog is tidy\. .*not permitted/));
			expect(await valuesOfEach(asked)).toEqual([
				[['git push', 'once']],
				[['rm -rf drafts', 'reject']],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	const valuesOfEach = async (asked: Array<Record<string, any>>) =>
		await Promise.all(asked.map(async ({ sessionId }) => await valuesOf(sessionId)));
	const withJobs = (...jobs: string[]) => ({ Jobs: { jsonOutput: JSON.stringify({ jobs }) } });

	test(
		'asks again for what comes after the first answer of one session, while the question of the other is open',
		async () => {
			const jobs = withJobs(
				'One. [ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]',
				'Two. [ask bash: git tag] [say Tagged.]',
			);
			const { workflowId, asked } = await askWith(filledIn('approve-several', jobs));
			const [push, tag] = await asksForEach('git push', 'git tag');
			await click(stage.host, push, true);
			const later = await asks('rm -rf tmp');
			expect(later.text).not.toContain('«git push');
			expect(later.text).toContain(asked[0].sessionId);

			// What n8n answers depends on its version; what counts is that nothing is approved.
			await click(stage.host, push, true).catch(() => undefined);
			expect(await valuesOfEach(asked)).toEqual([
				[
					['git push', 'once'],
					['rm -rf tmp', null],
				],
				[['git tag', null]],
			]);

			await click(stage.host, later, false);
			await click(stage.host, tag, true);
			const executions = await askingExecutions(workflowId, 3);
			const results = executions.flatMap((execution) => execution.items('Result'));
			expect(results).toHaveLength(2);
			expect(await valuesOfEach(asked)).toEqual([
				[
					['git push', 'once'],
					['rm -rf tmp', 'reject'],
				],
				[['git tag', 'once']],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'decides nothing when nobody answers in time, and asks again for each session',
		async () => {
			const file = filledIn('approve-several', { 'Ask in Slack': { options: OVER } });
			const { workflowId, asked } = await askWith(file);
			await asksForEach('git push', 'rm -rf drafts');
			const [push, tidy] = await asksForEach('git push', 'rm -rf drafts');
			expect(await valuesOfEach(asked)).toEqual([[['git push', null]], [['rm -rf drafts', null]]]);
			await click(stage.host, push, true);
			await click(stage.host, tidy, false);
			await askingExecutions(workflowId, 4);
			expect(await valuesOfEach(asked)).toEqual([
				[['git push', 'once']],
				[['rm -rf drafts', 'reject']],
			]);
		},
		OVER_TIMEOUT_MS,
	);
});

const MODEL = 'Scripted model';

/** Plays the part of the model in the examples with an AI Agent. */
function useModel(): ScriptedModel {
	const model = {} as ScriptedModel;
	beforeAll(async () => {
		Object.assign(model, await startScriptedModel());
		await stage.host.importCredential({
			name: MODEL,
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.baseUrl },
		});
	}, TEST_TIMEOUT_MS);
	afterAll(async () => await model.close?.());
	return model;
}

const model = useModel();

describe('approve-in-chat.json', () => {
	/** Opens the chat and gives the site's agent a job, which has to ask. */
	async function chatAbout(job: string, changes: Record<string, Record<string, unknown>> = {}) {
		model.play(handsOn(job));
		const file = withModel(filledIn('approve-in-chat', changes), MODEL);
		const trigger = file.nodes.find(({ type }) => type.endsWith('chatTrigger'))!;
		trigger.parameters.public = true;
		// Others have the example's own.
		const webhookId = randomUUID();
		trigger.webhookId = webhookId;
		const workflowId = await stage.host.importWorkflow(file);
		await stage.host.activate(workflowId);
		return await openChat(stage.host, webhookId, 'A job, please.', `chat-${webhookId}`);
	}

	const sessionOf = async (job: string) => (await sessionsFor(stage, job))[0].sessionId;

	test.each([
		{ said: 'Yes.', value: 'once', text: 'The page is live.' },
		{ said: 'no', value: 'reject', text: expect.stringContaining('not permitted') },
	])(
		'asks in the chat, and goes on with the answer: $said',
		async ({ said, value, text }) => {
			const job = `Publish. [ask bash: git push] [say The page is live.] ${said}`;
			const chat = await chatAbout(job);
			expect(await chat.next()).toContain('«git push»');
			chat.say(said);
			expect(await chat.next()).toEqual(text);
			chat.close();
			expect(await valuesOf(await sessionOf(job))).toEqual([['git push', value]]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'asks again for what comes after the first answer, and after an answer that is none',
		async () => {
			const job = 'Chat. [ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]';
			const chat = await chatAbout(job);
			expect(await chat.next()).toContain('«git push»');
			chat.say('What is that?');
			expect(await chat.next()).toContain('cannot be read as yes or no');
			expect(await chat.next()).toContain('«git push»');
			expect(await valuesOf(await sessionOf(job))).toEqual([['git push', null]]);
			chat.say('yes');
			expect(await chat.next()).toContain('«rm -rf tmp»');
			chat.say('no');
			expect(await chat.next()).toContain('Tidied up.');
			chat.close();
			expect(await valuesOf(await sessionOf(job))).toEqual([
				['git push', 'once'],
				['rm -rf tmp', 'reject'],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'decides nothing when nobody answers in time, and asks again',
		async () => {
			const job = '[ask bash: git push] [say Late.]';
			const chat = await chatAbout(job, { 'Ask in the chat': { options: OVER } });
			expect(await chat.next()).toContain('«git push»');
			// n8n does not show the message of a node again before somebody has written.
			await eventually(async () => {
				const { runData } = await readExecution(stage.host.rest, chat.executionId);
				return runData['What is asked']?.length > 1;
			}, 120);
			expect(await valuesOf(await sessionOf(job))).toEqual([['git push', null]]);
			chat.say('yes');
			expect(await chat.next()).toBe('Late.');
			chat.close();
		},
		OVER_TIMEOUT_MS,
	);
});

describe('client-mail.json', () => {
	/** Lets a client write, and the workflow notice it. Returns the workflow. */
	async function clientWrites(text: string, changes: Record<string, Record<string, unknown>> = {}) {
		const id = randomUUID();
		const headers = {
			From: 'Client <client@client.example>',
			To: 'site@agency.example',
			Subject: 'A wish',
			'Message-ID': `<${id}@client.example>`,
		};
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
		channels.receive({
			id,
			threadId: `thread-of-${id}`,
			labelIds: ['INBOX', 'UNREAD'],
			internalDate: String(Date.now()),
			raw: Buffer.from([...lines, '', text].join('\r\n')).toString('base64url'),
			payload: { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) },
		});
		const workflowId = await stage.host.importWorkflow(filledIn('client-mail', changes));
		await stage.host.activate(workflowId);
		return { workflowId, threadId: `thread-of-${id}` };
	}

	/** The message that asks whether this may be sent to the client */
	const maySend = async (text: string): Promise<Sent> =>
		await channels.message(
			(sent) => sent.text.includes('May this be sent') && sent.text.includes(text),
		);

	const replies = (threadId: string) =>
		channels.sent().filter(({ body }) => body?.threadId === threadId);

	test(
		'does what the client asks for, with approvals, and sends the answer with the preview when that is approved',
		async () => {
			const { workflowId, threadId } = await clientWrites(
				'New hours, please. [ask bash: npm run build] [ask bash: git push] [ask bash: git tag] [say We open at nine.]',
			);
			await click(stage.host, await asks('git push'), true);
			await click(stage.host, await asks('git tag'), false);
			const question = await maySend('We open at nine.');
			const [preview] = /http:\/\/127[^\s"]+\/previews\/[\w-]+/.exec(question.text)!;
			expect((await fetch(preview)).status).toBe(200);
			expect(replies(threadId)).toEqual([]);
			await click(stage.host, question, true);

			const executions = await askingExecutions(workflowId, 3);
			await stage.host.deactivate(workflowId);
			expect(executions[2].items('Answer the client')).toHaveLength(1);
			expect(replies(threadId)).toMatchObject([
				{ text: expect.stringContaining('We open at nine.') },
			]);
			expect(replies(threadId)[0].text).toContain(preview);
			expect(replies(threadId)[0].text).toContain('client@client.example');
			const { sessionId } = executions[0].items('What comes next')[0];
			expect(await valuesOf(sessionId)).toEqual([
				['npm run build', 'once'],
				['git push', 'once'],
				['git tag', 'reject'],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test.each([
		{ who: 'somebody declines', options: {} },
		{ who: 'nobody answers in time', options: OVER },
	])(
		'sends nothing when $who',
		async ({ who, options }) => {
			const said = `Said, and ${who}.`;
			const { workflowId, threadId } = await clientWrites(`New hours, please. [say ${said}]`, {
				'May it be sent?': { options },
			});
			const question = await maySend(said);
			if (options !== OVER) await click(stage.host, question, false);
			const [execution] = await askingExecutions(workflowId, 1);
			await stage.host.deactivate(workflowId);
			expect(execution.items('Not sent')).toMatchObject([{ text: said }]);
			expect(replies(threadId)).toEqual([]);
		},
		OVER_TIMEOUT_MS,
	);

	test(
		'decides nothing when nobody answers what the agent asks, and asks again',
		async () => {
			const { workflowId } = await clientWrites('[ask bash: git push] [say Pushed late.]', {
				'Ask in Slack': { options: OVER },
			});
			await asks('git push');
			await click(stage.host, await asks('git push'), true);
			await click(stage.host, await maySend('Pushed late.'), false);
			await askingExecutions(workflowId, 3);
			await stage.host.deactivate(workflowId);
		},
		OVER_TIMEOUT_MS,
	);
});

// n8n 1 has no Human review.
(hostVersion() === '2.41' ? describe : describe.skip)('human-review.json', () => {
	const APPROVE: Call = {
		tool: 'Answer_a_request',
		with: { toolParameters: {}, hitlParameters: {} },
	};
	/** The model wants to approve what it is asked, and says what came of it. */
	const APPROVES: Script = [[APPROVE], 'That was it.'];

	/** Runs the example until the first review. */
	async function untilReview(
		prompt: string,
		script: Script,
		changes: Record<string, Record<string, unknown>> = {},
	) {
		model.play(script);
		const file = withModel(filledIn('human-review', { [NODE]: { prompt }, ...changes }), MODEL);
		const { workflowId, asked } = await askWith(file);
		const [{ sessionId, dashboardUrl, question }] = asked;
		return { workflowId, sessionId, dashboardUrl, question, message: await reviews() };
	}

	/** The message of the review that was sent since the test began, or since the last one that was found */
	async function reviews(): Promise<Sent> {
		const found = await channels.message(
			(sent) => channels.sent().indexOf(sent) >= seen && sent.text.includes('wants to approve'),
		);
		seen = channels.sent().indexOf(found) + 1;
		return found;
	}

	const leftOpen = ({ question, dashboardUrl }: Record<string, string>) => [
		{ text: `Nobody has approved it, so it is still open.\n${question}`, dashboardUrl },
	];

	test(
		'shows what is pending, executes the tool that was approved, and the model gets its result',
		async () => {
			const { workflowId, message, sessionId, dashboardUrl } = await untilReview(
				'[ask bash: git push] [say Reviewed.]',
				APPROVES,
			);
			expect(message.text).toContain(
				`Session: «${sessionId}»  \nRequest 1 of 1  \nPermission: «bash»  \nFor: «git push»`,
			);
			expect(await valuesOf(sessionId)).toEqual([['git push', null]]);
			await click(stage.host, message, true);
			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Result')).toMatchObject([{ text: 'Reviewed.' }]);
			expect(await valuesOf(sessionId)).toEqual([['git push', 'once']]);
			// Not the approval, as in some versions of n8n, but what the tool has returned
			const [, { messages }] = model.told();
			expect(messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1_1' });
			expect(lastTold({ messages, tools: [] })).toMatchObject([
				{ sessionId, dashboardUrl, status: expect.any(String), pendingInteractions: [] },
			]);
			expect(messages.at(-1)!.content).not.toContain('approved');
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'reviews what comes after the first answer in an execution of its own, and a second click on the first message decides nothing of it',
		async () => {
			const { workflowId, message, sessionId } = await untilReview(
				'[ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]',
				[...APPROVES, ...APPROVES],
			);
			expect(message.text).not.toContain('«rm -rf');
			await click(stage.host, message, true);
			const second = await reviews();
			expect(second.text).toContain('For: «rm -rf tmp»');

			// What n8n answers depends on its version; what counts is that nothing is approved.
			await click(stage.host, message, true).catch(() => undefined);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', 'once'],
				['rm -rf tmp', null],
			]);
			await click(stage.host, second, false);
			const executions = await askingExecutions(workflowId, 2);
			expect(executions[1].items('Left open')).toHaveLength(1);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', 'once'],
				['rm -rf tmp', null],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'approves one request in an execution, however often the model asks and the button is pressed',
		async () => {
			const { workflowId, message, sessionId, question, dashboardUrl } = await untilReview(
				'[ask bash: git push + edit: index.html] [say Never.]',
				[[APPROVE], [APPROVE], 'That was it.', 'I am against it.'],
			);
			await click(stage.host, message, true);
			const again = await reviews();
			expect(again.text).toContain('For: «git push»');
			await click(stage.host, message, true);

			const [, second] = await askingExecutions(workflowId, 2);
			expect(question).toContain('«index․html»');
			expect(second.items('Left open')).toMatchObject([
				{ text: expect.stringContaining('«index․html»'), dashboardUrl },
			]);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', 'once'],
				['index.html', null],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'answers nothing when somebody declines, and leaves it open',
		async () => {
			const { workflowId, message, ...asked } = await untilReview(
				'[ask bash: git push] [say Never.]',
				APPROVES,
			);
			await click(stage.host, message, false);
			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Left open')).toEqual(leftOpen(asked));
			expect(await valuesOf(asked.sessionId)).toEqual([['git push', null]]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'answers nothing when nobody reviews it in time, and leaves it open',
		async () => {
			const { workflowId, message, ...asked } = await untilReview(
				'[ask bash: git push] [say Nobody.]',
				APPROVES,
				{ 'Review in Slack': { options: OVER } },
			);
			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Left open')).toEqual(leftOpen(asked));
			expect(await valuesOf(asked.sessionId)).toEqual([['git push', null]]);
		},
		OVER_TIMEOUT_MS,
	);

	test(
		'answers nothing when a model that fills in what it expects is wrong, and tells it',
		async () => {
			const wrong = { ...APPROVE.with, toolParameters: { patterns: '["git push"]' } };
			const { message, sessionId } = await untilReview(
				'[ask bash: git push --force] [say Never.]',
				[[{ ...APPROVE, with: wrong }], 'That was it.', 'I am against it.'],
				{
					'Answer a request': {
						additionalFields: { expectedPatterns: "={{ $fromAI('patterns', 'The patterns') }}" },
					},
					'Review in Slack': {
						message: '=The assistant wants to approve {{ $tool.parameters.patterns }}',
					},
				},
			);
			expect(message.text).toContain('wants to approve ["git push"]');
			await click(stage.host, message, true);
			await eventually(async () => model.told().length >= 2, 60);
			expect(JSON.stringify(model.told()[1].messages.at(-1))).toContain(
				'The pending request is not the expected one',
			);
			expect(await valuesOf(sessionId)).toEqual([['git push --force', null]]);
		},
		TEST_TIMEOUT_MS,
	);
});
