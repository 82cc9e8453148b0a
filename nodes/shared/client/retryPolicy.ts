import { WorkspaceAutomationError } from '../errors';
import { isRecord, parseHttpDate } from '../values';
import type { CallOptions } from './operations';
import type { ApiRequest, Attempt, Effect, Headers, ResponseAttempt, Write } from './apiTypes';

// Classifies attempts, and decides about retries. Pure decisions: no function sends or waits.

/** API document, Errors */
interface ErrorEnvelope {
	code: string;
	message: string;
	doc_url: string;
}

const FIELDS = ['code', 'message', 'doc_url'] as const;

/** Returns the error that the service itself gives, or undefined for anything else. */
export function readErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
	const error = isRecord(body) ? body.error : undefined;
	const isEnvelope = isRecord(error) && FIELDS.every((name) => typeof error[name] === 'string');
	return isEnvelope ? (error as unknown as ErrorEnvelope) : undefined;
}

/** `notExecuted`: never arrived or rate limited, safe to retry. `unknown`: may have taken effect, because the service itself didn't respond. */
export type AttemptOutcome = 'succeeded' | 'notExecuted' | 'rejected' | 'unknown';

export const isRejection = (status: number): boolean =>
	status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Another request holds the resource, or the client of a proxy was too early or too late. */
const PASSING_STATUSES = [409, 423, 425, 499];
const KEY_STATUSES = [401, 403];

/** Returns whether the next read may succeed. If an earlier one did, a refused key is passing too: the service may be restarting. */
export function isPassingRefusal(error: unknown, hasSucceeded = false): boolean {
	if (!(error instanceof WorkspaceAutomationError) || error.kind !== 'rejected') return false;
	const passing = hasSucceeded ? [...PASSING_STATUSES, ...KEY_STATUSES] : PASSING_STATUSES;
	return passing.includes(error.context.httpStatus ?? 0);
}

/** Returns whether a response is a page of a proxy or of a login, with any status. */
export function isHtmlPage({ headers, body, text = '' }: ResponseAttempt): boolean {
	if (body !== undefined) return false;
	const saysHtml = /html/i.test(String(headers['content-type'] ?? ''));
	return /^\s*</.test(text) || (saysHtml && /<[!/a-z]/i.test(text));
}

export const PROXY_REFUSED = 407;

const FAILED_ATTEMPT_OUTCOMES = {
	unsent: 'notExecuted',
	blocked: 'rejected',
	unusable: 'rejected',
	lost: 'unknown',
	tooLarge: 'unknown',
} as const;

export const isNonIdempotent = (effect: Effect): effect is Write =>
	effect !== 'read' && !effect.isIdempotent;

/** Codes that say that another request holds the resource. The API document shows no list of codes. */
const HELD_CODE = /(?:^|_)(?:held|lock|locked|busy|in_progress|concurrent)(?:_|$)/i;

/** Returns whether the service refuses only for a moment: too early, or while another request holds the resource. */
const isHeld = ({ status, body }: ResponseAttempt): boolean =>
	status === 425 || (status === 409 && HELD_CODE.test(readErrorEnvelope(body)?.code ?? ''));

type Classified = Pick<ApiRequest, 'effect' | 'needsBody'>;

/** Returns what an attempt proves. JSON, an empty success and a 4xx without a page are the service's own. A 429 proves that nothing ran. */
export function classifyAttempt(
	attempt: Attempt,
	{ effect, needsBody }: Classified,
): AttemptOutcome {
	if (attempt.kind !== 'response') return FAILED_ATTEMPT_OUTCOMES[attempt.kind];
	const { status, body, text = '', broken } = attempt;
	// A page with this status may come from a proxy that has passed the request on.
	if (status === 429)
		return isNonIdempotent(effect) && isHtmlPage(attempt) ? 'unknown' : 'notExecuted';
	const isRefusedBy503 = effect !== 'read' && effect.isRefusedBy503;
	if (status === 503 && isRefusedBy503 && readErrorEnvelope(body)) return 'notExecuted';
	// The proxy of n8n refused to connect, so the service never saw the request.
	if (status === PROXY_REFUSED) return 'rejected';
	if (isHtmlPage(attempt)) return 'unknown';
	if (isRejection(status))
		return isHeld(attempt) && !isNonIdempotent(effect) ? 'notExecuted' : 'rejected';
	if (status < 200 || status >= 300) return 'unknown';
	// Where the API document shows a body, nothing proves less.
	const isEmpty = broken === undefined && text.trim() === '' && effect !== 'read' && !needsBody;
	return body !== undefined || isEmpty ? 'succeeded' : 'unknown';
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 5;

export interface Moment {
	/** For deadlines */
	monotonicMs: number;
	/** For dates that the service sends */
	wallMs: number;
}

/** Returns the wait of `Retry-After` (RFC 9110, 10.2.3). A date is compared with the service's `Date`, so that a wrong clock does no harm. */
export function retryAfterMs(headers: Headers, wallMs: number): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim().slice(0, 100);
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const at = parseHttpDate(text);
	if (Number.isNaN(at)) return undefined;
	const serviceNow = parseHttpDate(headers.date);
	return Math.max(0, at - (Number.isNaN(serviceNow) ? wallMs : serviceNow));
}

/** Returns `Retry-After`, at least 1 s, plus up to 2% jitter, or 1, 2, 4, ... s plus up to 20%. `failures` is 1 after the first. */
export function retryDelayMs(
	attempt: Attempt,
	failures: number,
	wallMs: number,
	random: number,
): number {
	const asked = attempt.kind === 'response' ? retryAfterMs(attempt.headers, wallMs) : undefined;
	if (asked !== undefined) return Math.max(asked, FIRST_DELAY_MS) * (1 + random / 50);
	return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)) * (1 + random / 5);
}

export interface RetryState {
	throttled: number;
	failures: number;
	notFound: number;
	mayHaveTakenEffect: boolean;
}

export const NO_ATTEMPTS: RetryState = {
	throttled: 0,
	failures: 0,
	notFound: 0,
	mayHaveTakenEffect: false,
};

export interface NextAction {
	/** `returnDeleted`: a 404 for a DELETE that may have worked. `reconcile`: check the effect, then retry after `delayMs`, or fail without it. */
	type: 'return' | 'returnDeleted' | 'retry' | 'reconcile' | 'fail';
	delayMs?: number;
	state: RetryState;
	/** After a 429: the pause for every request with this key */
	pauseMs?: number;
}

const fitsDeadline = (
	delayMs: number,
	{ monotonicMs }: Moment,
	{ deadline = Infinity }: CallOptions,
): boolean => monotonicMs + delayMs <= deadline;

/** Returns whether a retry is allowed, time aside. A non-idempotent request has to be reconciled first. */
function shouldRetry(
	outcome: AttemptOutcome,
	{ kind }: Attempt,
	{ failures }: RetryState,
	{ singleAttempt, maxAttempts = MAX_ATTEMPTS }: CallOptions,
): boolean {
	if (singleAttempt) return false;
	// A response that was too large would be as large the next time.
	return outcome !== 'rejected' && kind !== 'tooLarge' && failures < maxAttempts;
}

/** Returns undefined if the 404 is final. A new session isn't readable at once. */
function notFoundDelay(state: RetryState, moment: Moment, limits: CallOptions): number | undefined {
	const delayMs = limits.singleAttempt ? undefined : limits.notFoundDelaysMs?.[state.notFound];
	return delayMs !== undefined && fitsDeadline(delayMs, moment, limits) ? delayMs : undefined;
}

/** Decides after a rejection, which an earlier attempt may have caused, such as a file that exists by now. */
function afterRejection(
	state: RetryState,
	attempt: Attempt,
	{ effect, method }: RetriedRequest,
	moment: Moment,
	limits: CallOptions,
): NextAction {
	if (attempt.kind === 'response' && attempt.status === 404) {
		const delayMs = notFoundDelay(state, moment, limits);
		if (delayMs !== undefined)
			return { type: 'retry', delayMs, state: { ...state, notFound: state.notFound + 1 } };
		if (method === 'DELETE' && state.mayHaveTakenEffect && !limits.singleAttempt)
			return { type: 'returnDeleted', state };
	}
	return { type: state.mayHaveTakenEffect && effect !== 'read' ? 'reconcile' : 'fail', state };
}

type RetriedRequest = Classified & Pick<ApiRequest, 'method'>;

/** @param random from 0 to 1 */
export function nextAction(
	before: RetryState,
	attempt: Attempt,
	request: RetriedRequest,
	limits: CallOptions,
	moment: Moment,
	random: number,
): NextAction {
	const outcome = classifyAttempt(attempt, request);
	if (outcome === 'succeeded') return { type: 'return', state: before };
	const isThrottled = attempt.kind === 'response' && attempt.status === 429;
	const counter = isThrottled ? 'throttled' : 'failures';
	const count = before[counter] + 1;
	const mayHaveTakenEffect = before.mayHaveTakenEffect || outcome === 'unknown';
	const state: RetryState = { ...before, [counter]: count, mayHaveTakenEffect };
	const canRetry = shouldRetry(outcome, attempt, state, limits);
	if (outcome === 'rejected' && !canRetry)
		return afterRejection(before, attempt, request, moment, limits);

	const wantedMs = retryDelayMs(attempt, count, moment.wallMs, random);
	const isInTime = fitsDeadline(wantedMs, moment, limits);
	const delayMs = canRetry && isInTime ? wantedMs : undefined;
	if (outcome === 'unknown' && isNonIdempotent(request.effect))
		return { type: 'reconcile', delayMs, state };
	// A wait beyond the deadline pauses the key for a second only: the limit may apply to this request alone.
	const keyPauseMs = isInTime ? wantedMs : FIRST_DELAY_MS;
	const pauseMs = isThrottled ? keyPauseMs : undefined;
	return { type: delayMs === undefined ? 'fail' : 'retry', delayMs, state, pauseMs };
}
