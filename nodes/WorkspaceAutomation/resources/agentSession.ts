import type { IDataObject } from 'n8n-workflow';

import { readableSession, readNewSessionId } from '../../shared/api/sessions';
import { requireText } from '../../shared/base/validation';
import { prompt, simplify } from '../../shared/n8n/descriptions';
import type { Operation } from '../../shared/n8n/operation';
import { jsonOf } from '../../shared/n8n/routing';
import { projectId, simplified, textField } from '../fields';
import { additionalBody, sessionId } from './agentSession/fields';
import { resolveInteraction } from './agentSession/resolveInteraction';

export const agentSession: Record<string, Operation> = {
	abort: {
		description: 'Abort an agent session; aborting it twice does no harm',
		request: 'abortAgentSession',
		fields: [sessionId],
	},
	create: {
		description: 'Start an agent session without waiting for it; the Run Agent Session node waits',
		request: 'createAgentSession',
		fields: [
			{ ...projectId, description: 'The project that the agent works in' },
			{ ...prompt, check: requireText },
			additionalBody('More fields for the request that starts the session, as a JSON object'),
		],
		// Whatever name the service has for the ID, the next node finds it under this one.
		result: (response, values, api) => ({
			json: {
				sessionId: readNewSessionId(api, response),
				...jsonOf('createAgentSession', response.body, values),
			},
		}),
	},
	get: {
		description: 'Get the status of an agent session and what it waits for',
		request: 'getAgentSession',
		fields: [sessionId, simplify],
		// Wherever the service puts it, the next node finds it in one place.
		result({ body }, { sessionId: id }, api) {
			if (this.getNodeParameter('simplify', true) !== true) return { json: body as IDataObject };
			return { json: { ...readableSession(api, body, String(id)) } as IDataObject };
		},
		output: simplified(({ error, latestMessage, ...session }) => ({
			sessionId: session.sessionId,
			dashboardUrl: session.dashboardUrl,
			status: session.status,
			text: (latestMessage as IDataObject | undefined)?.text,
			pendingInteractions: session.pendingInteractions,
			// Not `error`: n8n takes an item that has one for a failure.
			failure: error,
			lastActivityAt: session.lastActivityAt,
		})),
	},
	resolveInteraction,
	sendMessage: {
		action: 'Send message to agent session',
		description: 'Send a message to an agent session, which starts a new turn',
		request: 'sendAgentMessage',
		fields: [
			sessionId,
			textField('Message', 'message', {
				typeOptions: { rows: 4 },
				required: true,
				placeholder: 'e.g. Now do the same for the blog',
				description: 'What the agent should do next, in plain words',
			}),
			additionalBody('More fields for the message, as a JSON object'),
		],
		prepare: ({ values: { message } }) => ({ text: message }),
	},
};
