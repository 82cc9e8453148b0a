// Outputs of n8n's own nodes after an answer in a channel: compares the table of test/support/channelAnswers.mts with the real nodes.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import {
	channelAnswers,
	CHAT_SESSION,
	COMMENT,
	getName,
	question,
	TIME,
	type ChannelAnswer,
} from '../support/channelAnswers.mts';
import { asking, importCredentials } from './channels/channelNodes.mts';
import { useChannels } from './channels/useChannels.mts';
import {
	click,
	fillFields,
	fillInAt,
	openChat,
	pressInSlack,
	pressInTelegram,
} from './channels/people.mts';
import { atHost } from './channels/standIn.mts';
import { arrival, chain, eventually, manualTrigger, node } from './support.mts';

const { stage, channels } = useChannels();
const version = hostVersion();
const rows = channelAnswers.filter(({ gives }) => gives[version]);

/** Rows that are played at the same time */
const AT_ONCE = 4;

const isOver = ({ said }: ChannelAnswer) => said === undefined;
const approves = ({ means }: ChannelAnswer) => means === 'approve';

/** Asks as the row says, with the item that asks before it. */
function getWorkflow(row: ChannelAnswer, trigger: WorkflowNode, message: string): WorkflowFile {
	return chain(getName(row), [
		trigger,
		node('Question', 'n8n-nodes-base.set', 3.4, {
			parameters: { mode: 'raw', jsonOutput: JSON.stringify(question), options: {} },
		}),
		asking(row.channel, row.asked, message, isOver(row)),
		arrival('Answer'),
	]);
}

/** A person who was sent a message answers it. Returns the execution. */
async function answerMessage(row: ChannelAnswer, message: string): Promise<string> {
	const { host } = stage;
	const executionId = await host.run(
		await host.importWorkflow(getWorkflow(row, manualTrigger(), message)),
	);
	if (isOver(row)) return executionId;
	const { error } = await host.waitForExecution(executionId, { until: 'waiting' });
	if (error) throw new Error(`${error.message} ${error.description}`);
	const sent = await channels.message(({ text }) => text.includes(message));
	switch (row.asked) {
		case 'Approval in Slack':
			await pressInSlack(host, sent, approves(row));
			break;
		case 'Approval in Telegram': {
			const registered = await channels.message(({ path }) => path.endsWith('/setWebhook'));
			await pressInTelegram(host, sent, approves(row), registered);
			break;
		}
		case 'Free Text':
			await fillFields(host, sent, [row.said!]);
			break;
		case 'Custom Form':
			await fillFields(host, sent, [row.said!, COMMENT]);
			break;
		default:
			await click(host, sent, approves(row));
	}
	return executionId;
}

/** Makes a workflow live and tries until its webhook is there. */
async function live<T>(file: WorkflowFile, start: () => Promise<T>): Promise<T> {
	await stage.host.activate(await stage.host.importWorkflow(file));
	return await eventually(async () => await start().catch(() => undefined));
}

async function answerChat(row: ChannelAnswer, message: string, webhookId: string): Promise<string> {
	const { host } = stage;
	const trigger = node('Start', '@n8n/n8n-nodes-langchain.chatTrigger', 1.1, {
		webhookId,
		parameters: { public: true, options: { responseMode: 'responseNodes' } },
	});
	const chat = await live(
		getWorkflow(row, trigger, message),
		async () => await openChat(host, webhookId, 'Hello', CHAT_SESSION),
	);
	if (!isOver(row)) {
		const heard = await chat.next();
		expect(heard).toContain(message);
		const [, how] = /\((typed)\)$/.exec(row.said!) ?? [];
		if (row.asked === 'Free Text' || how) chat.say(row.said!.replace(' (typed)', ''));
		else await click(host, { text: heard } as any, approves(row));
	}
	chat.close();
	return chat.executionId;
}

async function answerTheForm(row: ChannelAnswer, message: string, webhookId: string) {
	const { host } = stage;
	const trigger = node('Start', 'n8n-nodes-base.formTrigger', 2.2, {
		webhookId,
		parameters: { formTitle: 'Start', formFields: { values: [{ fieldLabel: 'Why' }] } },
	});
	const body = new FormData();
	body.append('field-0', 'Because');
	const { formWaitingUrl } = await live(getWorkflow(row, trigger, message), async () => {
		const answer = await fetch(`${host.url}/form/${webhookId}`, { method: 'POST', body });
		return (await answer.json()) as { formWaitingUrl: string };
	});
	const [, executionId] = /form-waiting\/(\d+)/.exec(formWaitingUrl)!;
	await host.waitForExecution(executionId, { until: 'waiting' });
	if (!isOver(row)) await fillInAt(atHost(formWaitingUrl, host.url), [row.said!, COMMENT]);
	return executionId;
}

/** Plays a row, and returns what the node has passed on, with what differs from run to run masked. */
async function play(row: ChannelAnswer, index: number): Promise<unknown> {
	const message = `Question ${index} of channels.`;
	const webhookId = `channels-${index}`;
	const play = { Chat: answerChat, Form: answerTheForm }[row.channel] ?? answerMessage;
	const executionId = await play(row, message, webhookId);
	const execution = await stage.host.waitForExecution(executionId);
	if (execution.error) throw new Error(execution.error.message);
	const times = /"(respondedAt|submittedAt)":"[^"]+"/g;
	return JSON.parse(JSON.stringify(execution.items('Answer')).replace(times, `"$1":"${TIME}"`));
}

describe(`a node's output in n8n ${version}`, () => {
	const played = new Map<ChannelAnswer, PromiseSettledResult<unknown>>();

	beforeAll(async () => {
		await importCredentials(stage.host);
		// Those that nobody answers wait longest.
		const waiting = rows.map((row, index) => ({ row, index }));
		waiting.sort((one, other) => Number(isOver(other.row)) - Number(isOver(one.row)));
		const over: Array<Promise<void>> = [];
		const playNext = async () => {
			for (let next = waiting.shift(); next; next = waiting.shift()) {
				const { row, index } = next;
				const done = Promise.allSettled([play(row, index)]).then(([result]) => {
					played.set(row, result);
				});
				if (isOver(row)) over.push(done);
				else await done;
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, playNext));
		await Promise.all(over);
	});

	test.each(rows.map((row) => [getName(row), row] as const))('%s', (_, row) => {
		expect(played.get(row)).toEqual({ status: 'fulfilled', value: [row.gives[version]] });
	});
});
