import { IndeterminateError, indeterminateError, WorkspaceAutomationError } from '../errors';
import { splitList, quote, nonEmptyText } from '../values';
import { canBeId, isId } from '../validation';
import { findOtherSession, readSession, type Session, type StatusWords } from './session';
import type { ApiResponse } from './types';
import { responseOverride, unreadableResponse } from './overrides';
import { type ApiClient, type CallOptions, nonIdempotent, type OperationId } from './operations';

/** Thrown for a response without a status object. The next response may have one. */
export class UnreadableSessionError extends WorkspaceAutomationError {}

const FINAL_STATUSES = ['completed', 'failed'] as const;

/** Returns the statuses that an override of `getAgentSession` names, by the word in lower case. */
export const readStatusWords = (api: ApiClient): StatusWords =>
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

/** Reads the body, then the `Location` header. @throws IndeterminateError without an ID, because an unknown session may be running */
export function readNewSessionId(api: ApiClient, { body, headers }: ApiResponse): string {
	const found = api.readField('createAgentSession', 'sessionId', body);
	const named = typeof found === 'number' ? String(found) : nonEmptyText(found);
	const [location = ''] = nonEmptyText(headers.location)?.split(/[?#]/) ?? [];
	const id = named ?? location.split('/').filter(Boolean).pop() ?? '';
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
