// Places of the session's id in the answer to POST /agent/sessions: the document promises one and names no field.
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';

interface Started {
	sessionId: string;
}

const group = 'session ids';

export const sessionIds = {
	'session-ids-plain': {
		summary: 'A new session has its id in id',
		group,
		answers: {
			createAgentSession: body<Started>(({ sessionId }) => ({
				object: 'agent_session',
				id: sessionId,
			})),
		},
	},
	'session-ids-run': {
		summary: 'A new session has its id in data.run_id',
		group,
		answers: {
			createAgentSession: body<Started>(({ sessionId }) => ({
				data: { run_id: sessionId, state: 'queued' },
			})),
		},
		readAt: { createAgentSession: { sessionId: 'data.run_id' } },
	},
} satisfies Record<string, Dialect>;
