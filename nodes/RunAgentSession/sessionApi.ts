import { messageArrived } from '../shared/api/lookUps';
import { fetchSession, readNewSessionId, sessionIn } from '../shared/api/sessions';
import type { Api, CallOptions } from '../shared/api/types';
import type { Settled } from './permissionPolicy';
import type { Interaction, Session } from '../shared/session/session';

export interface NewSession {
	projectId: string;
	prompt: string;
	/** More fields for the body */
	extra: Record<string, unknown>;
}

/** The calls that Run Agent Session makes (API document, Polling procedure). What each may throw: see `Api.call`. */
export interface SessionApi {
	/** Starts a session and returns its id. Each call that reaches the service starts another one. */
	start(session: NewSession, options?: CallOptions): Promise<string>;
	read(sessionId: string, options?: CallOptions): Promise<Session>;
	/** Starts a new turn. `before` is the session as it was, to tell after a lost response whether the message arrived. */
	sendMessage(before: Session, text: string, options?: CallOptions): Promise<void>;
	/** Sends a decision a single time. Returns the session as it is then, where the response says. */
	resolve(
		sessionId: string,
		interaction: Interaction,
		verdict: Settled,
		options?: CallOptions,
	): Promise<Session | undefined>;
	abort(sessionId: string, options?: CallOptions): Promise<void>;
}

export function sessionApi(api: Api): SessionApi {
	return {
		async start({ projectId, prompt, extra }, options) {
			const values = { projectId, prompt };
			const response = await api.call('createAgentSession', values, { ...options, extra });
			return readNewSessionId(api, response);
		},

		read: async (sessionId, options) => await fetchSession(api, sessionId, options),

		async sendMessage(before, text, options) {
			const reconcile = messageArrived(api, before, text, options);
			const values = { sessionId: before.sessionId, text };
			await api.call('sendAgentMessage', values, { ...options, reconcile });
		},

		async resolve(sessionId, { id, type }, { decision, option }, options) {
			const approved = decision === 'approve';
			const values = { sessionId, interactionId: id, type, option, decision, approved };
			const { body } = await api.call('resolveInteraction', values, { ...options, once: true });
			return sessionIn(api, body, sessionId);
		},

		async abort(sessionId, options) {
			await api.call('abortAgentSession', { sessionId }, options);
		},
	};
}
