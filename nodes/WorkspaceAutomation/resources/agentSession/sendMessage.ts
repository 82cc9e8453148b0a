import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { checked, wire } from '../../../shared/routed';
import { requireId, requireText } from '../../../shared/validate';
import { sessionId } from './sessionId';

const showOnlyForSendMessage = { resource: ['agentSession'], operation: ['sendMessage'] };

export const operation: INodePropertyOptions = {
	name: 'Send Message',
	value: 'sendMessage',
	action: 'Send a message to an agent session',
	description: 'Send a message to an agent session, which starts a new turn',
	routing: {
		request: { method: 'POST', url: '/agent/sessions/{sessionId}/messages' },
		send: {
			paginate: true,
			preSend: [
				checked('Session ID', 'sessionId', requireId),
				checked('Message', 'message', requireText),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	sessionId(showOnlyForSendMessage),
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Now do the same for the blog',
		description: 'What the agent should do next, in plain words',
		displayOptions: { show: showOnlyForSendMessage },
		routing: { send: { type: 'body', property: wire('messageText') } },
	},
];
