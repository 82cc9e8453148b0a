import type { Client, SendOptions } from './client';
import { readSession, type Interaction, type Session } from './session';
import {
	fetchSession,
	interactionResolved,
	messageArrived,
	NEW_SESSION,
	sessionPath,
} from './unrepeatable';
import { readSessionId } from './wireNames';

export interface Resolved {
	/** The session as it is then, where the answer says */
	session: Session | undefined;
	/** Whether the service said so itself; otherwise it was concluded from the interaction's being listed no longer */
	confirmed: boolean;
}

/** The calls that Run Agent Session makes (API document, Polling procedure). What each may throw stands at `Client.send`. */
export interface SessionApi {
	/** Starts a session and returns its id. Each call that reaches the service starts another one. */
	start(
		projectId: string,
		prompt: string,
		extra: Record<string, unknown>,
		options?: SendOptions,
	): Promise<string>;
	read(sessionId: string, options?: SendOptions): Promise<Session>;
	/** Starts a new turn. `before` is the session as it was, to tell after a lost answer whether the message arrived. */
	sendMessage(before: Session, text: string, options?: SendOptions): Promise<void>;
	/** Resolves an interaction; after a lost answer only if it is still pending. */
	resolve(
		sessionId: string,
		interaction: Interaction,
		value: string,
		options?: SendOptions,
	): Promise<Resolved>;
	abort(sessionId: string, options?: SendOptions): Promise<void>;
}

export function sessionApi(client: Client): SessionApi {
	const { names, send } = client;
	return {
		async start(projectId, prompt, extra, options) {
			const body = { ...extra, [names.sessionProject]: projectId, [names.sessionPrompt]: prompt };
			return readSessionId(await send({ method: 'POST', path: '/agent/sessions', body }, options))!;
		},

		read: async (sessionId, options) => await fetchSession(client, sessionId, options),

		async sendMessage(before, text, options) {
			const request = {
				method: 'POST',
				path: sessionPath(before.sessionId, '/messages'),
				body: { [names.messageText]: text },
			} as const;
			await send(request, {
				...NEW_SESSION,
				...options,
				look: messageArrived(client, before, options),
			});
		},

		async resolve(sessionId, interaction, value, options) {
			const path = sessionPath(
				sessionId,
				`/interactions/${encodeURIComponent(interaction.id)}/resolve`,
			);
			const body = { type: interaction.type, [names.decision]: value };
			let confirmed = true;
			const look = async () => {
				const effect = await interactionResolved(client, sessionId, interaction.id, options)();
				confirmed = effect.took !== 'yes';
				return effect;
			};
			const answer = await send({ method: 'POST', path, body }, { ...options, look });
			return { session: readSession(answer, sessionId), confirmed };
		},

		async abort(sessionId, options) {
			// An empty object, because n8n labels a POST without a body as a form.
			await send(
				{ method: 'POST', path: sessionPath(sessionId, '/abort'), body: {} },
				{ ...NEW_SESSION, ...options },
			);
		},
	};
}
