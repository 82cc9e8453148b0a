import { IndeterminateError, unknownFate, WorkspaceAutomationError } from '../base/errors';
import { listed, quote, textOf } from '../base/values';
import { canBeId } from '../base/validation';
import { readSession, type Session } from '../session/session';
import type { ApiResponse } from '../transport/types';
import { answerOverride, unreadableResponse } from './overrides';
import { type Api, type CallOptions, onceOf, type OperationId } from './operations';

/** A response where a session should be; the next one may be better. */
export class UnreadableSessionError extends WorkspaceAutomationError {}

/** The session in a response, or undefined where there is none. */
export const sessionIn = (api: Api, body: unknown, sessionId: string): Session | undefined =>
	readSession(api.answer('getAgentSession', 'session', body) ?? body, sessionId);

/** The same. @throws UnreadableSessionError where the response is no status object */
export function readableSession(api: Api, body: unknown, sessionId: string): Session {
	const session = sessionIn(api, body, sessionId);
	if (session) return session;
	const what = 'the status of the session';
	const { message, description } = unreadableResponse('getAgentSession', 'session', what, body);
	throw new UnreadableSessionError(message, description);
}

/** The session as it is now. @throws UnreadableSessionError where the response is no status object */
export async function fetchSession(
	api: Api,
	sessionId: string,
	options?: CallOptions,
): Promise<Session> {
	const { body } = await api.call('getAgentSession', { sessionId }, options);
	return readableSession(api, body, sessionId);
}

/** The values of options that approve or deny, where an override of `resolveInteraction` has words for them. */
export const optionWords = (api: Api, decision: 'approve' | 'deny'): string[] =>
	listed(api.word('resolveInteraction', decision) ?? '');

/**
 * The id of a session that was just started: in the body of the response, or at the end of its `Location` header.
 * @throws IndeterminateError quoting a response without one: a session may be running that nobody knows
 */
export function readNewSessionId(api: Api, { body, headers }: ApiResponse): string {
	const found = api.answer('createAgentSession', 'sessionId', body);
	const named = typeof found === 'number' ? String(found) : textOf(found);
	const [location = ''] = textOf(headers.location)?.split(/[?#]/) ?? [];
	const id = named ?? location.split('/').filter(Boolean).pop() ?? '';
	if (canBeId(id)) return id;
	const { description } = onceOf('createAgentSession')!;
	throw new IndeterminateError(
		'A session was started, but the response has no session ID',
		`The service answered: ${quote(body)}. ${description} ${answerOverride('createAgentSession', 'sessionId')}`,
	);
}

/** The error for a request that an earlier try of the execution sent without learning what became of it. */
export const interruptedEarlier = (operation: OperationId): IndeterminateError =>
	unknownFate(
		onceOf(operation)!,
		'an earlier try of this execution did not get a response to its request.',
	);
