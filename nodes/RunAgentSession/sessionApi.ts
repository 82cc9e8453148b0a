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

export type SessionApi = ReturnType<typeof sessionApi>;

/** The calls that Run Agent Session makes (API document, Polling procedure). What each may throw: see `Api.call`. */
export const sessionApi = (api: Api) => ({
	/** Starts a session and returns its id. Each call that reaches the service starts another one. */
	async start({ projectId, prompt, extra }: NewSession, options?: CallOptions): Promise<string> {
		const values = { projectId, prompt };
		const response = await api.call('createAgentSession', values, { ...options, extra });
		return readNewSessionId(api, response);
	},

	read: async (sessionId: string, options?: CallOptions): Promise<Session> =>
		await fetchSession(api, sessionId, options),

	/** Starts a new turn. `before` is the session as it was, to tell after a lost response whether the message arrived. */
	async sendMessage(before: Session, text: string, options?: CallOptions): Promise<void> {
		const reconcile = messageArrived(api, before, text, options);
		const values = { sessionId: before.sessionId, text };
		await api.call('sendAgentMessage', values, { ...options, reconcile });
	},

	/** Sends a decision a single time. Returns the session as it is then, where the response says. */
	async resolve(
		sessionId: string,
		{ id, type }: Interaction,
		{ decision, option }: Settled,
		options?: CallOptions,
	): Promise<Session | undefined> {
		const approved = decision === 'approve';
		const values = { sessionId, interactionId: id, type, option, decision, approved };
		const { body } = await api.call('resolveInteraction', values, { ...options, once: true });
		return sessionIn(api, body, sessionId);
	},

	async abort(sessionId: string, options?: CallOptions): Promise<void> {
		await api.call('abortAgentSession', { sessionId }, options);
	},
});
