import { requireText } from '../../../shared/base/validation';
import { additionalBody, sessionId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const sendMessage: Operation = {
	action: 'Send message to agent session',
	description: 'Send a message to an agent session, which starts a new turn',
	request: 'sendAgentMessage',
	fields: [
		sessionId,
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Now do the same for the blog',
			description: 'What the agent should do next, in plain words',
			check: requireText,
		},
		additionalBody('More fields for the message, as a JSON object'),
	],
	prepare: ({ values: { message } }) => ({ text: message }),
};
