import type { IDataObject } from 'n8n-workflow';

import { resultOrError, WorkspaceAutomationError } from '../errors';
import { isRecord } from '../values';
import type { ApiClient, CallOptions, OperationId, Values } from './operations';
import type { ApiResponse, ReconcileResult } from './apiTypes';
import { hasEnded, isFromUser, isNewTurn, messageKey, type Session, fetchSession } from './session';

export type Reconcile = () => Promise<ReconcileResult>;

const RECONCILE_INTERVAL_MS = 3_000;
/** The least time that a check gets, even beyond the timeout */
const MIN_RECONCILE_MS = 10_000;

export const toResponse = (body: unknown): ReconcileResult => ({ status: 200, headers: {}, body });

/** Polls until something is found or the timeout passes. One stale reading proves nothing, and a failed check finds nothing. */
export async function pollUntilFound(
	{ clock, signal }: ApiClient,
	timeoutMs: number,
	{ deadline = Infinity }: CallOptions,
	check: (options: CallOptions) => Promise<ReconcileResult | undefined>,
	otherwise: ReconcileResult,
): Promise<ReconcileResult> {
	const end = Math.min(deadline, clock.monotonicMs() + timeoutMs);
	for (;;) {
		const minEnd = Math.max(end, clock.monotonicMs() + MIN_RECONCILE_MS);
		const found = await resultOrError(check({ deadline: Math.min(deadline, minEnd) }));
		const hasFailed = found instanceof WorkspaceAutomationError;
		if (found && !hasFailed) return found;
		const leftMs = end - clock.monotonicMs();
		if (leftMs <= 0) return hasFailed ? 'unknown' : otherwise;
		await clock.sleep(Math.min(RECONCILE_INTERVAL_MS, leftMs), signal);
	}
}

/** Time that a new turn and a resolved request may take to appear */
export const NEW_TURN_MS = 30_000;
const RESOLVED_MS = 10_000;

/** Returns true if the message is the latest, or a session at rest has a new turn. A session at work changes by itself. */
function showsMessage(before: Session, now: Session, text: string): boolean {
	const isMessage = (session: Session) =>
		isFromUser(session) && session.latestMessage?.text === text;
	if (isMessage(now) && !isMessage(before)) return true;
	return hasEnded(before) && isNewTurn({ messageKey: messageKey(before), hadEnded: true }, now);
}

/** Creates a check for the message. A session that doesn't show it is no proof. */
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

/** Creates a check for the decision: the session no longer lists the request. */
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

interface AppliedChange {
	read: OperationId;
	isApplied: (now: IDataObject, sent: Values) => boolean;
}

/** How a resource shows that a change was applied, if the request was refused after a lost response */
const APPLIED: Partial<Record<OperationId, AppliedChange>> = {
	updateTask: {
		read: 'getTask',
		// A task never shows its prompt.
		isApplied: ({ title, rrule, emoji }, sent) =>
			sent.prompt === undefined &&
			Object.entries({ title, rrule, emoji }).every(
				([name, value]) => sent[name] === undefined || sent[name] === value,
			),
	},
	renameFile: { read: 'getFile', isApplied: ({ name }, sent) => name === sent.name },
	moveFile: {
		read: 'getFile',
		isApplied: ({ parentId = null }, sent) => parentId === sent.parentId,
	},
	abortAgentSession: {
		read: 'getAgentSession',
		isApplied: ({ status }) => status === 'completed' || status === 'failed',
	},
};

/** Creates a check for a change of a resource. One that doesn't show the change is no proof. */
async function reconcileApplied(
	api: ApiClient,
	values: Values,
	options: CallOptions,
	operation: OperationId,
): Promise<Reconcile> {
	const { read, isApplied } = APPLIED[operation]!;
	const check = async (within: CallOptions): Promise<ApiResponse | undefined> => {
		// An abort is checked even after Stop.
		const response = await api.call(read, values, { ...options, ...within });
		const { body } = response;
		return isRecord(body) && isApplied(body as IDataObject, values) ? response : undefined;
	};
	return async () => await pollUntilFound(api, 0, options, check, 'unknown');
}

/** Called before the request is sent. Their results are called if its response is lost. */
export const RECONCILERS = {
	message: reconcileMessage,
	interaction: reconcileInteraction,
	applied: reconcileApplied,
};
