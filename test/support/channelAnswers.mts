// Outputs of n8n's own nodes after an answer, or without one. test/e2e/channels.test.mts holds this table against the real nodes;
// Run Agent Session has to read every row as what the person meant.
import type { HostVersion } from '../../n8n-host/versions.mts';

/** In the place of a time, which differs from run to run */
export const TIME = '2026-01-01T00:00:00.000Z';
/** In the place of the session of a chat */
export const CHAT_SESSION = 'chat-session';

export type Way =
	'Approval' | 'Approval in Slack' | 'Approval in Telegram' | 'Free Text' | 'Custom Form' | 'Form';

export interface ChannelAnswer {
	channel: string;
	/** Form of the question: its Response Type, or another setting that changes the output */
	asked: Way;
	/** Choice or text of the approver. Absent after a timeout. */
	said?: string;
	/** Output of the node, in each n8n that can ask like this */
	gives: Partial<Record<HostVersion, object>>;
	means: 'approve' | 'deny' | 'none';
}

/** The item that asks, on To Approve, as Run Agent Session returns it. Nodes pass it on when their time limit is over. */
export const question = {
	sessionId: '2c3d0f6e-7a1b-4a52-9d0e-3f4b5c6d7e8f',
	dashboardUrl: 'https://example.com/sessions/2c3d0f6e',
	status: 'running',
	text: 'yes',
	pendingInteractions: [
		{ id: 'i1', type: 'permission', permission: 'bash', patterns: ['git push origin main'] },
	],
	question:
		'The agent needs your approval for 1 request.  \nRequest 1 of 1  \nPermission: «bash»  \nCommand: «git push origin main»',
};

/** The comment that a person adds in a form */
export const COMMENT = 'No objections, yes';

const SEND_AND_WAIT = ['Slack', 'Gmail', 'Telegram', 'Microsoft Teams', 'Google Chat'] as const;

/** Send and Wait for Response: n8n 2 adds when someone answered. */
const data = (said: object): ChannelAnswer['gives'] => ({
	'2.41': { data: { ...said, respondedAt: TIME } },
	'1.123': { data: said },
});
/** The same in both n8n */
const inBoth = (item: object): ChannelAnswer['gives'] => ({ '2.41': item, '1.123': item });

type Said = [
	said: string | undefined,
	means: ChannelAnswer['means'],
	gives: ChannelAnswer['gives'],
];

/** The rows of a channel that is asked in one way */
const rows = (channel: string, asked: Way, ...all: Said[]): ChannelAnswer[] =>
	all.map(([said, means, gives]) => ({ channel, asked, ...(said && { said }), gives, means }));

const sendAndWait = SEND_AND_WAIT.flatMap((channel) => [
	...rows(
		channel,
		'Approval',
		['Approve', 'approve', data({ approved: true })],
		['Decline', 'deny', data({ approved: false })],
	),
	...rows(
		channel,
		'Free Text',
		['Yes.', 'approve', data({ text: 'Yes.' })],
		['no', 'deny', data({ text: 'no' })],
	),
	...rows(
		channel,
		'Custom Form',
		['Approve', 'approve', data({ Decision: 'Approve', Comment: COMMENT })],
		['Deny', 'deny', data({ Decision: 'Deny', Comment: COMMENT })],
	),
	...rows(channel, 'Approval', [undefined, 'none', inBoth(question)]),
]);

/** Someone who pressed a button in Slack itself, where the node is set to say who it was */
const inSlack = (approved: boolean) => ({
	'2.41': {
		data: {
			approved,
			responder: {
				id: 'U1',
				name: 'Ada No',
				username: 'yes',
				source: 'slack',
				email: 'ada@agency.example',
			},
			respondedAt: TIME,
			channel: 'C012AB3CD',
			messageId: '1700000000.000100',
		},
	},
});

/** The same in Telegram */
const inTelegram = (approved: boolean) => ({
	'2.41': {
		data: {
			approved,
			responder: { id: '7', username: 'yes', name: 'Ada No', source: 'telegram' },
			chatId: 7,
			messageId: 12,
			respondedAt: TIME,
		},
	},
});

/** A text in the chat: n8n 1 has no other way. */
const typed = (chatInput: string) => ({
	sessionId: CHAT_SESSION,
	action: 'sendMessage',
	chatInput,
});

const submitted = (Decision: string) => ({
	Decision,
	Comment: COMMENT,
	submittedAt: TIME,
	formMode: 'production',
});

const inChat = (approved: boolean) => ({ '2.41': { data: { approved, respondedAt: TIME } } });

export const channelAnswers: ChannelAnswer[] = [
	...sendAndWait,
	...rows(
		'Slack',
		'Approval in Slack',
		['Approve', 'approve', inSlack(true)],
		['Decline', 'deny', inSlack(false)],
	),
	...rows(
		'Telegram',
		'Approval in Telegram',
		['Approve', 'approve', inTelegram(true)],
		['Decline', 'deny', inTelegram(false)],
	),
	...rows(
		'Chat',
		'Free Text',
		['yes', 'approve', inBoth(typed('yes'))],
		['No!', 'deny', inBoth(typed('No!'))],
	),
	...rows(
		'Chat',
		'Approval',
		['Approve', 'approve', inChat(true)],
		['Decline', 'deny', inChat(false)],
		['no (typed)', 'deny', { '2.41': { ...typed('no'), data: { approved: false } } }],
	),
	...rows('Chat', 'Free Text', [undefined, 'none', inBoth(question)]),
	...rows(
		'Form',
		'Form',
		['Approve', 'approve', inBoth(submitted('Approve'))],
		['Deny', 'deny', inBoth(submitted('Deny'))],
		[undefined, 'none', inBoth(question)],
	),
];

/** A row in a few words */
export const getName = ({ channel, asked, said }: ChannelAnswer): string =>
	`${channel}, ${asked}: ${said ?? 'nobody answered in time'}`;
