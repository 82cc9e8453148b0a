import { reconcileFile } from './files';
import type { ApiClient, CallOptions, Values } from './operations';
import { pollUntilFound, toResponse, type Reconcile } from './pollUntilFound';
import { hasEnded, isNewTurn, isStale, messageKey, type Session } from './session';
import { fetchSession } from './sessions';

// Checks whether a non-idempotent request took effect after its response was lost.

/** Time that a new turn and a resolved request may take to appear */
export const NEW_TURN_MS = 30_000;
const RESOLVED_MS = 10_000;

/**
 * Returns whether a session shows that a message arrived: it's the latest message, or it has started a new turn of a session at rest. A session
 * at work changes by itself.
 */
function showsMessage(before: Session, now: Session, text: string): boolean {
	if (isStale(now, before.lastActivityAt)) return false;
	const isMessage = ({ latestMessage }: Session) =>
		latestMessage?.role === 'user' && latestMessage.text === text;
	if (isMessage(now) && !isMessage(before)) return true;
	return hasEnded(before) && isNewTurn({ messageKey: messageKey(before), hadEnded: true }, now);
}

/** Returns a check whether a message reached the session. A session that doesn't show it is no proof. */
export const messageReconciler =
	(api: ApiClient, before: Session, text: string, options: CallOptions = {}): Reconcile =>
	async () => {
		const check = async (within: CallOptions) => {
			const now = await fetchSession(api, before.sessionId, within);
			return showsMessage(before, now, text) ? toResponse(now) : undefined;
		};
		return await pollUntilFound(api, NEW_TURN_MS, options, check, 'unknown');
	};

async function reconcileMessage(
	api: ApiClient,
	values: Values,
	options: CallOptions,
): Promise<Reconcile> {
	const before = await fetchSession(api, String(values.sessionId), options);
	return messageReconciler(api, before, String(values.text), options);
}

/** Returns a check whether a request was decided: the session doesn't list it any more. */
async function reconcileInteraction(
	api: ApiClient,
	values: Values,
	options: CallOptions,
): Promise<Reconcile> {
	const check = async (within: CallOptions) => {
		const now = await fetchSession(api, String(values.sessionId), within);
		const isPending = now.pendingInteractions.some(({ id }) => id === String(values.interactionId));
		return isPending ? undefined : toResponse(now);
	};
	return async () => await pollUntilFound(api, RESOLVED_MS, options, check, 'notApplied');
}

/** By `reconciler` of an operation's row. Called before the request is sent; the result is called if its response is lost. */
export const RECONCILERS = {
	message: reconcileMessage,
	interaction: reconcileInteraction,
	file: reconcileFile,
};
