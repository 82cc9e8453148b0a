import type { Attempt } from './types';

/**
 * What the end of an attempt proves about its request:
 * - `done`: the service did it, and this is its answer.
 * - `held`: it was not done, and may be sent again: never received, or too many at once.
 * - `refused`: it was not done, and sending it again would not help.
 * - `unknown`: it may have been done or not: no answer came, or one that is nobody's.
 */
export type Evidence = 'done' | 'held' | 'refused' | 'unknown';

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Whether an error status says no, as against a redirect, a service in trouble or a rate limit. */
export const isRefusal = (status: number): boolean =>
	status >= 400 && status < 500 && status !== 408 && status !== 429;

const isEmpty = ({ text = '', broken }: { text?: string; broken?: string }) =>
	broken === undefined && text.trim() === '';

/**
 * What an attempt proves; everything that speaks to the service asks here. A success with JSON, or with nothing at all, is the
 * service's own. One with a web page or with JSON that is cut off, and a redirect, come from a proxy or a login in between.
 * @param reads whether the request was for its answer: then an empty one is none
 */
export function provenBy(attempt: Attempt, reads: boolean): Evidence {
	switch (attempt.kind) {
		case 'unsent':
			return 'held';
		case 'unusable':
			return 'refused';
		case 'lost':
		case 'tooLarge':
			return 'unknown';
		case 'response': {
			const { status, body } = attempt;
			if (isSuccess(status))
				return body !== undefined || (isEmpty(attempt) && !reads) ? 'done' : 'unknown';
			if (status === 429) return 'held';
			return isRefusal(status) ? 'refused' : 'unknown';
		}
	}
}

/** What came instead of the JSON that a success status promised. */
export function describeBody(attempt: { text?: string; broken?: string }): string {
	const { text = '', broken } = attempt;
	if (broken !== undefined) return `a body that did not arrive (${broken})`;
	if (isEmpty(attempt)) return 'an empty body';
	return /^\s*</.test(text) ? 'a web page' : 'text that is not JSON';
}
