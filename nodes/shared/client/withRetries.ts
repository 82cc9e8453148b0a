import {
	CanceledError,
	indeterminateError,
	resultOrError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../errors';
import { RateLimitError } from './attemptError';
import type { Clock } from './clock';
import { nextAction, NO_ATTEMPTS, type NextAction, type RetryLimits } from './retryPolicy';
import type { ApiRequest, ApiResponse, Attempt, ReconcileResult } from './types';

export interface DecidedAttempt extends NextAction {
	attempt: Attempt;
}

export interface RetryOptions {
	request: Pick<ApiRequest, 'effect' | 'method'>;
	/** Read after each attempt */
	limits: RetryLimits;
	clock: Clock;
	/** Ends the waits between attempts. Without one, the call continues after Stop. */
	signal: AbortSignal | undefined;
	reconcile?: () => Promise<ReconcileResult>;
	toError(attempt: Attempt): WorkspaceAutomationError;
}

/** Returns the response if the request took effect, or undefined to send it again. */
async function reconcileAttempt(
	{ attempt, delayMs }: DecidedAttempt,
	{ request, reconcile, toError }: RetryOptions,
): Promise<ApiResponse | undefined> {
	const error = toError(attempt);
	const result = reconcile ? await resultOrError(reconcile()) : 'unknown';
	if (result === 'notApplied' && delayMs !== undefined) return undefined;
	if (result === 'notApplied') throw error;
	const isUnknown = result === 'unknown' || result instanceof WorkspaceAutomationError;
	if (!isUnknown) return result;
	if (typeof request.effect !== 'object') throw error;
	// The general advice, such as to try again later, would contradict that of the unknown effect.
	const happened = `${error.message}. ${error.facts ?? error.description}`.trim();
	throw indeterminateError(request.effect, happened, error.context);
}

/**
 * Retries a non-idempotent request only after proof that it had no effect. Throws the same errors as the transport's `send`.
 * @param sendOnce sends the request and passes the attempt to `decide`, whose result it returns
 */
export async function withRetries(
	sendOnce: (decide: (attempt: Attempt) => DecidedAttempt) => Promise<DecidedAttempt>,
	options: RetryOptions,
): Promise<ApiResponse> {
	const { request, limits, clock, signal } = options;
	const isNonIdempotent = typeof request.effect === 'object';
	let state = NO_ATTEMPTS;
	/** The service's latest response that asked to wait */
	let throttled: Attempt | undefined;
	const decide = (attempt: Attempt): DecidedAttempt => {
		const moment = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() };
		return { attempt, ...nextAction(state, attempt, request, limits, moment, Math.random()) };
	};
	try {
		for (;;) {
			const decided = await sendOnce(decide);
			const { attempt, type, delayMs } = decided;
			// Stop cut this attempt off. A non-idempotent request isn't cut off.
			if (attempt.kind !== 'response' && !isNonIdempotent) throwIfAborted(signal);
			state = decided.state;
			throttled = decided.pauseMs === undefined ? undefined : attempt;
			if (type === 'returnDeleted') return { status: 204, headers: {}, body: undefined };
			if (type === 'return' && attempt.kind === 'response') return attempt;
			if (type === 'fail') throw options.toError(attempt);
			const response = type === 'reconcile' && (await reconcileAttempt(decided, options));
			if (response) return response;
			await clock.sleep(delayMs ?? 0, signal);
		}
	} catch (error) {
		// The service's own words say more than that there was no time.
		if (error instanceof RateLimitError && throttled) throw options.toError(throttled);
		const isUnresolved = isNonIdempotent && state.mayHaveTakenEffect;
		throw error instanceof CanceledError && isUnresolved ? new CanceledError(true) : error;
	}
}
