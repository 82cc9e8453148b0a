import { randomUUID } from 'node:crypto';
import type { ServiceState, Session } from '../state.mts';
import { scriptOfPrompt } from './story.mts';

/** Starts a session now. */
export function startSession(
	{ clock, store }: ServiceState,
	{ projectId, prompt }: Pick<Session, 'projectId' | 'prompt'>,
): Session {
	const session: Session = {
		id: randomUUID(),
		projectId,
		prompt,
		script: scriptOfPrompt(prompt),
		createdAt: clock.now(),
		events: [],
		polls: 0,
	};
	store.sessions.set(session.id, session);
	return session;
}
