import { quoteVisible } from '../../shared/approvals/visibleText';
import { pluralize } from '../../shared/values';
import { waitingSince, type RequestRecord } from './requestRecord';

type AfterDeadline = 'deny' | 'abort' | 'error';

export interface AnswerDeadline {
	/** Milliseconds since 1970 */
	at: number;
	after: AfterDeadline;
	/** With `deny`: the answer to a question */
	answer?: string;
}

/** In milliseconds */
export interface Timeouts {
	/** Infinity for no limit */
	maxWaitMs: number;
	onMaxWait: 'abort' | 'letRun';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
	/** Answers a question if nobody does, with `deny` */
	answerIfNobodyAnswers?: string;
}

/** Returns the end of Max Wait. @param since its beginning */
export const maxWaitAt = (since: number, { maxWaitMs }: Pick<Timeouts, 'maxWaitMs'>): number =>
	since + maxWaitMs;

/** Returns the time at which a request counts as unanswered. Infinity if there's none. */
export function unansweredAt(
	requests: readonly RequestRecord[],
	{ ifNobodyAnswers, unansweredAfterMs }: Timeouts,
): number {
	if (ifNobodyAnswers === 'wait') return Infinity;
	const asked = requests.flatMap((record) =>
		record.interaction && !record.decision ? (waitingSince(record) ?? []) : [],
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

/** Returns the end of waiting, which began at `since`, if there is one. The node asked the approver at `askedAt`. */
export function findDeadline(
	{ since, askedAt }: { since: number; askedAt: number },
	limits: Timeouts,
): AnswerDeadline | undefined {
	const { onMaxWait, ifNobodyAnswers, unansweredAfterMs, answerIfNobodyAnswers: answer } = limits;
	const end = since + limits.maxWaitMs;
	const unanswered = ifNobodyAnswers === 'wait' ? Infinity : askedAt + unansweredAfterMs;
	if (ifNobodyAnswers !== 'wait' && unanswered < end)
		return { at: unanswered, after: ifNobodyAnswers, ...(answer !== undefined && { answer }) };
	if (end === Infinity) return undefined;
	return { at: end, after: onMaxWait === 'abort' ? 'abort' : 'error' };
}

const AFTER_TEXTS: Record<AfterDeadline, [one: string, several: string]> = {
	deny: ['the request is denied', 'open requests are denied'],
	abort: ['the session is aborted', 'the session is aborted'],
	error: ['the workflow stops with an error', 'the workflow stops with an error'],
};

const MAX_ANSWER_SHOWN = 80;

/** Returns what happens after a deadline. @param questions how many of the requests are questions, which can't be denied */
export function describeAfter(
	{ after, answer }: AnswerDeadline,
	requests: number,
	questions = 0,
): string {
	if (after !== 'deny' || questions === 0) return AFTER_TEXTS[after][requests === 1 ? 0 : 1];
	const [ends] = AFTER_TEXTS.error;
	const answered =
		answer !== undefined &&
		`a question is answered with ${quoteVisible(answer, MAX_ANSWER_SHOWN)}, or ${ends}`;
	if (questions === requests) return answered || ends;
	return `open requests are denied, and ${answered || `for an open question, ${ends}`}`;
}

export const formatLimit = (ms: number): string =>
	ms < 3_600_000
		? pluralize(Math.round(ms / 6_000) / 10, 'minute')
		: pluralize(Math.round(ms / 36_000) / 100, 'hour');

function createFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
	} catch {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
	}
}

/** Returns a time such as `6:00 PM`, with the date unless it's the day of `today`, and the zone. Unknown zones count as UTC. */
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
