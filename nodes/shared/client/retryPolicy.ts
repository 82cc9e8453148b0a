import type { ApiRequest, Attempt, Headers } from './types';

// What an attempt proves about its request, and so what may be sent again and when. Decisions only: nothing here sends or waits.

/**
 * What the end of an attempt proves about its request:
 * - `done`: the service did it, and this is its answer.
 * - `held`: it was not done, and may be sent again: never received, or too many at once.
 * - `refused`: it was not done, and sending it again would not help.
 * - `unknown`: it may have been done or not: no answer came, or one that is nobody's.
 */
export type Outcome = 'done' | 'held' | 'refused' | 'unknown';

/** Whether an error status says no, as against a redirect, a service in trouble or a rate limit. */
export const isRejection = (status: number): boolean =>
	status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Without a response an attempt proves this. */
const KIND_OUTCOMES = {
	unsent: 'held',
	unusable: 'refused',
	lost: 'unknown',
	tooLarge: 'unknown',
} as const;

/**
 * What an attempt proves; everything that speaks to the service asks here. A success with JSON, or with nothing at all, is the
 * service's own. One with a web page or with JSON that is cut off, and a redirect, come from a proxy or a login in between.
 * @param reads whether the request was for its answer: then an empty one is none
 */
export function classifyAttempt(attempt: Attempt, reads: boolean): Outcome {
	if (attempt.kind !== 'response') return KIND_OUTCOMES[attempt.kind];
	const { status, body, text = '', broken } = attempt;
	if (status >= 200 && status < 300) {
		const isEmpty = broken === undefined && text.trim() === '';
		return body !== undefined || (isEmpty && !reads) ? 'done' : 'unknown';
	}
	if (status === 429) return 'held';
	return isRejection(status) ? 'refused' : 'unknown';
}

/** A wait between two attempts: ours, where the service asks for none; never less than the first */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 5;

/**
 * Milliseconds that a `Retry-After` header asks to wait: a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 * A date is compared with the service's own `Date` header where there is one, so that a clock that is off does no harm.
 * Undefined where the header is missing or unreadable.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim().slice(0, 100);
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Only real dates: Date.parse would take "-5" or "soon 1" for one.
	const at = /[a-z]{3}.*\d{2}:\d{2}/i.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(at)) return undefined;
	const serviceNow = typeof headers.date === 'string' ? Date.parse(headers.date) : NaN;
	return Math.max(0, at - (Number.isNaN(serviceNow) ? nowMs : serviceNow));
}

/**
 * Milliseconds to wait before the next attempt: what `Retry-After` asks for, at least a second, and up to a fiftieth more; else
 * 1, 2, 4, ... seconds up to `longestMs` and up to a fifth more, so that many clients do not come back in the same instant.
 * (The service has worked out what it asks for; much more than that only makes the work take longer.)
 * @param failures 1 after the first failure
 * @param random from 0 to 1
 */
export function retryDelayMs(
	attempt: Attempt,
	failures: number,
	nowMs: number,
	random: number,
	longestMs = MAX_DELAY_MS,
): number {
	const asked = attempt.kind === 'response' ? retryAfterMs(attempt.headers, nowMs) : undefined;
	const own = Math.min(longestMs, FIRST_DELAY_MS * 2 ** (failures - 1));
	return asked === undefined
		? own * (1 + random / 5)
		: Math.max(asked, FIRST_DELAY_MS) * (1 + random / 50);
}

export interface RetryLimits {
	/** Time, as the clock gives it, after which nothing is sent again */
	deadline?: number;
	/** How often a failing request is sent at most; a 429 does not count. 5 by default */
	maxAttempts?: number;
	/** Whether it is sent a single time, whatever comes back: for a caller who looks before sending again */
	singleAttempt?: boolean;
	/** The longest wait between two attempts in milliseconds, unless the service asks for more. 30 s by default */
	maxDelayMs?: number;
	/** Waits after which a 404 is asked again; one that outlasts them is final. None by default */
	notFoundDelaysMs?: readonly number[];
}

/** What the attempts so far have come to, before the first. */
export const NO_ATTEMPTS = {
	/** Attempts that ended in a 429 */
	held: 0,
	/** Other attempts that may be made again */
	failures: 0,
	notFound: 0,
	/** Whether one of the attempts may have reached the service and taken effect */
	mayHaveTakenEffect: false,
};

export type RetryState = typeof NO_ATTEMPTS;

export interface NextAction {
	/**
	 * - `return`: what came back is the answer.
	 * - `returnDeleted`: a DELETE finds nothing after an attempt that may have deleted it: it has.
	 * - `sendAgain`: after the delay.
	 * - `reconcile`: find out whether it took effect; if not, send it again after the delay or, where there is none, fail.
	 */
	type: 'return' | 'returnDeleted' | 'sendAgain' | 'reconcile' | 'fail';
	delayMs?: number;
	state: RetryState;
	/** After a 429: for how long it concerns every request with this key */
	pauseMs?: number;
}

/**
 * What follows from the end of an attempt.
 * @param nowMs as the clock gives it
 * @param random from 0 to 1
 */
export function nextAction(
	state: RetryState,
	attempt: Attempt,
	{ effect, method }: Pick<ApiRequest, 'effect' | 'method'>,
	{
		deadline = Infinity,
		maxAttempts = MAX_ATTEMPTS,
		notFoundDelaysMs = [],
		...limits
	}: RetryLimits,
	nowMs: number,
	random: number,
): NextAction {
	const evidence = classifyAttempt(attempt, effect === 'read');
	const status = attempt.kind === 'response' ? attempt.status : undefined;
	const isOnce = typeof effect === 'object';
	if (evidence === 'done') return { type: 'return', state };

	if (status === 404 && !limits.singleAttempt) {
		const delayMs = notFoundDelaysMs[state.notFound];
		if (delayMs !== undefined && nowMs + delayMs <= deadline)
			return { type: 'sendAgain', delayMs, state: { ...state, notFound: state.notFound + 1 } };
		if (method === 'DELETE' && state.mayHaveTakenEffect) return { type: 'returnDeleted', state };
	}
	// The refusal may be due to the earlier attempt: a file that exists by now.
	if (evidence === 'refused')
		return { type: state.mayHaveTakenEffect && isOnce ? 'reconcile' : 'fail', state };

	const isLimit = status === 429;
	const counter = isLimit ? 'held' : 'failures';
	const count = state[counter] + 1;
	const mayHaveTakenEffect = state.mayHaveTakenEffect || evidence === 'unknown';
	const next: RetryState = { ...state, [counter]: count, mayHaveTakenEffect };
	const delay = retryDelayMs(attempt, count, nowMs, random, limits.maxDelayMs);
	const isInTime = nowMs + delay <= deadline;
	const delayMs =
		!limits.singleAttempt && next.failures < maxAttempts && isInTime ? delay : undefined;
	if (evidence === 'unknown' && isOnce) return { type: 'reconcile', delayMs, state: next };
	// What this request cannot wait for may be meant for it alone: the next one finds out.
	const pauseMs = isLimit ? (isInTime ? delay : FIRST_DELAY_MS) : undefined;
	// What was too large would be as large the next time.
	const isFinal = delayMs === undefined || attempt.kind === 'tooLarge';
	return { type: isFinal ? 'fail' : 'sendAgain', delayMs, state: next, pauseMs: pauseMs };
}
