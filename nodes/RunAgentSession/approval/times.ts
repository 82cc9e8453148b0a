// The time in which an answer counts, and its wording.

/** The effect on requests that nobody has answered in time. */
export type AfterDeadline = 'deny' | 'abort' | 'error';

/** The end of the time in which an answer counts, and the effect of the end. */
export interface AnswerDeadline {
	/** Milliseconds since 1970 */
	at: number;
	after: AfterDeadline;
}

/** Limits of waiting, from the node's timeouts */
interface WaitLimits {
	giveUpAfterMs: number;
	onGiveUp: 'abort' | 'error';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
}

/**
 * Returns the time at which waiting for an answer ends.
 * @param since when the node began to wait for the session
 * @param askedAt when it asked the approver
 */
export function findDeadline(
	{ since, askedAt }: { since: number; askedAt: number },
	{ giveUpAfterMs, onGiveUp, ifNobodyAnswers, unansweredAfterMs }: WaitLimits,
): AnswerDeadline {
	const end: AnswerDeadline = { at: since + giveUpAfterMs, after: onGiveUp };
	const unanswered = askedAt + unansweredAfterMs;
	return ifNobodyAnswers === 'wait' || unanswered >= end.at
		? end
		: { at: unanswered, after: ifNobodyAnswers };
}

const AFTER_TEXTS: Record<AfterDeadline, [one: string, several: string]> = {
	deny: ['the request is denied', 'open requests are denied'],
	abort: ['the session is aborted', 'the session is aborted'],
	error: ['the workflow stops with an error', 'the workflow stops with an error'],
};

/** Returns a sentence about the effect of the deadline. */
export const describeAfter = ({ after }: AnswerDeadline, requests: number): string =>
	AFTER_TEXTS[after][requests === 1 ? 0 : 1];

function createFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
	} catch {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
	}
}

/**
 * Returns a time in a readable form, such as `6:00 PM` or `Nov 24, 6:00 PM`, and the name of its time zone.
 * @param timeZone the project's. UTC without one, and for an unknown one.
 * @param today a time on the day that needs no date. Without it, the date is always there.
 */
export function formatMoment(
	at: number,
	timeZone = 'UTC',
	today?: number,
): { time: string; zone: string } {
	const date = createFormat(timeZone, { year: 'numeric', month: 'short', day: 'numeric' });
	const hours = createFormat(timeZone, { hour: 'numeric', minute: '2-digit' });
	const { timeZone: zone } = date.resolvedOptions();
	if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return { time: 'an unknown time', zone };
	const isToday = today !== undefined && date.format(at) === date.format(today);
	const year = today !== undefined && date.format(at).slice(-4) === date.format(today).slice(-4);
	const day = year ? date.format(at).replace(/, \d+$/, '') : date.format(at);
	const time = hours.format(at).replace(/\s/g, ' ');
	return { time: isToday ? time : `${day}, ${time}`, zone };
}
