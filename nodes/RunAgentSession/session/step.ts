import { fetchSession, isKnownStatus } from '../../shared/client/session';
import type { CallOptions } from '../../shared/client/operations';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { askApprovers } from './ask';
import { begin } from './begin';
import {
	abandonedError,
	abortSession,
	applyFormat,
	endedOutcome,
	lastRequests,
	withSessionErrors,
} from './finish';
import { applyReading, pollOnce } from './poll';
import { closeQuiet, decideAbort, type QuietEnd } from './quiet';
import type { SessionRun, SessionOutcome } from './run';
import { passedTimeout } from '../requests/ballots';
import { findQuiet } from '../requests/requestRecord';
import { formatLimit } from '../requests/sheet';

/**
 * Does what is due of one session: begins it, or polls it once, decides, and applies its timeouts.
 * @returns undefined while the session continues
 * @throws WorkspaceAutomationError that names the session and the decisions, also for a timeout, and CanceledError after Stop
 */
export async function takeStep(run: SessionRun): Promise<SessionOutcome | undefined> {
	return await withSessionErrors(run, async () => {
		const beginning = run.hasBegun ? 'joined' : await begin(run);
		const { maxWaitMs } = run.settings.timeouts;
		// Max Wait 0 is one poll, at once.
		if (beginning === 'waiting' || (beginning === 'sent' && maxWaitMs > 0)) return undefined;
		const outcome = await applyTimeout(run, await pollOnce(run));
		if (!outcome) return undefined;
		const warnings = [...(outcome.warnings ?? []), ...(await lookUpFacts(run, outcome))];
		if (outcome.kind !== 'needsApproval') return { ...outcome, warnings };
		const asked = askApprovers(run);
		return asked.length > 0 ? { ...outcome, warnings, asked } : undefined;
	});
}

/** Looks up what items and approvers are told of the project, and returns warnings. A session that failed or continues gets no more than is known. */
async function lookUpFacts(run: SessionRun, { kind }: SessionOutcome): Promise<string[]> {
	const { origin = {} } = run.record;
	const { findFacts } = run.dependencies;
	if (!findFacts || (kind !== 'needsApproval' && kind !== 'completed')) return [];
	const { facts, warnings } = await findFacts(origin, run.settings.preview, kind);
	run.save({ origin: facts });
	return warnings;
}

/** Applies If Nobody Answers and Max Wait. @throws WorkspaceAutomationError that reports the end of the wait */
async function applyTimeout(
	run: SessionRun,
	outcome: SessionOutcome | undefined,
): Promise<SessionOutcome | undefined> {
	const { timeouts } = run.settings;
	if (outcome && outcome.kind !== 'needsApproval') return outcome;
	const quiet = decideAbort(run);
	if (quiet) return await endWait(run, 'unanswered', quiet);
	const passed = passedTimeout(run.wait.since, run.record.requests, timeouts, run.wallTime);
	// A poll denies the requests that timed out. Of a quiet session, `decideAbort` decides.
	const isDecided = timeouts.ifNobodyAnswers === 'deny' || findQuiet(run.record.requests);
	if (!passed || (passed === 'unanswered' && isDecided)) return outcome;
	return await endWait(run, passed);
}

/** Age of a reading that makes another one needless */
const JUST_MS = 1_000;

/** Ends the wait after a timeout. A session that turns out to have completed is a result, before the abort and after it. */
async function endWait(
	run: SessionRun,
	passed: 'maxWait' | 'unanswered',
	quiet?: QuietEnd,
): Promise<SessionOutcome | undefined> {
	const { api, settings, lastFailure } = run;
	const { maxWaitMs, onMaxWait, unansweredAfterMs } = settings.timeouts;
	const isMaxWait = passed === 'maxWait';
	const options = lastRequests(api);
	const { lastReadAt = 0 } = run.record;
	const isJustRead = !lastFailure && run.wallTime < lastReadAt + JUST_MS;
	const last = isJustRead ? await completedOutcome(run) : await pollLast(run, options);
	if (last) return last;
	// The last poll may have shown activity.
	if (quiet && !findQuiet(run.record.requests)) return undefined;
	const advice = quiet?.advice ?? adviseAfterTimeout(run, isMaxWait);
	const isAborted = !isMaxWait || onMaxWait === 'abort';
	const unread = run.lastFailure
		? [
				`The session couldn't be read at the end: ${run.lastFailure.message}. ${run.lastFailure.description}`,
			]
		: [];
	if (!isAborted && settings.isTool) return { kind: 'stillRunning', warnings: unread };
	const aborting = isAborted ? await abortSession(api, run.sessionId, options) : undefined;
	if (quiet) closeQuiet(run, aborting ? 'unconfirmed' : 'confirmed');
	const abortedAt = run.wallTime;
	// Max Wait 0 promises one poll.
	const after = isAborted && maxWaitMs > 0 ? await pollLast(run, options) : undefined;
	if (after?.kind === 'completed') return after;
	// Unless a poll shows the session after the abort, it may have completed before it, so a retry polls.
	const isSeen = (run.record.lastReadAt ?? 0) >= abortedAt;
	const limit = formatLimit(isMaxWait ? maxWaitMs : unansweredAfterMs);
	const tooLong = isMaxWait
		? `The session did not finish within ${limit}`
		: `The session waited ${limit} for an approver's decision`;
	throw abandonedError(
		quiet?.tooLong ?? tooLong,
		isAborted ? (aborting ?? (isSeen ? 'aborted' : 'unseen')) : 'running',
		[advice, ...(run.record.warnings ?? []), ...unread].join(' '),
	);
}

/** Returns what to do after a timeout. More time doesn't help a session whose status the node doesn't know. */
function adviseAfterTimeout({ session }: SessionRun, isMaxWait: boolean): string {
	if (isMaxWait && session && !isKnownStatus(session.status))
		return 'Look at the session in its dashboard, and update this package.';
	return `Raise ${isMaxWait ? "'Max Wait'" : "'If Nobody Answers After'"}.`;
}

/** Returns a session that has ended as its result, also with requests that are still pending. */
async function completedOutcome(run: SessionRun): Promise<SessionOutcome | undefined> {
	const outcome = endedOutcome(run);
	return outcome && (await applyFormat(run, outcome, false));
}

/** Polls once more: a session that has ended is a result, and doesn't need an abort. */
async function pollLast(
	run: SessionRun,
	options: CallOptions,
): Promise<SessionOutcome | undefined> {
	const last = await resultOrError(fetchSession(run.api, run.sessionId, options));
	if (last instanceof WorkspaceAutomationError) return undefined;
	applyReading(run, last);
	run.lastFailure = undefined;
	return await completedOutcome(run);
}
