import { readNewSessionId } from '../../../shared/api/sessions';
import { prompt } from '../../../shared/n8n/descriptions';
import { jsonOf } from '../../../shared/n8n/routing';
import { requireText } from '../../../shared/base/validation';
import { additionalBody, projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const create: Operation = {
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
};
