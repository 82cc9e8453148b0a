import { resultOrError, WorkspaceAutomationError } from '../errors';
import type { ApiClient, CallOptions } from './operations';
import type { ReconcileResult } from './types';

/** Finds out whether a request took effect. */
export type Reconcile = () => Promise<ReconcileResult>;

const RECONCILE_INTERVAL_MS = 3_000;
/** The least time that a check gets, however little is left for another */
const MIN_RECONCILE_MS = 10_000;

/** Returns what a check found as the response that the request would have got. */
export const toResponse = (body: unknown): ReconcileResult => ({ status: 200, headers: {}, body });

/**
 * Checks again and again until something is found or the timeout has passed. One stale reading proves nothing, and a failed check finds
 * nothing.
 * @param timeoutMs how long an effect may take to appear
 * @param otherwise the result if nothing is found
 */
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
		if (clock.monotonicMs() + RECONCILE_INTERVAL_MS > end) return hasFailed ? 'unknown' : otherwise;
		await clock.sleep(RECONCILE_INTERVAL_MS, signal);
	}
}
