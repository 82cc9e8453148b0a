// The people in the channels: they read the message that the mock holds, and answer it as they would.
import { createHmac } from 'node:crypto';
import type { Host } from '../../../n8n-host/host.mts';
import { SLACK_SECRET } from './channelNodes.mts';
import { eventually } from '../support.mts';
import { atHost, links, type Sent } from './standIn.mts';

/** n8n sends nothing to who looks like a robot. */
const BROWSER = {
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** n8n's answers to a click that is faster than n8n. n8n 1 saves that an execution waits before it saves its data, and doesn't find the run of the node. */
const EARLY = /is running already|is not registered|undefined \(reading '(pop|resumeToken)'\)/;

/** Sends a request, again as long as n8n is not ready for it: a person is not as quick as a test. */
async function send(url: string, init?: RequestInit): Promise<Response> {
	const answer = await eventually(async () => {
		const answer = await fetch(url, { ...init, headers: { ...BROWSER, ...init?.headers } });
		const isEarly = EARLY.test(await answer.clone().text());
		return !answer.ok && isEarly ? undefined : answer;
	});
	if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
	return answer;
}

/** Opens the link of a message behind which the wanted decision stands, as a click on its button does. */
export async function click(host: Host, message: Sent, approve: boolean): Promise<void> {
	const link = links(message).find((each) => each.includes(`approved=${approve}`));
	if (!link) throw new Error(`There is no such button in: ${message.text}`);
	await send(atHost(link, host.url));
}

/** Opens the form that a message leads to, fills it in and submits it. Fields are in the order of the form. */
export async function fillFields(host: Host, message: Sent, fields: string[]): Promise<void> {
	await fillInAt(atHost(links(message)[0], host.url), fields);
}

export const openForm = async (url: string): Promise<string> => await (await send(url)).text();

/** Returns what n8n shows after the form. */
export async function fillInAt(url: string, fields: string[]): Promise<string> {
	await openForm(url);
	const body = new FormData();
	for (const [index, value] of fields.entries()) body.append(`field-${index}`, value);
	const answer = await send(url, { method: 'POST', body });
	return await answer.text();
}

/** Who presses buttons. Neither name is an answer. */
const ADA = { id: 'U1', name: 'Ada No', username: 'yes' };

/** Presses a button in Slack, which then tells n8n, signed. */
export async function pressInSlack(host: Host, { body }: Sent, approve: boolean): Promise<void> {
	const buttons = body.blocks.flatMap((block: any) => block.elements ?? []);
	const action = buttons.find(({ action_id }: any) => /approve/i.test(action_id) === approve);
	const payload = {
		type: 'block_actions',
		user: ADA,
		channel: { id: body.channel },
		message: { ts: '1700000000.000100', blocks: body.blocks },
		actions: [{ ...action, action_ts: '1767225600' }],
	};
	const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const signature = createHmac('sha256', SLACK_SECRET)
		.update(`v0:${timestamp}:${form}`)
		.digest('hex');
	await send(`${host.url}/webhook-waiting-slack`, {
		method: 'POST',
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			'x-slack-request-timestamp': timestamp,
			'x-slack-signature': `v0=${signature}`,
		},
		body: form,
	});
}

/** Presses a button in Telegram, which then tells n8n, where and with the secret that n8n has registered. */
export async function pressInTelegram(
	host: Host,
	{ body }: Sent,
	approve: boolean,
	registered: Sent,
): Promise<void> {
	const { url, secret_token } = registered.body;
	const buttons = body.reply_markup.inline_keyboard.flat();
	await send(atHost(url, host.url), {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-telegram-bot-api-secret-token': secret_token,
		},
		body: JSON.stringify({
			callback_query: {
				id: 'q1',
				data: buttons[approve ? 1 : 0].callback_data,
				from: { id: 7, first_name: 'Ada', last_name: 'No', username: 'yes' },
				message: { message_id: 12, chat: { id: 7 }, text: body.text },
			},
		}),
	});
}

interface Conversation {
	executionId: string;
	/** The next message that n8n sends into the chat */
	next(): Promise<string>;
	say(chatInput: string): void;
	close(): void;
}

/** Writes the first message into a public chat of n8n, and stays to read and answer. */
export async function openChat(
	host: Host,
	webhookId: string,
	chatInput: string,
	sessionId: string,
): Promise<Conversation> {
	const answer = await send(`${host.url}/webhook/${webhookId}/chat`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId, chatInput }),
	});
	const { executionId, resumeToken = '' } = (await answer.json()) as Record<string, string>;
	const query = new URLSearchParams({
		sessionId,
		executionId,
		isPublic: 'true',
		token: resumeToken,
	});
	const socket = new WebSocket(`${host.url.replace('http', 'ws')}/chat?${query}`);
	const heard: string[] = [];
	const listening: Array<(message: string) => void> = [];
	socket.addEventListener('message', ({ data }) => {
		const message = String(data);
		if (message === 'n8n|heartbeat') return socket.send('n8n|heartbeat-ack');
		if (message === 'n8n|continue') return;
		const listener = listening.shift();
		if (listener) listener(message);
		else heard.push(message);
	});
	await new Promise((resolve, reject) => {
		socket.addEventListener('open', resolve);
		socket.addEventListener('error', reject);
	});
	return {
		executionId,
		next: async () =>
			heard.shift() ?? (await new Promise<string>((resolve) => listening.push(resolve))),
		say: (text) =>
			socket.send(JSON.stringify({ sessionId, action: 'sendMessage', chatInput: text })),
		close: () => socket.close(),
	};
}
