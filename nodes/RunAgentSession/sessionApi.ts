import {
	fetchSession,
	readSession,
	type Interaction,
	type Session,
} from '../shared/session/session';
import {
	callOperation,
	interactionResolved,
	messageArrived,
	readNewSessionId,
	type CallOptions,
} from '../shared/api/nonIdempotent';
import { LIMITS } from '../shared/base/limits';
import type { ApiClient, SendOptions } from '../shared/transport/apiClient';

export interface Resolved {
	/** The session as it is then, where the response says */
	session: Session | undefined;
	/** Whether the service said so itself; otherwise it was concluded from the interaction's being listed no longer */
	confirmed: boolean;
}

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
	/** Resolves an interaction; after a lost response only if it is still pending. */
	resolve(
		sessionId: string,
		interaction: Interaction,
		option: string | number,
		options?: CallOptions,
	): Promise<Resolved>;
	abort(sessionId: string, options?: SendOptions): Promise<void>;
}

export function sessionApi(client: ApiClient): SessionApi {
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

		async resolve(sessionId, interaction, option, options) {
			let confirmed = true;
			const look = interactionResolved(client, sessionId, interaction.id, options);
			const reconcile = async () => {
				const effect = await look();
				confirmed = effect.applied !== 'yes';
				return effect;
			};
			const { body } = await callOperation(
				client,
				'resolveInteraction',
				{ sessionId, interactionId: interaction.id, type: interaction.type, option },
				{ ...options, reconcile },
			);
			return { session: readSession(body, sessionId), confirmed };
		},

		async abort(sessionId, options) {
			await callOperation(client, 'abortAgentSession', { sessionId }, options);
		},
	};
}
