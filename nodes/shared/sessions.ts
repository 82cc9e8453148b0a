import { Unclear, type Client, type Effect, type SendOptions } from './client';
import type { components } from './contract';
import { orProblem, Problem, type Facts } from './problem';
import { readSessionId } from './wireNames';

// Agent sessions as the API document describes them (Agent session status object, Polling procedure).

type Documented = components['schemas'];
export type PermissionInteraction = Documented['PermissionInteraction'];

/** A pending interaction. Only `id` and `type` can be relied on: the document leaves one of the two variants open. */
export type Interaction = { id: string; type: string } & Partial<Omit<PermissionInteraction, 'id' | 'type'>> & Record<string, unknown>;

/** The status object with every field that may be missing made safe to use. */
export interface Session {
	sessionId: string;
	dashboardUrl?: string;
	/** `starting`, `running`, `completed`, `failed`, or a value that nobody has documented */
	status: string;
	/** Each interaction once, however often the service lists it */
	pendingInteractions: Interaction[];
	error?: string;
	latestMessage?: Documented['AgentSession']['latestMessage'];
	latestTool?: Documented['AgentSession']['latestTool'];
	lastActivityAt?: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** The session in an answer, or undefined where the answer is no status object. */
export function readSession(answer: unknown, sessionId: string): Session | undefined {
	if (!isRecord(answer) || typeof answer.status !== 'string') return undefined;
	const pending = Array.isArray(answer.pendingInteractions) ? answer.pendingInteractions.filter(isRecord) : [];
	const byId = new Map(pending.map((entry) => [String(entry.id ?? ''), entry]));
	return {
		sessionId,
		dashboardUrl: textOf(answer.dashboardUrl),
		status: answer.status,
		pendingInteractions: [...byId].map(([id, entry]) => ({ ...entry, id, type: String(entry.type ?? '') })),
		error: textOf(answer.error),
		latestMessage: isRecord(answer.latestMessage) ? answer.latestMessage : undefined,
		latestTool: isRecord(answer.latestTool) ? answer.latestTool : undefined,
		lastActivityAt: textOf(answer.lastActivityAt),
	};
}

export const hasEnded = (session: Session) => session.status === 'completed' || session.status === 'failed';

/** Whether two readings show the same moment of a session: nothing was said or done between them. */
export const sameMoment = (a: Session, b: Session) =>
	a.status === b.status && a.lastActivityAt === b.lastActivityAt && a.latestMessage?.createdAt === b.latestMessage?.createdAt;

export interface SessionApi {
	/**
	 * Starts a session and returns its id. Each call that reaches the service starts another one.
	 * @throws Unclear when nobody can tell whether one was started
	 */
	start(projectId: string, prompt: string, extra: Record<string, unknown>, options?: SendOptions): Promise<string>;
	/** An answer that is no status object counts as none. */
	read(sessionId: string, options?: SendOptions): Promise<Session>;
	/** Starts a new turn. `before` is the session as it was, to tell after a lost answer whether the message arrived. */
	sendMessage(before: Session, text: string, options?: SendOptions): Promise<void>;
	/** Resolves an interaction; after a lost answer only if it is still pending. Returns the session as it is then. */
	resolve(sessionId: string, interaction: Interaction, value: string, options?: SendOptions): Promise<Session | undefined>;
	abort(sessionId: string, options?: SendOptions): Promise<void>;
}

/** The service offers no way to look for a session whose id never arrived, so a person has to. */
export const notKnownToHaveStarted = (reason: string, facts: Facts = {}) =>
	new Unclear(
		'It is not known whether the session was started',
		`No second one is started, so that the work is not done twice. Look in the dashboard: if the session is there, hand its ID to a Run Agent Session node in the mode Continue a Session; if not, run the workflow anew. What happened: ${reason}`,
		facts,
	);

export const notKnownToHaveArrived = (reason: string, facts: Facts = {}) =>
	new Unclear(
		'It is not known whether the message reached the session',
		`It is not sent again, so that the work is not done twice. Look at the session in the dashboard: if the message is there, continue the session without one; if not, run the workflow anew. What happened: ${reason}`,
		facts,
	);

const because = (problem: Problem) => `${problem.message}. ${problem.description}`;

const pathOf = (sessionId: string, below = '') => `/agent/sessions/${encodeURIComponent(sessionId)}${below}`;
/** Waits before a 404 of a new session is believed: 1, 2 and 4 s (API document, Polling procedure, 5). */
const NEW_SESSION = { notFoundWaitsMs: [1_000, 2_000, 4_000] };
/** A poll that hangs is worth less than the next one. */
const READ_TIMEOUT_MS = 30_000;

export function sessionApi(client: Client): SessionApi {
	const { names, send } = client;

	const read: SessionApi['read'] = async (sessionId, options) => {
		const accept = (body: unknown) => readSession(body, sessionId) !== undefined;
		const request = { method: 'GET', path: pathOf(sessionId), timeoutMs: READ_TIMEOUT_MS } as const;
		return readSession(await send(request, { ...NEW_SESSION, ...options, accept }), sessionId)!;
	};

	/** Tells from a fresh reading whether something took effect; a reading that fails tells nothing. */
	const lookAt = async (sessionId: string, options: SendOptions | undefined, judge: (now: Session) => Effect): Promise<Effect> => {
		const now = await orProblem(read(sessionId, options));
		return now instanceof Problem ? { took: 'unknown' } : judge(now);
	};

	return {
		read,

		async start(projectId, prompt, extra, options) {
			const body = { ...extra, [names.sessionProject]: projectId, [names.sessionPrompt]: prompt };
			const accept = (answer: unknown) => readSessionId(answer) !== undefined;
			const answer = await orProblem(send({ method: 'POST', path: '/agent/sessions', body }, { ...options, accept }));
			if (answer instanceof Unclear) throw notKnownToHaveStarted(because(answer), answer.facts);
			if (answer instanceof Problem) throw answer;
			return readSessionId(answer)!;
		},

		async sendMessage(before, text, options) {
			const look = async () =>
				await lookAt(before.sessionId, options, (now) => {
					if (sameMoment(before, now)) return { took: 'no' };
					// A session at rest only moves when a message reaches it; one at work moves by itself.
					return hasEnded(before) ? { took: 'yes', answer: now } : { took: 'unknown' };
				});
			const request = { method: 'POST', path: pathOf(before.sessionId, '/messages'), body: { [names.messageText]: text } } as const;
			const answer = await orProblem(send(request, { ...NEW_SESSION, ...options, look }));
			if (answer instanceof Unclear) throw notKnownToHaveArrived(because(answer), answer.facts);
			if (answer instanceof Problem) throw answer;
		},

		async resolve(sessionId, interaction, value, options) {
			const look = async () =>
				await lookAt(sessionId, options, (now) =>
					now.pendingInteractions.some(({ id }) => id === interaction.id) ? { took: 'no' } : { took: 'yes', answer: now },
				);
			const path = pathOf(sessionId, `/interactions/${encodeURIComponent(interaction.id)}/resolve`);
			const body = { type: interaction.type, [names.decision]: value };
			return readSession(await send({ method: 'POST', path, body }, { ...options, look }), sessionId);
		},

		async abort(sessionId, options) {
			// An empty object, because n8n labels a POST without a body as a form.
			await send({ method: 'POST', path: pathOf(sessionId, '/abort'), body: {} }, { ...NEW_SESSION, ...options });
		},
	};
}
