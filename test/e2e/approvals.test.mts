// The examples in which people approve in Slack and in the chat, in the real n8n, with the people played on a mock for the channels.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readExecution } from '../../n8n-host/executions.mts';
import { handsOn, withModel } from '../../tools/chatPicture.mts';
import { MODEL, OVER, useAsking, useModel } from './channels/asking.mts';
import { fillExample } from './channels/filledIn.mts';
import { click, openChat } from './channels/people.mts';
import { eventually, itemsOn, NODE, sessionsFor } from './support.mts';

const asking = useAsking();
const { stage, asks, valuesOf, askWith, askingExecutions } = asking;
const model = useModel(asking);

describe('approve-in-slack.json', () => {
	const name = 'approve-in-slack';
	test.each([
		{ approve: true, value: 'once', text: 'The landing page is live.' },
		{ approve: false, value: 'reject', text: expect.stringContaining('not permitted') },
	])(
		'asks in one message, and continues with the answer: $value',
		async ({ approve, value, text }) => {
			const { workflowId, asked } = await askWith(fillExample(name));
			const [{ sessionId }] = asked;
			const message = await asks('git push', 'index.html');
			expect(message.text).toContain(sessionId);

			await click(stage.host, message, approve);

			const [execution] = await askingExecutions(workflowId, 1);
			expect(execution.items('Result')).toMatchObject([{ text }]);
			expect(itemsOn(execution, 'completed', 'Continue the session')[0].decisions).toMatchObject([
				{ decidedBy: 'answer' },
				{ decidedBy: 'answer' },
			]);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', value],
				['index.html', value],
			]);
		},
	);

	test("asks again about a later request, and a second click on the first message doesn't decide it", async () => {
		const prompt = '[ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]';
		const { workflowId, asked } = await askWith(fillExample(name, { [NODE]: { prompt } }));
		const first = await asks('git push');
		expect(first.text).not.toContain('«rm -rf');
		await click(stage.host, first, true);
		const second = await asks('rm -rf tmp');
		expect(second.text).not.toContain('«git push');

		// n8n's answer depends on its version. In each, nothing is approved.
		await click(stage.host, first, true).catch(() => undefined);
		expect((await valuesOf(asked[0].sessionId)).at(-1)).toEqual(['rm -rf tmp', null]);

		await click(stage.host, second, false);
		const executions = await askingExecutions(workflowId, 2);
		expect(executions[1].items('Result')).toHaveLength(1);
		expect(await valuesOf(asked[0].sessionId)).toEqual([
			['git push', 'once'],
			['rm -rf tmp', 'reject'],
		]);
	});
});

describe('approve-in-slack.json, if nobody answers in time', () => {
	test('decides nothing, and asks again', async () => {
		const file = fillExample('approve-in-slack', { 'Ask in Slack': { options: OVER } });
		const { workflowId, asked } = await askWith(file);
		await asks('git push', 'index.html');
		const again = await asks('git push', 'index.html');
		const decided = (await valuesOf(asked[0].sessionId)).map(([, value]: any) => value);
		expect(decided).toEqual([null, null]);
		await click(stage.host, again, true);
		const executions = await askingExecutions(workflowId, 2);
		expect(executions[1].items('Result')).toHaveLength(1);
	});
});

describe('approve-in-chat.json', () => {
	/** Opens the chat and gives the site's agent a job, which has to ask. */
	async function chatAbout(job: string, changes: Record<string, Record<string, unknown>> = {}) {
		model.play(handsOn(job));
		const file = withModel(fillExample('approve-in-chat', changes), MODEL);
		const trigger = file.nodes.find(({ type }) => type.endsWith('chatTrigger'))!;
		trigger.parameters.public = true;
		// Others have the example's own.
		const webhookId = randomUUID();
		trigger.webhookId = webhookId;
		const workflowId = await stage.host.importWorkflow(file);
		await stage.host.activate(workflowId);
		return await openChat(stage.host, webhookId, 'A job, please.', `chat-${webhookId}`);
	}

	const getSession = async (job: string) => (await sessionsFor(stage, job))[0].sessionId;

	test.each([
		{ said: 'Yes.', value: 'once', text: 'The page is live.' },
		{ said: 'no', value: 'reject', text: expect.stringContaining('not permitted') },
	])('asks in the chat, and continues with the answer: $said', async ({ said, value, text }) => {
		const job = `Publish. [ask bash: git push] [say The page is live.] ${said}`;
		const chat = await chatAbout(job);
		expect(await chat.next()).toContain('«git push»');
		chat.say(said);
		expect(await chat.next()).toEqual(text);
		chat.close();
		expect(await valuesOf(await getSession(job))).toEqual([['git push', value]]);
	});

	test('asks again about a later request, and after an unreadable answer', async () => {
		const job = 'Chat. [ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]';
		const chat = await chatAbout(job);
		expect(await chat.next()).toContain('«git push»');
		chat.say('What is that?');
		expect(await chat.next()).toContain("can't be read as approve or deny");
		expect(await chat.next()).toContain('«git push»');
		expect(await valuesOf(await getSession(job))).toEqual([['git push', null]]);
		chat.say('yes');
		expect(await chat.next()).toContain('«rm -rf tmp»');
		chat.say('no');
		expect(await chat.next()).toContain('Tidied up.');
		chat.close();
		expect(await valuesOf(await getSession(job))).toEqual([
			['git push', 'once'],
			['rm -rf tmp', 'reject'],
		]);
	});

	test('decides nothing if nobody answers in time, and asks again', async () => {
		const job = '[ask bash: git push] [say Late.]';
		const chat = await chatAbout(job, { 'Ask in the chat': { options: OVER } });
		expect(await chat.next()).toContain('«git push»');
		// n8n does not show the message of a node again before someone has written.
		await eventually(async () => {
			const { runData } = await readExecution(stage.host.rest, chat.executionId);
			return runData['Approval request']?.length > 1;
		});
		expect(await valuesOf(await getSession(job))).toEqual([['git push', null]]);
		chat.say('yes');
		expect(await chat.next()).toBe('Late.');
		chat.close();
	});
});
