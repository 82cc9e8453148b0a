import { shortenRequest } from '../approvals/largeRequest';
import { IndeterminateError, indeterminateError, WorkspaceAutomationError } from '../errors';
import { canBeId, isId, MAX_URL_LENGTH } from '../validation';
import {
	toText,
	fingerprint,
	parseTimestamp,
	optionalExcerpt,
	isRecord,
	isTooDeep,
	sortedJson,
	nonEmptyText,
	quote,
	splitList,
} from '../values';
import { type ApiClient, type CallOptions, nonIdempotent, type OperationId } from './operations';
import { responseOverride, unreadableResponse } from './overrides';
import { findOtherName } from './resource';
import type { ApiResponse } from './types';

// Session as in the API document (Agent session status object)

export interface LatestMessage {
	role?: string;
	text?: string;
	createdAt?: string;
	completedAt?: string;
}

export interface LatestTool {
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
	/** Each once, however often the service lists it. `id` is empty if there is none. */
	pendingInteractions: Interaction[];
	/** Number of pending interactions that were left for the next reading */
	morePending?: number;
	error?: string;
	latestMessage?: LatestMessage;
	latestTool?: LatestTool;
	/** A date-time in any form that the service gives */
	lastActivityAt?: string | number;
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

/** Returns a fingerprint that ignores the order of keys, or undefined if the value is nested too deeply. */
export function fingerprintContent(value: unknown): string | undefined {
	const json = sortedJson(value);
	return json === undefined ? undefined : fingerprint(json);
}

/** Type of a `pendingInteractions` that isn't a list: something unknown waits. */
export const NOT_A_LIST = 'pendingInteractions that are not a list';

const TOO_DEEP = 'interaction that is nested too deeply';

const hasOnlyBlanks = (value: unknown): boolean =>
	!value || (typeof value === 'object' && Object.values(value).every(hasOnlyBlanks));

/** Returns true for nothing, and for objects and lists that hold nothing. */
export const isBlank = (value: unknown): boolean => !isTooDeep(value) && hasOnlyBlanks(value);

/** Returns whether something is pending. Looks into a request only if it has no ID. */
const listsSome = (value: unknown): boolean =>
	(Array.isArray(value) && value.some((each) => isRecord(each) && hasId(each))) || !isBlank(value);

const hasId = ({ id }: Record<string, unknown>): boolean => nonEmptyText(id) !== undefined;

/** Removes duplicates. Keeps entries that are no interactions, because the session may wait for one. */
export function readInteractions(value: unknown): Interaction[] {
	if (!listsSome(value)) return [];
	if (!Array.isArray(value)) {
		const pendingInteractions = isTooDeep(value) ? toText(value) : value;
		return [{ id: '', type: NOT_A_LIST, pendingInteractions }];
	}
	const isShallow = !isTooDeep(value);
	/** The first of each ID, until it's among the contents */
	const first = new Map<string, Interaction | undefined>();
	/** Contents of those whose ID is listed several times */
	const contents = new Set<string | undefined>();
	return value.flatMap((entry): Interaction[] => {
		if (!isShallow && isTooDeep(entry)) return [{ id: '', type: TOO_DEEP }];
		if (!isRecord(entry)) return [{ id: '', type: '', interaction: entry }];
		const id = typeof entry.id === 'number' ? String(entry.id) : (nonEmptyText(entry.id) ?? '');
		const type = nonEmptyText(entry.type) ?? '';
		const isTyped = entry.id === id && entry.type === type;
		const short = shortenRequest(entry);
		const interaction = isTyped ? (short as Interaction) : { ...short, id, type };
		if (id === '') return [interaction];
		if (!first.has(id)) first.set(id, interaction);
		else {
			const earlier = first.get(id);
			if (earlier) contents.add(sortedJson(earlier));
			first.set(id, undefined);
			const content = sortedJson(interaction);
			if (contents.has(content)) return [];
			contents.add(content);
		}
		return [interaction];
	});
}

const readRecord = (value: unknown): Record<string, unknown> | undefined =>
	isRecord(value) && !isTooDeep(value) ? value : undefined;

function readMore(found: Record<string, unknown>): Record<string, unknown> | undefined {
	const more = Object.keys(found).filter(
		(name) => !DOCUMENTED_FIELDS.includes(name) && !isTooDeep(found[name]),
	);
	return more.length > 0 ? Object.fromEntries(more.map((name) => [name, found[name]])) : undefined;
}

export const isKnownStatus = (status: string): boolean =>
	['starting', 'running', 'completed', 'failed'].includes(status.toLowerCase());

/** Returns a status in the document's words, or as it is if it's none of them. */
function toStatus(status: unknown, words: StatusWords): string {
	const word = String(status).trim().toLowerCase();
	return isKnownStatus(word) ? word : (words[word] ?? String(status));
}

const placesOf = (body: unknown): Array<Record<string, unknown>> =>
	(isRecord(body) ? [body, body.session, body.data] : []).filter(isRecord);

/** Returns another session's ID that a response names, the status object first. Without an ID, the response counts. */
export function findOtherSession(body: unknown, sessionId: string): string | number | undefined {
	const places = placesOf(body);
	const hasStatus = ({ status }: Record<string, unknown>) => typeof status === 'string';
	const ordered = [...places.filter(hasStatus), ...places.filter((place) => !hasStatus(place))];
	return findOtherName(ordered, ['sessionId', 'session_id'], sessionId);
}

/** The service's own words for final statuses, in lower case */
export type StatusWords = Partial<Record<string, 'completed' | 'failed'>>;

/** Reads the status object at the top or below `session` or `data`. Returns undefined if there is none. */
export function readSession(
	body: unknown,
	sessionId: string,
	words: StatusWords = {},
): Session | undefined {
	const places = placesOf(body);
	// Once for all of the response
	isTooDeep(body);
	const readable = places.filter(({ status }) => typeof status === 'string');
	// An envelope around it may have another status.
	const found =
		readable.find(({ status }) => isKnownStatus(toStatus(status, words))) ?? readable[0];
	if (!found) return undefined;
	const { lastActivityAt } = found;
	const around = [found, found.session, found.data, ...places].filter(isRecord);
	const pending = around.map(({ pendingInteractions }) => pendingInteractions);
	return {
		sessionId,
		// On one line, because errors and the log show it
		dashboardUrl: optionalExcerpt(found.dashboardUrl, MAX_URL_LENGTH),
		status: toStatus(found.status, words),
		pendingInteractions: readInteractions(pending.find(listsSome)),
		error: isBlank(found.error) ? undefined : toText(found.error),
		latestMessage: readRecord(found.latestMessage),
		latestTool: readRecord(found.latestTool),
		lastActivityAt:
			typeof lastActivityAt === 'number' ? lastActivityAt : nonEmptyText(lastActivityAt),
		more: readMore(found),
	};
}

export const hasEnded = ({ status }: Session): boolean =>
	status === 'completed' || status === 'failed';

export const isFromUser = ({ latestMessage }: Session): boolean =>
	toText(latestMessage?.role).toLowerCase() === 'user';

/** Returns an empty text until the agent speaks, because the latest message is the prompt until then. */
export const latestAgentText = (session: Session): string =>
	isFromUser(session) ? '' : (session.latestMessage?.text ?? '');

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

/** Returns false if either time is unreadable. */
export const isStale = (now: Session, lastActivityAt: string | number | undefined): boolean =>
	parseTimestamp(now.lastActivityAt) < parseTimestamp(lastActivityAt);

export const isAfter = (time: string | number | undefined, ms: number): boolean =>
	parseTimestamp(time) > ms;

/** Thrown for a response without a status object. The next response may have one. */
export class UnreadableSessionError extends WorkspaceAutomationError {}

const FINAL_STATUSES = ['completed', 'failed'] as const;

/** Returns the statuses that an override of `getAgentSession` names, by the word in lower case. */
const readStatusWords = (api: ApiClient): StatusWords =>
	Object.fromEntries(
		FINAL_STATUSES.flatMap((status) =>
			splitList(api.word('getAgentSession', status) ?? '').map((word) => [
				word.toLowerCase(),
				status,
			]),
		),
	);

/** @throws UnreadableSessionError if the response has no status object, or another session's */
export function requireSession(api: ApiClient, body: unknown, sessionId: string): Session {
	const given = api.readField('getAgentSession', 'session', body) ?? body;
	const other = findOtherSession(given, sessionId) ?? findOtherSession(body, sessionId);
	if (other !== undefined)
		throw new UnreadableSessionError(
			'The service answered about another session',
			`You asked for ${sessionId}, and the response is about ${quote(other, 100)}. Check for a cache or a proxy in front of the service.`,
		);
	const session = readSession(given, sessionId, readStatusWords(api));
	if (session) return session;
	const what = 'the status of the session';
	const { message, description } = unreadableResponse('getAgentSession', 'session', what, body);
	throw new UnreadableSessionError(message, description);
}

/** @throws UnreadableSessionError as `requireSession` */
export async function fetchSession(
	api: ApiClient,
	sessionId: string,
	options?: CallOptions,
): Promise<Session> {
	const { body } = await api.call('getAgentSession', { sessionId }, options);
	return requireSession(api, body, sessionId);
}

/** Returns the option values that an override of `resolveInteraction` names for a decision. */
export const readOptionWords = (api: ApiClient, decision: 'approve' | 'deny'): string[] =>
	splitList(api.word('resolveInteraction', decision) ?? '');

/** @throws IndeterminateError without an ID, because an unknown session may be running */
export function readNewSessionId(api: ApiClient, { body }: ApiResponse): string {
	const id = nonEmptyText(api.readField('createAgentSession', 'sessionId', body)) ?? '';
	if (canBeId(id)) return isId(id) ? id.toLowerCase() : id;
	const { description } = nonIdempotent('createAgentSession')!;
	throw new IndeterminateError(
		'A session was started, but the response has no session ID',
		`The service answered: ${quote(body)}. ${description} ${responseOverride('createAgentSession', 'sessionId')}`,
	);
}

/** Returns the error if an earlier try of the execution sent the request without getting a response. */
export const mayHaveHappenedError = (operation: OperationId): IndeterminateError =>
	indeterminateError(
		nonIdempotent(operation)!,
		'an earlier try of this execution did not get a response to its request.',
	);
