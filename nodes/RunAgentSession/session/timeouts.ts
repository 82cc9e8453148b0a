import { pluralize } from '../../shared/values';
import type { RequestRecord } from '../requests/record';
import type { Timeouts } from '../requests/times';

/** Returns the end of Max Wait. @param since its beginning */
export const maxWaitAt = (since: number, { maxWaitMs }: Pick<Timeouts, 'maxWaitMs'>): number =>
	since + maxWaitMs;

/** Returns the time at which a request counts as unanswered. Infinity if there's none. */
export function unansweredAt(
	requests: readonly RequestRecord[],
	{ ifNobodyAnswers, unansweredAfterMs }: Timeouts,
): number {
	if (ifNobodyAnswers === 'wait') return Infinity;
	const asked = requests.flatMap(({ interaction, decision, askedAt }) =>
		interaction && !decision && askedAt !== undefined ? [askedAt] : [],
	);
	return Math.min(Infinity, ...asked) + unansweredAfterMs;
}

export function passedTimeout(
	since: number,
	requests: readonly RequestRecord[],
	timeouts: Timeouts,
	now: number,
): 'maxWait' | 'unanswered' | undefined {
	if (now >= maxWaitAt(since, timeouts)) return 'maxWait';
	return now >= unansweredAt(requests, timeouts) ? 'unanswered' : undefined;
}

export const formatLimit = (ms: number): string =>
	ms < 3_600_000
		? pluralize(Math.round(ms / 6_000) / 10, 'minute')
		: pluralize(Math.round(ms / 36_000) / 100, 'hour');
