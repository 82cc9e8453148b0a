// The examples in which a person checks what an agent has done for a client, and at what an AI Agent wants to approve, in the real n8n.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import { withModel } from '../../tools/chatPicture.mts';
import { lastTold, type Call, type Script } from '../../tools/scriptedModel.mts';
import { MODEL, OVER, useAsking, useModel } from './channels/asking.mts';
import { fillExample } from './channels/filledIn.mts';
import { click } from './channels/people.mts';
import type { Sent } from './channels/standIn.mts';
import { eventually, NODE } from './support.mts';

const asking = useAsking();
const { stage, channels, asks, says, valuesOf, askWith, askingExecutions } = asking;
const model = useModel(asking);

describe('client-mail.json', () => {
	/**
	 * Sends an email of a client, and runs the workflow that reads it. Each client has a different
	 * address, so that scheduled executions of earlier workflows don't find the email.
	 */
	async function clientWrites(text: string, changes: Record<string, Record<string, unknown>> = {}) {
		const id = randomUUID();
		const from = `client@${id}.example`;
		const headers = {
			From: `Client <${from}>`,
			To: 'site@agency.example',
			Subject: 'A wish',
			'Message-ID': `<${id}@client.example>`,
		};
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
		channels.receive({
			id,
			from,
			threadId: `thread-of-${id}`,
			labelIds: ['INBOX', 'UNREAD'],
			internalDate: String(Date.now()),
			raw: Buffer.from([...lines, '', text].join('\r\n')).toString('base64url'),
			payload: { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) },
		});
		const search = { filters: { q: `from:${id}.example`, readStatus: 'unread' } };
		const file = fillExample('client-mail', {
			'Get unread emails': search,
			...changes,
		});
		const workflowId = await stage.host.importWorkflow(file);
		// n8n 2 only calls a published workflow. Its next scheduled run is up to a minute away, so this starts one.
		await stage.host.activate(workflowId);
		await stage.host.run(workflowId);
		return { workflowId, threadId: `thread-of-${id}`, from };
	}

	/** The message that asks whether this may be sent to the client */
	const maySend = async (text: string): Promise<Sent> =>
		await channels.message(
			(sent) => sent.text.includes('May this be sent') && sent.text.includes(text),
		);

	const replies = (threadId: string) =>
		channels.sent().filter(({ body }) => body?.threadId === threadId);

	test("runs the client's prompt, with approvals, and sends the answer with the preview after its approval", async () => {
		const { workflowId, threadId, from } = await clientWrites(
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
		expect(replies(threadId)[0].text).toContain(from);
		const { sessionId } = executions[0].items('When called')[0];
		expect(await valuesOf(sessionId)).toEqual([
			['npm run build', 'once'],
			['git push', 'once'],
			['git tag', 'reject'],
		]);
	});

	test.each([
		{ who: 'somebody declines', options: {} },
		{ who: 'nobody answers in time', options: OVER },
	])('sends nothing when $who', async ({ who, options }) => {
		const said = `Said, and ${who}.`;
		const { workflowId, threadId } = await clientWrites(`New hours, please. [say ${said}]`, {
			'Approve the email': { options },
		});
		const question = await maySend(said);
		if (options !== OVER) await click(stage.host, question, false);
		const [execution] = await askingExecutions(workflowId, 1);
		await stage.host.deactivate(workflowId);
		expect(execution.items('Not sent')).toMatchObject([{ text: said }]);
		expect(replies(threadId)).toEqual([]);
	});

	test('decides nothing if nobody answers a request, and asks again', async () => {
		const { workflowId } = await clientWrites('[ask bash: git push] [say Pushed late.]', {
			'Ask in Slack': { options: OVER },
		});
		await asks('git push');
		await click(stage.host, await asks('git push'), true);
		await click(stage.host, await maySend('Pushed late.'), false);
		await askingExecutions(workflowId, 3);
		await stage.host.deactivate(workflowId);
	});
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
		const file = withModel(fillExample('human-review', { [NODE]: { prompt }, ...changes }), MODEL);
		const { workflowId, asked } = await askWith(file);
		const [{ sessionId, dashboardUrl, question }] = asked;
		return { workflowId, sessionId, dashboardUrl, question, message: await reviews() };
	}

	/** The message of the next review */
	const reviews = async (): Promise<Sent> => await says('wants to approve');

	const leftOpen = ({ question, dashboardUrl }: Record<string, string>) => [
		{ text: `Nobody has approved it, so it is still open.\n${question}`, dashboardUrl },
	];

	test('shows the pending request, runs the approved tool, and the model gets its result', async () => {
		const { workflowId, message, sessionId, dashboardUrl } = await untilReview(
			'[ask bash: git push] [say Reviewed.]',
			APPROVES,
		);
		expect(message.text).toContain(
			`Session: «${sessionId}»  \nRequest 1 of 1  \nPermission: «bash»  \nCommand: «git push»`,
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
	});

	test("reviews a later request in its own execution, and a second click on the first message doesn't decide it", async () => {
		const { workflowId, message, sessionId } = await untilReview(
			'[ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]',
			[...APPROVES, ...APPROVES],
		);
		expect(message.text).not.toContain('«rm -rf');
		await click(stage.host, message, true);
		const second = await reviews();
		expect(second.text).toContain('Command: «rm -rf tmp»');

		// n8n's answer depends on its version. In each, nothing is approved.
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
	});

	test('approves one request in an execution, for any number of requests by the model and clicks on the button', async () => {
		const { workflowId, message, sessionId, question, dashboardUrl } = await untilReview(
			'[ask bash: git push + edit: index.html] [say Never.]',
			[[APPROVE], [APPROVE], 'That was it.', 'I am against it.'],
		);
		await click(stage.host, message, true);
		const again = await reviews();
		expect(again.text).toContain('Command: «git push»');
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
	});

	test('answers nothing if the reviewer denies, and leaves the request pending', async () => {
		const { workflowId, message, ...asked } = await untilReview(
			'[ask bash: git push] [say Never.]',
			APPROVES,
		);
		await click(stage.host, message, false);
		const [execution] = await askingExecutions(workflowId, 1);
		expect(execution.items('Left open')).toEqual(leftOpen(asked));
		expect(await valuesOf(asked.sessionId)).toEqual([['git push', null]]);
	});

	test('answers nothing if nobody reviews it in time, and leaves the request pending', async () => {
		const { workflowId, message, ...asked } = await untilReview(
			'[ask bash: git push] [say Nobody.]',
			APPROVES,
			{ 'Review in Slack': { options: OVER } },
		);
		const [execution] = await askingExecutions(workflowId, 1);
		expect(execution.items('Left open')).toEqual(leftOpen(asked));
		expect(await valuesOf(asked.sessionId)).toEqual([['git push', null]]);
	});

	test('answers nothing if a model fills in wrong expectations, and returns the error', async () => {
		const wrong = { ...APPROVE.with, toolParameters: { patterns: '["git push"]' } };
		const { message, sessionId } = await untilReview(
			'[ask bash: git push --force] [say Never.]',
			[[{ ...APPROVE, with: wrong }], 'That was it.', 'I am against it.'],
			{
				'Answer a request': {
					additionalFields: {
						expectedPermission: 'bash',
						expectedPatterns: "={{ $fromAI('patterns', 'The patterns') }}",
					},
				},
				'Review in Slack': {
					message: '=The assistant wants to approve {{ $tool.parameters.patterns }}',
				},
			},
		);
		expect(message.text).toContain('wants to approve ["git push"]');
		await click(stage.host, message, true);
		await eventually(async () => model.told().length >= 2);
		expect(JSON.stringify(model.told()[1].messages.at(-1))).toContain(
			"The pending request isn't the expected one",
		);
		expect(await valuesOf(sessionId)).toEqual([['git push --force', null]]);
	});
});
