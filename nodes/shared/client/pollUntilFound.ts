import { resultOrError, WorkspaceAutomationError } from '../errors';
import type { ApiClient, CallOptions } from './operations';
import type { ReconcileResult } from './types';

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
