import { resultOrError, WorkspaceAutomationError } from '../errors';
import { readNamedField, parseTimestamp } from '../values';
import { hasEnded, messageKey, isNewTurn, type Session } from './session';
import type { ReconcileResult } from './transport';
import { findFilesByName } from './lists';
import { fetchSession } from './sessions';
import type { ApiClient, CallOptions, Values } from './operations';

// How to find out whether a request of unknown fate took effect. One stale reading proves nothing, so each looks for as long as a
// change may take to show.

type Reconcile = () => Promise<ReconcileResult>;

const RECONCILE_INTERVAL_MS = 3_000;
/** The least that a look gets, however little time is left for another */
const MIN_RECONCILE_MS = 10_000;
/** How far the clocks of n8n and the service may be apart */
const CLOCK_SKEW_MS = 60_000;
/** How long a new turn, an answered request and a new file may take to show */
export const NEW_TURN_MS = 30_000;
const RESOLVED_MS = 10_000;
const FILE_VISIBLE_MS = 30_000;

const toResponse = (body: unknown): ReconcileResult => ({ status: 200, headers: {}, body });

/** Looks again and again until something is found or the time is over; a look that fails finds nothing. */
async function pollUntilFound(
	{ clock, signal }: ApiClient,
	timeoutMs: number,
	{ deadline = Infinity }: CallOptions,
	look: (options: CallOptions) => Promise<ReconcileResult | undefined>,
	otherwise: ReconcileResult,
): Promise<ReconcileResult> {
	const end = Math.min(deadline, clock.now() + timeoutMs);
	for (;;) {
		const within = Math.min(deadline, Math.max(end, clock.now() + MIN_RECONCILE_MS));
		const found = await resultOrError(look({ deadline: within }));
		const failed = found instanceof WorkspaceAutomationError;
		if (found && !failed) return found;
		if (clock.now() + RECONCILE_INTERVAL_MS > end) return failed ? 'unknown' : otherwise;
		await clock.sleep(RECONCILE_INTERVAL_MS, signal);
	}
}

/** Finds out whether a message arrived: a new turn is proven, or the session shows the message itself. Neither is no proof. */
export const messageReconciler =
	(api: ApiClient, before: Session, text: string, options: CallOptions = {}): Reconcile =>
	async () => {
		const look = async (within: CallOptions) => {
			const now = await fetchSession(api, before.sessionId, within);
			const shows = ({ latestMessage }: Session) =>
				latestMessage?.role === 'user' && latestMessage.text === text;
			// A session at work goes on by itself.
			const start = { messageKey: messageKey(before), hadEnded: true };
			const isProven = hasEnded(before) && isNewTurn(start, now);
			return isProven || (shows(now) && !shows(before)) ? toResponse(now) : undefined;
		};
		return await pollUntilFound(api, NEW_TURN_MS, options, look, 'unknown');
	};

async function reconcileMessage(
	api: ApiClient,
	values: Values,
	options: CallOptions,
): Promise<Reconcile> {
	const before = await fetchSession(api, String(values.sessionId), options);
	return messageReconciler(api, before, String(values.text), options);
}

/** Whether a request was answered, told from its being listed no longer. */
async function reconcileInteraction(
	api: ApiClient,
	values: Values,
	options: CallOptions,
): Promise<Reconcile> {
	const look = async (within: CallOptions) => {
		const now = await fetchSession(api, String(values.sessionId), within);
		const isPending = now.pendingInteractions.some(({ id }) => id === String(values.interactionId));
		return isPending ? undefined : toResponse(now);
	};
	return async () => await pollUntilFound(api, RESOLVED_MS, options, look, 'undone');
}

/** Whether a file was created. Names are unique among siblings, so one of that name that is new is the one. */
async function reconcileFile(
	api: ApiClient,
	values: Values,
	options: CallOptions,
): Promise<Reconcile> {
	const sentAt = api.clock.now();
	const look = async (within: CallOptions): Promise<ReconcileResult | undefined> => {
		const named = await findFilesByName(api, values, within);
		const found = named.filter(({ kind = values.kind }) => kind === values.kind);
		const isFresh = (createdAt: unknown) => parseTimestamp(createdAt) >= sentAt - CLOCK_SKEW_MS;
		const fresh = found.filter((each) => isFresh(readNamedField(each, 'createdAt')));
		if (fresh.length === 1) return toResponse(fresh[0]);
		return found.length > 0 ? 'unknown' : undefined;
	};
	let looks = 0;
	return async () => {
		// The first time sending again is proof enough: the service refuses a name that exists. Then it has to show.
		// Not to show is no proof: it may have been put elsewhere.
		if (looks++ === 0) return await pollUntilFound(api, 0, options, look, 'undone');
		return await pollUntilFound(api, FILE_VISIBLE_MS, options, look, 'unknown');
	};
}

/** By the `look` of an operation's row: called before the request is sent, to return what is called when its fate is unknown */
export const RECONCILERS = {
	message: reconcileMessage,
	interaction: reconcileInteraction,
	file: reconcileFile,
};
