import {
	fetchSession,
	readSession,
	type Interaction,
	type Session,
} from '../shared/session/session';
import {
	callOperation,
	messageArrived,
	readNewSessionId,
	type CallOptions,
} from '../shared/api/nonIdempotent';
import { LIMITS } from '../shared/base/limits';
import type { ApiClient, SendOptions } from '../shared/transport/apiClient';

export interface NewSession {
	projectId: string;
	prompt: string;
	/** More fields for the body */
	extra: Record<string, unknown>;
}

/** The calls that Run Agent Session makes (API document, Polling procedure). What each may throw: see `ApiClient.send`. */
export interface SessionApi {
	/** Starts a session and returns its id. Each call that reaches the service starts another one. */
	start(session: NewSession, options?: SendOptions): Promise<string>;
	read(sessionId: string, options?: SendOptions): Promise<Session>;
	/** Starts a new turn. `before` is the session as it was, to tell after a lost response whether the message arrived. */
	sendMessage(before: Session, text: string, options?: SendOptions): Promise<void>;
	/** Sends a decision a single time. Returns the session as it is then, where the response says. */
	resolve(
		sessionId: string,
		interaction: Interaction,
		option: string | number,
		options?: CallOptions,
	): Promise<Session | undefined>;
	/** @param afterStop whether it goes on although the execution was stopped */
	abort(sessionId: string, options?: SendOptions & { afterStop?: true }): Promise<void>;
}

/** @param afterStop the client for what goes on after Stop */
export function sessionApi(client: ApiClient, afterStop: ApiClient): SessionApi {
	return {
		async start({ projectId, prompt, extra }, options) {
			const call = { ...options, extra, timeoutMs: LIMITS.sessionStartMs };
			const response = await callOperation(
				client,
				'createAgentSession',
				{ projectId, prompt },
				call,
			);
			return readNewSessionId(response, client.overrides);
		},

		read: async (sessionId, options) => await fetchSession(client, sessionId, options),

		async sendMessage(before, text, options) {
			const reconcile = messageArrived(client, before, text, options);
			const values = { sessionId: before.sessionId, text };
			await callOperation(client, 'sendAgentMessage', values, { ...options, reconcile });
		},

		async resolve(sessionId, { id, type }, option, options) {
			const values = { sessionId, interactionId: id, type, option };
			const reconcile = async () => await Promise.resolve({ applied: 'unknown' } as const);
			const call = { ...options, once: true, notFoundDelaysMs: [], reconcile } as const;
			const { body } = await callOperation(client, 'resolveInteraction', values, call);
			return readSession(body, sessionId);
		},

		async abort(sessionId, options) {
			const by = options?.afterStop ? afterStop : client;
			await callOperation(by, 'abortAgentSession', { sessionId }, options);
		},
	};
}
