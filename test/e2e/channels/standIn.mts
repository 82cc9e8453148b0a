// A mock for Slack, Gmail, Telegram, Microsoft Teams and Google Chat, and for other hosts of a test: it takes what n8n's own nodes send, keeps it, and answers as little as they need.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HANG_MS } from '../../../n8n-host/hang.mts';

/** Message of n8n to a channel */
export interface Sent {
	/** Such as `slack.com` */
	host: string;
	method: string;
	path: string;
	body: any;
	/** All that a person would read, and the links: of an email, its decoded source */
	text: string;
}

interface Mail {
	id: string;
	/** The sender's address */
	from: string;
	[field: string]: unknown;
}

export interface Channels {
	/** The environment that leads n8n here */
	env: NodeJS.ProcessEnv;
	/** Sent messages, oldest first */
	sent(): Sent[];
	/** Emails in the inbox of Gmail, as its API shows a message */
	receive(mail: Mail): void;
	/** Sets the answer of a host. Without an answer, it's 404. */
	answer(host: string, answer: (request: Sent) => object | undefined): void;
	/** The first message to people that this finds, within a minute */
	message(wanted: (message: Sent) => boolean): Promise<Sent>;
	close(): Promise<void>;
}

/** n8n's own URL: over https, without which it sends no buttons to Telegram. `atHost` leads there. */
export const PUBLIC = 'https://n8n.example';
export const atHost = (link: string, hostUrl: string): string => link.replace(PUBLIC, hostUrl);

/** The links to n8n in what was sent */
export const links = ({ text }: Sent): string[] =>
	[...text.matchAll(/https?:\/\/[\w.:]+\/webhook-waiting\/[^\s"'|<>\\)]+/g)].map(([link]) =>
		link.replaceAll('&amp;', '&'),
	);

interface Inbox {
	all: Mail[];
	/** Messages not listed yet */
	unread: Mail[];
}

type Answer = (request: Sent, inbox: Inbox) => object | undefined;

/** Answer of each host. Without one, it's 404. */
const ANSWERS: Record<string, Answer> = {
	'slack.com': ({ body, path }) =>
		path.startsWith('/api/users.info')
			? { ok: true, user: { id: 'U1', name: 'ada', profile: { email: 'ada@agency.example' } } }
			: { ok: true, channel: body?.channel, ts: '1700000000.000100' },
	'hooks.slack.com': () => ({ ok: true }),
	'api.telegram.org': ({ body, path }) => ({
		ok: true,
		result: path.endsWith('/getWebhookInfo')
			? { url: '', allowed_updates: [] }
			: { message_id: 12, chat: { id: body?.chat_id } },
	}),
	'graph.microsoft.com': () => ({ id: 'message-1' }),
	'chat.googleapis.com': () => ({ name: 'spaces/agency/messages/1' }),
	'www.googleapis.com': ({ method, path }, inbox) => {
		const [, what, id] = /^\/gmail\/v1\/users\/me\/(\w+)\/?([\w-]*)/.exec(path) ?? [];
		if (method === 'POST') return { id: 'sent-1', threadId: 'thread-1', labelIds: ['SENT'] };
		if (what === 'labels') return { labels: [{ id: 'INBOX', name: 'INBOX' }] };
		if (what === 'profile') return { emailAddress: 'site@agency.example' };
		if (what === 'messages' && id === '') return { messages: takeUnread(inbox, path) };
		return what === 'messages' ? inbox.all.find((mail) => mail.id === id) : undefined;
	},
};

/** Takes the unread emails that a search such as `from:client.example` finds. */
function takeUnread(inbox: Inbox, path: string): Array<{ id: string }> {
	const query = new URL(path, 'https://gmail.test').searchParams.get('q') ?? '';
	const [, sender = ''] = /from:(\S+)/.exec(query) ?? [];
	const found = inbox.unread.filter(({ from }) => from.includes(sender));
	inbox.unread = inbox.unread.filter((mail) => !found.includes(mail));
	return found.map(({ id }) => ({ id }));
}

async function read(request: IncomingMessage): Promise<Sent> {
	const source = Buffer.concat(await request.toArray()).toString();
	const body = source.startsWith('{') ? JSON.parse(source) : source;
	const mail = typeof body.raw === 'string' && Buffer.from(body.raw, 'base64url').toString();
	return {
		host: String(request.headers['x-meant-for']),
		method: request.method!,
		path: request.url!,
		body,
		text: mail ? quotedPrintable(mail) : texts(body).join('\n'),
	};
}

/** The source of an email with the lines joined and the characters back that its transport has encoded */
const quotedPrintable = (source: string): string =>
	source
		.replace(/=\r?\n/g, '')
		.replace(/(=[0-9A-F]{2})+/g, (bytes) =>
			Buffer.from(bytes.replaceAll('=', ''), 'hex').toString(),
		);

/** All texts in a JSON value */
const texts = (value: unknown): string[] =>
	typeof value === 'string'
		? [value]
		: typeof value === 'object' && value !== null
			? Object.values(value).flatMap(texts)
			: [];

export async function startChannels(): Promise<Channels> {
	const all: Sent[] = [];
	const inbox: Inbox = { all: [], unread: [] };
	const answers = { ...ANSWERS };

	const server = createServer(async (request, response) => {
		const sent = await read(request);
		all.push(sent);
		const answer = answers[sent.host]?.(sent, inbox);
		response
			.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
			.end(JSON.stringify(answer ?? { error: `The stand-in has no ${sent.host}${sent.path}` }));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const redirect = new URL('redirect.mts', import.meta.url);

	return {
		env: {
			NODE_OPTIONS: `--import ${redirect.href}`,
			CHANNELS_PORT: String((server.address() as AddressInfo).port),
		},
		sent: () => all,
		receive(mail) {
			inbox.all.push(mail);
			inbox.unread.push(mail);
		},
		answer(host, answer) {
			answers[host] = answer;
		},
		async message(wanted) {
			for (const end = Date.now() + HANG_MS; ; await sleep(100)) {
				const found = all.find(wanted);
				if (found) return found;
				if (Date.now() > end)
					throw new Error(`It was not sent. Sent: ${all.map(({ host, path }) => host + path)}`);
			}
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
