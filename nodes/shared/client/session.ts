import { limitRequest } from '../approvals/interaction';
import { IndeterminateError, indeterminateError, WorkspaceAutomationError } from '../errors';
import { MAX_SESSION_LEVELS } from '../limits';
import { isId, MAX_URL_LENGTH } from '../validation';
import {
	canBeId,
	toText,
	fingerprint,
	optionalExcerpt,
	isRecord,
	isTooDeep,
	nonEmptyText,
	quote,
} from '../values';
import type { ApiClient, CallOptions, OperationId } from './operations';
import { OPERATIONS } from './operationTable';
import { responseOverride } from './overrides';
import type { ApiResponse, Write } from './apiTypes';

// Session as in the API document (Agent session status object)

interface LatestMessage {
	role?: string;
	text?: string;
	createdAt?: string;
	completedAt?: string;
}

interface LatestTool {
	name?: string;
	status?: string;
	title?: string;
	at?: string;
}

/** A pending interaction. Only `id` and `type` can be relied on: the document leaves one of the two variants open. */
export type Interaction = { id: string; type: string } & Record<string, unknown>;

export interface Session {
	sessionId: string;
	dashboardUrl?: string;
	/** `starting`, `running`, `completed`, `failed`, or a value that the document does not list */
	status: string;
	pendingInteractions: Interaction[];
	/** Number of pending interactions that were left for the next reading */
	morePending?: number;
	error?: string;
	latestMessage?: LatestMessage;
	latestTool?: LatestTool;
	lastActivityAt?: string;
	/** Fields that the API document doesn't list */
	more?: Record<string, unknown>;
}

const DOCUMENTED_FIELDS = [
	'sessionId',
	'dashboardUrl',
	'status',
	'pendingInteractions',
	'error',
	'latestMessage',
	'latestTool',
	'lastActivityAt',
];

const STATUSES = ['starting', 'running', 'completed', 'failed'];

export const isKnownStatus = (status: string): boolean => STATUSES.includes(status);

/** Thrown for a response that isn't the session as documented. The next response may be. */
export class UnreadableSessionError extends WorkspaceAutomationError {}

const unreadable = (
	field: string,
	value: unknown,
	expected: string,
	body?: unknown,
): UnreadableSessionError =>
	new UnreadableSessionError(
		`The service's session can't be read: ${field}`,
		`'${field}' has to be ${expected}, and is: ${quote(value)}${value === undefined ? ` in ${quote(body)}` : ''}. Check for a cache or a proxy in front of the service. Otherwise, use the dashboard: the service and its API document differ.`,
	);

/** Reads pending requests, each with an ID of its own and a type. @throws UnreadableSessionError otherwise */
function readPending(value: unknown): Interaction[] {
	if (value === undefined) return [];
	if (!Array.isArray(value)) throw unreadable('pendingInteractions', value, 'a list');
	const ids = new Set<unknown>();
	return value.map((request: unknown, at): Interaction => {
		const field = `pendingInteractions[${at}]`;
		if (!isRecord(request)) throw unreadable(field, request, 'an object');
		const { id, type } = request;
		if (!isFilledText(id)) throw unreadable(`${field}.id`, id, 'a text');
		if (ids.has(id)) throw unreadable(`${field}.id`, id, 'different for each request');
		if (!isFilledText(type)) throw unreadable(`${field}.type`, type, 'a text');
		ids.add(id);
		return limitRequest(request as Interaction);
	});
}

const isFilledText = (value: unknown): value is string => nonEmptyText(value) !== undefined;

/** Reads the status object. @throws UnreadableSessionError that names the field that isn't as documented */
export function readSession(body: unknown, sessionId: string): Session {
	if (!isRecord(body)) throw unreadable('response', body, 'an object');
	if (isTooDeep(body, MAX_SESSION_LEVELS - 1))
		throw unreadable('response', body, `at most ${MAX_SESSION_LEVELS} levels deep`);
	const { sessionId: id, status, latestMessage, latestTool, error } = body;
	if (!isFilledText(id)) throw unreadable('sessionId', id, 'a text', body);
	if (id.toLowerCase() !== sessionId.toLowerCase())
		throw new UnreadableSessionError(
			'The service answered about another session',
			`You asked for ${sessionId}, and the response is about ${quote(id, 100)}. Check for a cache or a proxy in front of the service.`,
		);
	if (!isFilledText(status)) throw unreadable('status', status, 'a text', body);
	const more = Object.entries(body).filter(([name]) => !DOCUMENTED_FIELDS.includes(name));
	return {
		sessionId,
		// On one line, because errors and the log show it
		dashboardUrl: optionalExcerpt(body.dashboardUrl, MAX_URL_LENGTH),
		status,
		pendingInteractions: readPending(body.pendingInteractions),
		error: error ? toText(error) : undefined,
		latestMessage: isRecord(latestMessage) ? latestMessage : undefined,
		latestTool: isRecord(latestTool) ? latestTool : undefined,
		lastActivityAt: nonEmptyText(body.lastActivityAt),
		...(more.length > 0 && { more: Object.fromEntries(more) }),
	};
}

export const hasEnded = ({ status }: Session): boolean =>
	status === 'completed' || status === 'failed';

export const isFromUser = ({ latestMessage }: Session): boolean =>
	toText(latestMessage?.role).toLowerCase() === 'user';

/** Returns an empty text until the agent speaks, because the latest message is the prompt until then. */
export const latestAgentText = (session: Session): string =>
	isFromUser(session) ? '' : (nonEmptyText(session.latestMessage?.text) ?? '');

export const messageKey = ({ latestMessage }: Session): string =>
	fingerprint(toText([latestMessage?.createdAt, latestMessage?.text]));

/** Returns true if an ended session works again, or has a new message that isn't the user's. `lastActivityAt` alone proves nothing. */
export function isNewTurn(
	before: { messageKey: string; hadEnded: boolean },
	now: Session,
): boolean {
	if (before.hadEnded && !hasEnded(now)) return true;
	return messageKey(now) !== before.messageKey && !isFromUser(now);
}

/** @throws UnreadableSessionError as `readSession` */
export async function fetchSession(
	api: ApiClient,
	sessionId: string,
	options?: CallOptions,
): Promise<Session> {
	const { body } = await api.call('getAgentSession', { sessionId }, options);
	return readSession(body, sessionId);
}

/** @throws IndeterminateError without an ID, because an unknown session may be running */
export function readNewSessionId(api: ApiClient, { body }: ApiResponse): string {
	const id = api.readField('createAgentSession', 'sessionId', body);
	if (typeof id === 'string' && canBeId(id)) return isId(id) ? id.toLowerCase() : id;
	const { description } = OPERATIONS.createAgentSession.effect;
	throw new IndeterminateError(
		'A session was started, but the response has no session ID',
		`The service answered: ${quote(body)}. ${description} ${responseOverride('createAgentSession', 'sessionId')}`,
	);
}

/** Returns the error if an earlier try of the execution sent the request without getting a response. */
export const mayHaveHappenedError = (operation: OperationId): IndeterminateError =>
	indeterminateError(
		OPERATIONS[operation].effect as Write,
		'an earlier try of this execution did not get a response to its request.',
	);
