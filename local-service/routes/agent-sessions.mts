// Agent sessions: start, read, message, abort, resolve.
import type { Interaction } from '../agent/model.mts';
import { sessionAt } from '../agent/session.mts';
import { startSession } from '../agent/start.mts';
import { scriptOfMessage } from '../agent/story.mts';
import { dashboardUrl, showSession } from '../agent/view.mts';
import { mayActOn, type Key } from '../auth.mts';
import { ApiError, notFound } from '../errors.mts';
import { visibleLog } from '../lateness.mts';
import type { Session } from '../state.mts';
import { findProject } from './access.mts';
import { accepted, ok, type Routes } from './route.mts';

/** Reads the decision or the answer from the body of a resolve request. */
function readResponse({ options }: Interaction, response: unknown): string {
	if (typeof response !== 'string' || response === '')
		throw new ApiError('invalid_request', 'body/response must be a non-empty string');
	// Which values they are is not said: a dialect has its own words for them
	if (options && !options.some(({ value }) => value === response))
		throw new ApiError('invalid_request', 'The interaction does not offer the chosen option.');
	return response;
}

/** A denial may say why, in a field that the contract doesn't have. */
const readReason = ({ reason }: { reason?: unknown }) =>
	typeof reason === 'string' && reason !== '' ? { reason } : {};

export const agentSessionRoutes: Routes = (state) => {
	const { clock } = state;

	/** @throws ApiError `not_found`, also in the first moments of a session */
	function findSession(id: string, key: Key): Session {
		const session = state.store.sessions.get(id);
		const seen = clock.now() - state.lateness.session;
		if (!session || !mayActOn(key, session.projectId) || !sessionAt(session, seen).visible)
			throw notFound('agent session');
		return session;
	}

	/** The status object as reads see it now. */
	function show(session: Session, origin: string) {
		const now = clock.now();
		const log = visibleLog(session, now, state.lateness);
		return showSession(log, sessionAt(log, now), origin);
	}

	return {
		createAgentSession({ body, key, origin }) {
			const project = findProject(state, key, body.projectId);
			const session = startSession(state, { projectId: project.id, prompt: body.prompt });
			return accepted({
				sessionId: session.id,
				status: 'starting',
				dashboardUrl: dashboardUrl(origin, session.id),
			});
		},

		getAgentSession({ params, key, origin }) {
			const existing = state.store.sessions.get(params.sessionId);
			if (existing) existing.polls += 1;
			return ok(show(findSession(params.sessionId, key), origin));
		},

		sendAgentMessage({ params, body, key, origin }) {
			const session = findSession(params.sessionId, key);
			session.events.push({
				kind: 'message',
				at: clock.now(),
				text: body.text,
				script: scriptOfMessage(body.text, session),
			});
			return accepted(show(session, origin));
		},

		abortAgentSession({ params, key, origin }) {
			const session = findSession(params.sessionId, key);
			const now = clock.now();
			// A session that has ended stays as it is, so a second abort changes nothing
			if (sessionAt(session, now).finishedAt === undefined)
				session.events.push({ kind: 'abort', at: now });
			return ok(show(session, origin));
		},

		resolveInteraction({ params, body, key, origin }) {
			const session = findSession(params.sessionId, key);
			const now = clock.now();
			const interaction = sessionAt(session, now).pending.find(
				({ id }) => id === params.interactionId,
			);
			if (!interaction) throw notFound('pending interaction');
			if (body.type !== interaction.type)
				throw new ApiError('invalid_request', `body/type must be ${interaction.type}`);
			session.events.push({
				kind: 'resolve',
				at: now,
				interactionId: interaction.id,
				value: readResponse(interaction, body.response),
				...readReason(body),
			});
			return ok(show(session, origin));
		},
	};
};
