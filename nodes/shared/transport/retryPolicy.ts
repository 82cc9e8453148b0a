import { LIMITS } from '../base/limits';
import { isRecord } from '../base/values';
import type { ApiRequest, Attempt, Headers } from './types';

// What may be sent again, and when. Decisions only: nothing here sends or waits.

/**
 * - `success`: use the response.
 * - `retry`: nothing happened, or doing it twice does no harm: may be sent again.
 * - `indeterminate`: it may have happened, and doing it twice would do harm: find out before anything else.
 * - `fail`: sending again would not help.
 */
export type Classification = 'success' | 'retry' | 'indeterminate' | 'fail';

/** Whether a request may be sent again although it may have taken effect. A POST may not until somebody says so. */
export const isIdempotent = ({ method, idempotent }: ApiRequest): boolean =>
	idempotent ?? method !== 'POST';

const isSuccess = (status: number) => status >= 200 && status < 300;
/** Statuses of a service in trouble: it may have acted on the request before it ran into it. */
const isTrouble = (status: number) => status >= 500 || status === 408;

/**
 * Sorts the end of an attempt. A 2xx is an effect, whatever its body looks like: a request that must not be repeated has
 * succeeded with it. Where JSON was promised and something else came, a request that may be repeated is.
 */
export function classifyAttempt(attempt: Attempt, request: ApiRequest): Classification {
	const idempotent = isIdempotent(request);
	const ambiguous: Classification = idempotent ? 'retry' : 'indeterminate';
	switch (attempt.kind) {
		case 'unsent':
			return 'retry';
		case 'unusable':
			return 'fail';
		case 'tooLarge':
			return idempotent ? 'fail' : 'indeterminate';
		case 'lost':
			return ambiguous;
		case 'response':
			if (isSuccess(attempt.status))
				return attempt.body !== undefined ||
					(isEmpty(attempt) && (request.mayAnswerNothing || !idempotent))
					? 'success'
					: ambiguous;
			if (attempt.status === 429) return 'retry';
			return isTrouble(attempt.status) || attempt.status < 400 ? ambiguous : 'fail';
	}
}

/** Whether an error status says no, as against a service in trouble or a rate limit. */
export const isRefusal = (status: number): boolean =>
	!isSuccess(status) && status !== 429 && !isTrouble(status);

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
	longestMs = LIMITS.longestDelayMs,
): number {
	const asked = attempt.kind === 'response' ? retryAfterMs(attempt.headers, nowMs) : undefined;
	const own = Math.min(longestMs, LIMITS.firstDelayMs * 2 ** (failures - 1));
	return asked === undefined
		? own * (1 + random / 5)
		: Math.max(asked, LIMITS.firstDelayMs) * (1 + random / 50);
}

export interface RetryLimits {
	/** Time, as the clock gives it, after which nothing is sent again */
	deadline: number;
	/** How often a failing request is sent at most; a 429 does not count */
	maxAttempts: number;
	/** The longest wait between two attempts in milliseconds, unless the service asks for more */
	maxDelayMs?: number;
	/** Waits after which a 404 is asked again; one that outlasts them is final */
	notFoundDelaysMs: readonly number[];
	/** Sent a single time, whatever comes back */
	once?: boolean;
}

/** What the attempts so far have come to. */
export interface RetryState {
	/** Attempts that ended in a 429 */
	refusals: number;
	/** Other attempts that may be made again */
	failures: number;
	notFound: number;
	/** Whether one of the attempts may have reached the service and taken effect */
	mayHaveTakenEffect: boolean;
}

export const NO_ATTEMPTS: RetryState = {
	refusals: 0,
	failures: 0,
	notFound: 0,
	mayHaveTakenEffect: false,
};

export type NextAction =
	| { type: 'return' }
	/** A DELETE finds nothing after an attempt that may have deleted it: it has */
	| { type: 'returnDeleted' }
	/** Wait, then send again */
	| { type: 'sendAgain'; delayMs: number }
	/** Find out whether it took effect; if it did not, send again after the delay, or fail where there is none */
	| { type: 'reconcile'; delayMs: number | undefined }
	| { type: 'fail' };

/**
 * What follows from the end of an attempt.
 * @param nowMs as the clock gives it
 * @param random from 0 to 1
 * @returns `holdBackMs` after a 429: for how long it concerns every request with this key
 */
export function nextAction(
	state: RetryState,
	attempt: Attempt,
	request: ApiRequest,
	limits: RetryLimits,
	nowMs: number,
	random: number,
): { action: NextAction; state: RetryState; holdBackMs?: number } {
	const classification = classifyAttempt(attempt, request);
	const status = attempt.kind === 'response' ? attempt.status : undefined;
	if (classification === 'success') return { action: { type: 'return' }, state };

	if (status === 404) {
		const delayMs = limits.notFoundDelaysMs[state.notFound];
		if (delayMs !== undefined && nowMs + delayMs <= limits.deadline)
			return {
				action: { type: 'sendAgain', delayMs },
				state: { ...state, notFound: state.notFound + 1 },
			};
		if (request.method === 'DELETE' && state.mayHaveTakenEffect)
			return { action: { type: 'returnDeleted' }, state };
	}
	if (classification === 'fail') {
		// The refusal may be due to the earlier attempt: a file that exists by now.
		const check = state.mayHaveTakenEffect && !isIdempotent(request);
		return { action: check ? { type: 'reconcile', delayMs: undefined } : { type: 'fail' }, state };
	}

	const refused = status === 429;
	const next: RetryState = {
		...state,
		refusals: state.refusals + (refused ? 1 : 0),
		failures: state.failures + (refused ? 0 : 1),
		mayHaveTakenEffect: state.mayHaveTakenEffect || (!refused && attempt.kind !== 'unsent'),
	};
	const count = refused ? next.refusals : next.failures;
	const delay = retryDelayMs(attempt, count, nowMs, random, limits.maxDelayMs);
	const mayWait =
		!limits.once && next.failures < limits.maxAttempts && nowMs + delay <= limits.deadline;
	const delayMs = mayWait ? delay : undefined;
	if (classification === 'indeterminate')
		return { action: { type: 'reconcile', delayMs }, state: next };
	// What this request cannot wait for may be meant for it alone: the next one finds out.
	const holdBackMs = refused ? (delayMs ?? LIMITS.firstDelayMs) : undefined;
	const action: NextAction =
		delayMs === undefined ? { type: 'fail' } : { type: 'sendAgain', delayMs };
	return { action, state: next, holdBackMs };
}

const isEmpty = ({ text = '', broken }: { text?: string; broken?: string }) =>
	broken === undefined && text.trim() === '';

/** What came instead of the JSON that a success status promised. */
export function describeBody({
	text = '',
	body,
	broken,
}: {
	text?: string;
	body?: unknown;
	broken?: string;
}): string {
	if (broken !== undefined) return `a body that did not arrive (${broken})`;
	if (isRecord(body) || Array.isArray(body)) return 'JSON';
	if (text.trim() === '') return 'an empty body';
	return /^\s*</.test(text.slice(0, 1000)) ? 'a web page' : 'text that is not JSON';
}
