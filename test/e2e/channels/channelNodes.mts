// The nodes that ask, as people set them up in each channel.
import type { Host } from '../../../n8n-host/host.mts';
import type { WorkflowNode } from '../../../n8n-host/workflows.mts';
import type { Way } from '../../support/channelAnswers.mts';
import { node } from '../support.mts';

const oauth = {
	clientId: 'client',
	clientSecret: 'secret',
	oauthTokenData: { access_token: 'token' },
};

/** Key with which Slack signs clicks on buttons */
export const SLACK_SECRET = 'slack-secret';

interface Channel {
	type: string;
	typeVersion: number;
	credential?: [type: string, data: object];
	/** Who is asked, and where the node wants it */
	parameters: object;
}

const CHANNELS: Record<string, Channel> = {
	Slack: {
		type: 'n8n-nodes-base.slack',
		typeVersion: 2.3,
		credential: ['slackApi', { accessToken: 'token', signatureSecret: SLACK_SECRET }],
		parameters: {
			resource: 'message',
			select: 'channel',
			channelId: { __rl: true, mode: 'id', value: 'C012AB3CD' },
		},
	},
	Gmail: {
		type: 'n8n-nodes-base.gmail',
		typeVersion: 2.1,
		credential: ['gmailOAuth2', oauth],
		parameters: { resource: 'message', sendTo: 'ada@agency.example', subject: 'A decision' },
	},
	Telegram: {
		type: 'n8n-nodes-base.telegram',
		typeVersion: 1.2,
		credential: ['telegramApi', { accessToken: '1:token', baseUrl: 'https://api.telegram.org' }],
		parameters: { resource: 'message', chatId: '7' },
	},
	'Microsoft Teams': {
		type: 'n8n-nodes-base.microsoftTeams',
		typeVersion: 2,
		credential: ['microsoftTeamsOAuth2Api', oauth],
		parameters: {
			resource: 'chatMessage',
			chatId: { __rl: true, mode: 'id', value: '19:ada@unq.gbl.spaces' },
		},
	},
	'Google Chat': {
		type: 'n8n-nodes-base.googleChat',
		typeVersion: 1,
		credential: ['googleChatOAuth2Api', oauth],
		parameters: {
			resource: 'message',
			authentication: 'oAuth2',
			spaceId: 'spaces/agency',
		},
	},
	Chat: { type: '@n8n/n8n-nodes-langchain.chat', typeVersion: 1, parameters: {} },
	Form: { type: 'n8n-nodes-base.form', typeVersion: 1, parameters: {} },
};

const DECISION = {
	values: [
		{
			fieldLabel: 'Decision',
			fieldType: 'dropdown',
			fieldOptions: { values: [{ option: 'Approve' }, { option: 'Deny' }] },
			requiredField: true,
		},
		{ fieldLabel: 'Comment' },
	],
};

const WAYS: Record<Way, object> = {
	Approval: { responseType: 'approval', approvalOptions: { values: { approvalType: 'double' } } },
	'Approval in Slack': {
		responseType: 'approval',
		approvalOptions: { values: { approvalType: 'double' } },
		captureResponder: true,
	},
	'Approval in Telegram': {
		responseType: 'approval',
		approvalOptions: { values: { approvalType: 'double' } },
		chatApproval: true,
	},
	'Free Text': { responseType: 'freeText' },
	'Custom Form': { responseType: 'customForm', formFields: DECISION },
	Form: { formFields: DECISION },
};

/** A time limit that is over as soon as n8n looks, which it does once a minute */
const OVER = { limitType: 'atSpecifiedTime', maxDateAndTime: '2026-01-01T00:00:00' };

/** The name of each channel's credential */
export const CREDENTIAL = 'The stand-in';

export async function importCredentials(host: Host): Promise<void> {
	for (const { credential } of Object.values(CHANNELS))
		if (credential)
			await host.importCredential({
				name: CREDENTIAL,
				type: credential[0],
				data: credential[1] as Record<string, unknown>,
			});
}

/** The node of a channel that sends the message and waits; `over` with a time limit that is over at once. */
export function asking(channel: string, way: Way, message: string, over: boolean): WorkflowNode {
	const { type, credential, parameters } = CHANNELS[channel];
	const isNewChat = channel === 'Chat' && way === 'Approval';
	return node('Ask', type, isNewChat ? 1.3 : CHANNELS[channel].typeVersion, {
		webhookId: 'ask',
		parameters: {
			operation: channel === 'Form' ? 'page' : 'sendAndWait',
			...parameters,
			message,
			...WAYS[way],
			options: over && channel !== 'Form' ? { limitWaitTime: { values: OVER } } : {},
			...(over && channel === 'Form' && { limitWaitTime: true, ...OVER }),
		},
		...(credential && { credentials: { [credential[0]]: { id: null, name: CREDENTIAL } } }),
	});
}
