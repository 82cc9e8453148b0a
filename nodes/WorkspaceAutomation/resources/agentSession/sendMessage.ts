import { requireText } from '../../../shared/base/validation';
import { additionalBody, bodyOf, sessionId } from '../fields';
import type { Operation } from '../resource';

export const sendMessage: Operation = {
	name: 'Send Message',
	value: 'sendMessage',
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
			sentAs: 'text',
		},
		additionalBody('More fields for the message, as a JSON object'),
	],
	prepare: (values) => ({ extra: bodyOf(values) }),
};
