// Places of the session's id in the answer to POST /agent/sessions: the document promises one and names no field.
import type { ChangeAnswer, Dialect } from '../dialect.mts';
import { body } from './answers.mts';

interface Started {
	sessionId: string;
}

const starts = (
	summary: string,
	createAgentSession: ChangeAnswer,
	sessionId?: string,
): Dialect => ({
	summary,
	group: 'session ids',
	answers: { createAgentSession },
	...(sessionId !== undefined && { readAt: { createAgentSession: { sessionId } } }),
});

export const sessionIds = {
	'session-ids-snake': starts(
		'A new session has its id in session_id',
		body<Started>(({ sessionId }) => ({ session_id: sessionId, status: 'starting' })),
	),
	'session-ids-plain': starts(
		'A new session has its id in id',
		body<Started>(({ sessionId }) => ({ object: 'agent_session', id: sessionId })),
	),
	'session-ids-nested': starts(
		'A new session has its id in session.id',
		body<Started>(({ sessionId }) => ({ session: { id: sessionId, status: 'starting' } })),
	),
	'session-ids-data': starts(
		'A new session has its id in data.session_id',
		body<Started>(({ sessionId }) => ({ data: { session_id: sessionId } })),
	),
	'session-ids-location': starts(
		'A new session has its id in a Location header, and no body',
		({ headers, body: started }) => ({
			status: 202,
			// The table changes our answer
			headers: { ...headers, location: `/v1/agent/sessions/${(started as Started).sessionId}` },
			body: undefined,
		}),
	),
	'session-ids-run': starts(
		'A new session has its id in data.run_id',
		body<Started>(({ sessionId }) => ({ data: { run_id: sessionId, state: 'queued' } })),
		'data.run_id',
	),
} satisfies Record<string, Dialect>;
