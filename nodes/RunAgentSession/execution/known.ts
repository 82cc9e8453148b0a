import { nextApproverAt } from '../session/ask';
import { quietAt } from '../session/quiet';
import type { SessionRun } from '../session/run';
import { maxWaitAt, unansweredAt } from '../requests/times';
import { hasOpenLink } from '../requests/questions';
import { NEVER, type Known } from '../plan/plan';

/** Returns when a session that runs needs a decision without a reading: Max Wait, an unanswered request, an approver who is due, or a session that becomes quiet. */
function findTimeout(run: SessionRun): number {
	const { record, wait, settings } = run;
	return Math.min(
		NEVER,
		maxWaitAt(wait.since, settings.timeouts),
		unansweredAt(record.requests, settings.timeouts),
		nextApproverAt(run),
		quietAt(run),
	);
}

/** Returns whether the message of Continue a Session is to be sent. */
const hasUnsentMessage = ({ hasBegun, settings: { target } }: SessionRun): boolean =>
	!hasBegun && target.operation === 'continue' && target.message !== undefined;

/** Returns what the plan knows of a session. */
export function describeSession(run: SessionRun, mode: Known['mode'], isBusy: boolean): Known {
	const stored = run.dependencies.journal.read();
	const common = {
		mode,
		isBusy,
		retryAfterMs: run.retryAfterMs,
		isUrgent: run.isUrgent,
		isUnsaved: run.isUnsaved,
		random: run.random,
	};
	if (!run.hasBegun && stored?.state !== 'running') {
		const { at, since } =
			stored?.state === 'waiting' ? stored.start : { at: 0, since: run.wallTime };
		const { timeouts } = run.settings;
		const timeoutAt = stored?.state === 'waiting' ? maxWaitAt(since, timeouts) : NEVER;
		return {
			...common,
			startAt: at,
			since,
			isGiven: false,
			failures: 0,
			hasOpenLink: false,
			timeoutAt: Math.min(NEVER, timeoutAt),
		};
	}
	const { record, wait } = run;
	const { since, changedAt, activeSince, triedAt, failures = 0, isAnswered } = wait;
	return {
		...common,
		since,
		isGiven: record.isGiven === true,
		triedAt,
		failures,
		changedAt,
		activeSince,
		isUrgent: run.isUrgent || hasUnsentMessage(run) || isAnswered === true,
		hasOpenLink: hasOpenLink(record.requests, record.questions),
		timeoutAt: findTimeout(run),
	};
}
