import { retryAfterMs } from './retryAfter';

// What may be sent again, and when. Decisions only: nothing here sends or waits.

/** How one attempt to send a request ended. */
export type Outcome =
	| { kind: 'answer'; status: number; headers: Record<string, unknown>; body: unknown }
	/** A success status without the JSON that belongs to it: a proxy's page, an empty body, half an answer. */
	| { kind: 'malformed'; status: number; found: string }
	/** Never reached the service: nothing can have happened there. */
	| { kind: 'unsent'; code: string }
	/** No answer came back: the service may have acted or not. */
	| { kind: 'lost'; code: string }
	/** A mistake that sending again cannot mend, such as a certificate that is not trusted. */
	| { kind: 'unusable'; code: string };

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * - `done`: use the answer.
 * - `again`: nothing happened, or doing it twice does no harm: may be sent again.
 * - `unclear`: it may have happened, and doing it twice would do harm: look before anything else.
 * - `final`: sending again would not help.
 */
export type Verdict = 'done' | 'again' | 'unclear' | 'final';

/** The POSTs whose repetition does no harm. Every other POST is unsafe until somebody shows the opposite. */
const REPEATABLE_POSTS = [
	/^\/agent\/sessions\/[^/]+\/abort$/,
	/^\/shared-previews$/,
	/^\/analytics\/query$/,
];

/** Whether a request that may have been processed can be sent again without harm (API document, Idempotency summary). */
export function isRepeatable(method: Method, path: string): boolean {
	return method !== 'POST' || REPEATABLE_POSTS.some((pattern) => pattern.test(path));
}

/** Statuses of a service that is in trouble: it may have acted on the request before it ran into it. */
const inTrouble = (status: number) => status >= 500 || status === 408;

export function judge(outcome: Outcome, repeatable: boolean): Verdict {
	const ambiguous: Verdict = repeatable ? 'again' : 'unclear';
	switch (outcome.kind) {
		case 'unsent':
			return 'again';
		case 'unusable':
			return 'final';
		case 'lost':
		case 'malformed':
			return ambiguous;
		case 'answer':
			if (outcome.status >= 200 && outcome.status < 300) return 'done';
			if (outcome.status === 429) return 'again';
			return inTrouble(outcome.status) ? ambiguous : 'final';
	}
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Milliseconds to wait before the next attempt: what `Retry-After` asks for and up to a fiftieth more, else 1, 2, 4, ... up to
 * `longestMs` and up to a fifth more, so that many clients do not come back in the same instant. (What the service asks for it has
 * worked out; much more than that only makes the work take longer.)
 * @param attempt 1 after the first attempt
 * @param random from 0 to 1
 */
export function waitMs(
	outcome: Outcome,
	attempt: number,
	nowMs: number,
	random: number,
	longestMs = LONGEST_WAIT_MS,
): number {
	const asked = outcome.kind === 'answer' ? retryAfterMs(outcome.headers, nowMs) : undefined;
	const own = Math.min(longestMs, FIRST_WAIT_MS * 2 ** (attempt - 1));
	return asked === undefined ? own * (1 + random / 5) : asked * (1 + random / 50);
}
