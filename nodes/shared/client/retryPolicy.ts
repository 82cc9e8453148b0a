import type { ApiRequest, Attempt, Effect, Headers, ResponseAttempt } from './types';

// Classifies attempts, and decides about retries. Pure decisions: no function sends or waits.

/**
 * Proof that an attempt gives about its request:
 * - `succeeded`: the service did it, and this is its response.
 * - `notExecuted`: the service didn't run the request: it never arrived, or it was rate limited. Safe to retry.
 * - `rejected`: the service said no. A retry wouldn't help.
 * - `unknown`: it may have taken effect. No response came, or one that isn't the service's own.
 */
export type AttemptOutcome = 'succeeded' | 'notExecuted' | 'rejected' | 'unknown';

/** Returns whether a status denies. A redirect, a service in trouble and a rate limit don't. */
export const isRejection = (status: number): boolean =>
	status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Returns whether a response is a page of a proxy or of a login, with any status. */
export function isHtmlPage({ headers, body, text = '' }: ResponseAttempt): boolean {
	if (body !== undefined) return false;
	const saysHtml = /html/i.test(String(headers['content-type'] ?? ''));
	return /^\s*</.test(text) || (saysHtml && /<[!/a-z]/i.test(text));
}

const FAILED_ATTEMPT_OUTCOMES = {
	unsent: 'notExecuted',
	unusable: 'rejected',
	lost: 'unknown',
	tooLarge: 'unknown',
} as const;

/**
 * Returns what an attempt proves. Everything that talks to the service asks here. A success with JSON or with an empty body is the
 * service's own, and so is a 4xx with anything but a page. A 429 proves that nothing ran, no matter who limits the rate.
 */
export function classifyAttempt(attempt: Attempt, effect: Effect): AttemptOutcome {
	if (attempt.kind !== 'response') return FAILED_ATTEMPT_OUTCOMES[attempt.kind];
	const { status, body, text = '', broken } = attempt;
	if (status === 429) return 'notExecuted';
	if (isHtmlPage(attempt)) return 'unknown';
	if (isRejection(status)) return 'rejected';
	if (status < 200 || status >= 300) return 'unknown';
	// A request that reads is useless without a body.
	const isEmpty = broken === undefined && text.trim() === '' && effect !== 'read';
	return body !== undefined || isEmpty ? 'succeeded' : 'unknown';
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 5;

/** The time of a decision, on both clocks */
export interface Moment {
	/** For deadlines */
	monotonicMs: number;
	/** For dates that the service sends */
	wallMs: number;
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait: a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 * A date is compared with the service's own `Date` header, if there is one, so that a wrong clock does no harm.
 * Returns undefined if the header is missing or unreadable.
 */
export function retryAfterMs(headers: Headers, wallMs: number): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim().slice(0, 100);
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Only real dates: Date.parse would take "-5" or "soon 1" for one.
	const at = /[a-z]{3}.*\d{2}:\d{2}/i.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(at)) return undefined;
	const serviceNow = typeof headers.date === 'string' ? Date.parse(headers.date) : NaN;
	return Math.max(0, at - (Number.isNaN(serviceNow) ? wallMs : serviceNow));
}

/**
 * Returns the milliseconds to wait before the next attempt. With `Retry-After`: that time, at least a second, plus up to 2% jitter.
 * Otherwise: 1, 2, 4, ... seconds up to `maxDelayMs`, plus up to 20%, so that many clients don't return at once.
 * @param failures 1 after the first failure
 * @param random from 0 to 1
 */
export function retryDelayMs(
	attempt: Attempt,
	failures: number,
	wallMs: number,
	random: number,
	maxDelayMs = MAX_DELAY_MS,
): number {
	const asked = attempt.kind === 'response' ? retryAfterMs(attempt.headers, wallMs) : undefined;
	if (asked !== undefined) return Math.max(asked, FIRST_DELAY_MS) * (1 + random / 50);
	return Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (failures - 1)) * (1 + random / 5);
}

export interface RetryLimits {
	/** On the monotonic clock: the time after which nothing is sent again; without a limit by default */
	deadline?: number;
	/** Attempts at most; a 429 doesn't count. 5 by default */
	maxAttempts?: number;
	/** True to send once and never again, for a caller who checks the result before the next attempt */
	singleAttempt?: boolean;
	/** The longest wait between two attempts in milliseconds, unless the service asks for more. 30 s by default */
	maxDelayMs?: number;
	/** Waits in milliseconds after each of which a 404 is retried. None by default */
	notFoundDelaysMs?: readonly number[];
}

export interface RetryState {
	/** Attempts that ended in a 429 */
	throttled: number;
	/** Other attempts that failed and may be repeated */
	failures: number;
	/** Attempts that ended in a 404 and were repeated */
	notFound: number;
	/** True if an attempt may have reached the service and taken effect */
	mayHaveTakenEffect: boolean;
}

/** The state before the first attempt */
export const NO_ATTEMPTS: RetryState = {
	throttled: 0,
	failures: 0,
	notFound: 0,
	mayHaveTakenEffect: false,
};

export interface NextAction {
	/**
	 * - `return`: the attempt has the response.
	 * - `returnDeleted`: a DELETE finds nothing after an attempt that may have deleted it, so it's done.
	 * - `retry`: after the delay.
	 * - `reconcile`: find out whether it took effect. If not, retry after the delay; without a delay, fail.
	 */
	type: 'return' | 'returnDeleted' | 'retry' | 'reconcile' | 'fail';
	delayMs?: number;
	state: RetryState;
	/** After a 429: for how long to pause every request with this key */
	pauseMs?: number;
}

/** Returns whether a wait ends in time. */
export const fitsDeadline = (
	delayMs: number,
	{ monotonicMs }: Moment,
	{ deadline = Infinity }: RetryLimits,
): boolean => monotonicMs + delayMs <= deadline;

/** Returns whether the request may be sent again if there's time. A non-idempotent request has to be reconciled before. */
export function shouldRetry(
	outcome: AttemptOutcome,
	{ kind }: Attempt,
	{ failures }: RetryState,
	{ singleAttempt, maxAttempts = MAX_ATTEMPTS }: RetryLimits,
): boolean {
	if (singleAttempt) return false;
	// A response that was too large would be as large the next time.
	return outcome !== 'rejected' && kind !== 'tooLarge' && failures < maxAttempts;
}

/** Returns the wait before a 404 is retried; undefined if it's final. A new session isn't readable at once. */
function notFoundDelay(state: RetryState, moment: Moment, limits: RetryLimits): number | undefined {
	const delayMs = limits.singleAttempt ? undefined : limits.notFoundDelaysMs?.[state.notFound];
	return delayMs !== undefined && fitsDeadline(delayMs, moment, limits) ? delayMs : undefined;
}

/** Returns what to do after the service said no. The reason may be an earlier attempt, such as a file that exists by now. */
function afterRejection(
	state: RetryState,
	attempt: Attempt,
	{ effect, method }: Pick<ApiRequest, 'effect' | 'method'>,
	moment: Moment,
	limits: RetryLimits,
): NextAction {
	if (attempt.kind === 'response' && attempt.status === 404) {
		const delayMs = notFoundDelay(state, moment, limits);
		if (delayMs !== undefined)
			return { type: 'retry', delayMs, state: { ...state, notFound: state.notFound + 1 } };
		if (method === 'DELETE' && state.mayHaveTakenEffect && !limits.singleAttempt)
			return { type: 'returnDeleted', state };
	}
	const isNonIdempotent = typeof effect === 'object';
	return { type: state.mayHaveTakenEffect && isNonIdempotent ? 'reconcile' : 'fail', state };
}

/**
 * Returns what to do after an attempt.
 * @param random from 0 to 1
 */
export function nextAction(
	before: RetryState,
	attempt: Attempt,
	request: Pick<ApiRequest, 'effect' | 'method'>,
	limits: RetryLimits,
	moment: Moment,
	random: number,
): NextAction {
	const outcome = classifyAttempt(attempt, request.effect);
	if (outcome === 'succeeded') return { type: 'return', state: before };
	const isThrottled = attempt.kind === 'response' && attempt.status === 429;
	const counter = isThrottled ? 'throttled' : 'failures';
	const count = before[counter] + 1;
	const mayHaveTakenEffect = before.mayHaveTakenEffect || outcome === 'unknown';
	const state: RetryState = { ...before, [counter]: count, mayHaveTakenEffect };
	const canRetry = shouldRetry(outcome, attempt, state, limits);
	if (outcome === 'rejected' && !canRetry)
		return afterRejection(before, attempt, request, moment, limits);

	const wantedMs = retryDelayMs(attempt, count, moment.wallMs, random, limits.maxDelayMs);
	const isInTime = fitsDeadline(wantedMs, moment, limits);
	const delayMs = canRetry && isInTime ? wantedMs : undefined;
	if (outcome === 'unknown' && typeof request.effect === 'object')
		return { type: 'reconcile', delayMs, state };
	// A wait beyond the deadline pauses the key for a second only: the limit may apply to this request alone.
	const keyPauseMs = isInTime ? wantedMs : FIRST_DELAY_MS;
	const pauseMs = isThrottled ? keyPauseMs : undefined;
	return { type: delayMs === undefined ? 'fail' : 'retry', delayMs, state, pauseMs };
}
