import { IndeterminateError, indeterminateError, WorkspaceAutomationError } from '../errors';
import { splitList, quote, nonEmptyText } from '../values';
import { canBeId, isId } from '../validation';
import { readSession, type Session } from './session';
import type { ApiResponse } from './types';
import { answerOverride, unreadableResponse } from './overrides';
import { type ApiClient, type CallOptions, nonIdempotent, type OperationId } from './operations';

/** A response where a session should be; the next one may be better. */
export class UnreadableSessionError extends WorkspaceAutomationError {}

/** The session in a response, or undefined where there is none. */
export const parseSession = (
	api: ApiClient,
	body: unknown,
	sessionId: string,
): Session | undefined =>
	readSession(api.readField('getAgentSession', 'session', body) ?? body, sessionId);

/** The same. @throws UnreadableSessionError where the response is no status object */
export function requireSession(api: ApiClient, body: unknown, sessionId: string): Session {
	const session = parseSession(api, body, sessionId);
	if (session) return session;
	const what = 'the status of the session';
	const { message, description } = unreadableResponse('getAgentSession', 'session', what, body);
	throw new UnreadableSessionError(message, description);
}

/** The session as it is now. @throws UnreadableSessionError where the response is no status object */
export async function fetchSession(
	api: ApiClient,
	sessionId: string,
	options?: CallOptions,
): Promise<Session> {
	const { body } = await api.call('getAgentSession', { sessionId }, options);
	return requireSession(api, body, sessionId);
}

/** The values of options that approve or deny, where an override of `resolveInteraction` has words for them. */
export const readOptionWords = (api: ApiClient, decision: 'approve' | 'deny'): string[] =>
	splitList(api.word('resolveInteraction', decision) ?? '');

/**
 * The id of a session that was just started: in the body of the response, or at the end of its `Location` header.
 * @throws IndeterminateError quoting a response without one: a session may be running that nobody knows
 */
export function readNewSessionId(api: ApiClient, { body, headers }: ApiResponse): string {
	const found = api.readField('createAgentSession', 'sessionId', body);
	const named = typeof found === 'number' ? String(found) : nonEmptyText(found);
	const [location = ''] = nonEmptyText(headers.location)?.split(/[?#]/) ?? [];
	const id = named ?? location.split('/').filter(Boolean).pop() ?? '';
	if (canBeId(id)) return isId(id) ? id.toLowerCase() : id;
	const { description } = nonIdempotent('createAgentSession')!;
	throw new IndeterminateError(
		'A session was started, but the response has no session ID',
		`The service answered: ${quote(body)}. ${description} ${answerOverride('createAgentSession', 'sessionId')}`,
	);
}

/** The error for a request that an earlier try of the execution sent without learning what became of it. */
export const mayHaveHappenedError = (operation: OperationId): IndeterminateError =>
	indeterminateError(
		nonIdempotent(operation)!,
		'an earlier try of this execution did not get a response to its request.',
	);
