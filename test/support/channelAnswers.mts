// Outputs of n8n's own nodes after an answer, or without one. test/e2e/channels.test.mts holds this table against the real nodes;
// Run Agent Session has to read every row as what the person meant; docs/apply-an-answer.md shows it.
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
/** The item that asked, unchanged */
const findOverlap = (...versions: HostVersion[]): ChannelAnswer['gives'] =>
	Object.fromEntries(versions.map((version) => [version, question]));

const sendAndWait = SEND_AND_WAIT.flatMap((channel): ChannelAnswer[] => [
	{
		channel,
		asked: 'Approval',
		said: 'Approve',
		gives: data({ approved: true }),
		means: 'approve',
	},
	{ channel, asked: 'Approval', said: 'Decline', gives: data({ approved: false }), means: 'deny' },
	{ channel, asked: 'Free Text', said: 'Yes.', gives: data({ text: 'Yes.' }), means: 'approve' },
	{ channel, asked: 'Free Text', said: 'no', gives: data({ text: 'no' }), means: 'deny' },
	{
		channel,
		asked: 'Custom Form',
		said: 'Approve',
		gives: data({ Decision: 'Approve', Comment: COMMENT }),
		means: 'approve',
	},
	{
		channel,
		asked: 'Custom Form',
		said: 'Deny',
		gives: data({ Decision: 'Deny', Comment: COMMENT }),
		means: 'deny',
	},
	{ channel, asked: 'Approval', gives: findOverlap('2.41', '1.123'), means: 'none' },
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

export const channelAnswers: ChannelAnswer[] = [
	...sendAndWait,
	...[true, false].flatMap((approved): ChannelAnswer[] => {
		const said = approved ? 'Approve' : 'Decline';
		const means = approved ? 'approve' : 'deny';
		return [
			{ channel: 'Slack', asked: 'Approval in Slack', said, gives: inSlack(approved), means },
			{
				channel: 'Telegram',
				asked: 'Approval in Telegram',
				said,
				gives: inTelegram(approved),
				means,
			},
		];
	}),
	{
		channel: 'Chat',
		asked: 'Free Text',
		said: 'yes',
		gives: { '2.41': typed('yes'), '1.123': typed('yes') },
		means: 'approve',
	},
	{
		channel: 'Chat',
		asked: 'Free Text',
		said: 'No!',
		gives: { '2.41': typed('No!'), '1.123': typed('No!') },
		means: 'deny',
	},
	{
		channel: 'Chat',
		asked: 'Approval',
		said: 'Approve',
		gives: { '2.41': { data: { approved: true, respondedAt: TIME } } },
		means: 'approve',
	},
	{
		channel: 'Chat',
		asked: 'Approval',
		said: 'Decline',
		gives: { '2.41': { data: { approved: false, respondedAt: TIME } } },
		means: 'deny',
	},
	{
		channel: 'Chat',
		asked: 'Approval',
		said: 'no (typed)',
		gives: { '2.41': { ...typed('no'), data: { approved: false } } },
		means: 'deny',
	},
	{ channel: 'Chat', asked: 'Free Text', gives: findOverlap('2.41', '1.123'), means: 'none' },
	{
		channel: 'Form',
		asked: 'Form',
		said: 'Approve',
		gives: { '2.41': submitted('Approve'), '1.123': submitted('Approve') },
		means: 'approve',
	},
	{
		channel: 'Form',
		asked: 'Form',
		said: 'Deny',
		gives: { '2.41': submitted('Deny'), '1.123': submitted('Deny') },
		means: 'deny',
	},
	{ channel: 'Form', asked: 'Form', gives: findOverlap('2.41', '1.123'), means: 'none' },
];

/** A row in a few words */
export const getName = ({ channel, asked, said }: ChannelAnswer): string =>
	`${channel}, ${asked}: ${said ?? 'nobody answered in time'}`;

const shown = (item: object | undefined): string =>
	item === undefined
		? ''
		: item === question
			? 'the item that asked'
			: `\`${JSON.stringify(item)}\``;

const READ_AS = { approve: 'approved', deny: 'denied', none: 'not answered' };

/** A denial that looks otherwise than the approval beside it */
const isOfItsOwn = ({ said }: ChannelAnswer) => said?.includes('(typed)');

/** The table for people: what several channels pass on alike is one row, and what is denied is left out where it looks as what is approved. */
export function answersTable(): string {
	const channels = new Map<string, string[]>();
	const shownAnswers = channelAnswers.filter((row) => row.means !== 'deny' || isOfItsOwn(row));
	for (const { channel, asked, said, gives, means } of shownAnswers) {
		const cells = [
			asked,
			said ?? 'no answer (timeout)',
			shown(gives['2.41']),
			shown(gives['1.123']),
			READ_AS[means],
		];
		const row = cells.join(' | ');
		channels.set(row, [...(channels.get(row) ?? []), channel]);
	}
	return [
		'| channel | asked by | the person said | n8n 2.41 returns | n8n 1.123 returns | read as |',
		'| --- | --- | --- | --- | --- | --- |',
		...[...channels].map(([row, names]) => `| ${names.join(', ')} | ${row} |`),
	].join('\n');
}
