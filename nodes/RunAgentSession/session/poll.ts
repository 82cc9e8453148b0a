import {
	isNewTurn,
	type Session,
	fetchSession,
	UnreadableSessionError,
} from '../../shared/client/session';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { formatSeconds } from '../../shared/values';
import { hasDueItem } from './ask';
import { decidePending, throwIfUnanswered } from './decide';
import { applyFormat, endedOutcome } from './finish';
import { latestAnswerAt } from '../requests/ballots';
import {
	applyPoll,
	findQuiet,
	isQuietRecord,
	takePending,
	type RequestRecord,
} from '../requests/requestRecord';
import { sendComment } from './message';
import { applyQuietAnswer, leaveQuiet, recoverMessage, watchActivity } from './quiet';
import {
	MAX_UNUSABLE_MS,
	retryAfterOf,
	type DecidingRun,
	type SessionRun,
	type SessionOutcome,
} from './run';

/** Such responses in a row before they end the wait: while the execution pauses, they come minutes apart */
const MIN_UNUSABLE = 3;
/** Polls once and applies the policy. Returns undefined while polling continues. @throws if refused or unusable for too long */
export async function pollOnce(run: SessionRun): Promise<SessionOutcome | undefined> {
	const asked = findQuiet(run.record.requests);
	const isNew = await run.dependencies.polls.run(async () => {
		run.beginPoll();
		return await takeReading(run);
	});
	if (!isNew) {
		await applyQuietAnswer(run);
		leaveQuiet(run);
		return run.undecided.length > 0 && hasDueItem(run) ? { kind: 'needsApproval' } : undefined;
	}
	await (asked && !findQuiet(run.record.requests)
		? recoverMessage(run, asked)
		: applyQuietAnswer(run));
	if (!(await decidePending(run))) return undefined;
	throwIfUnanswered(run);
	if (run.undecided.length > 0)
		return run.hasUnfinishedDecision || !hasDueItem(run) ? undefined : { kind: 'needsApproval' };
	if (await sendComment(run)) return undefined;
	const outcome = endedOutcome(run);
	return outcome && (await applyFormat(run, outcome));
}

/** Polls once. Returns whether the poll gave a new reading. A single failed poll doesn't end the wait. */
export async function takeReading(run: DecidingRun): Promise<boolean> {
	const { api, sessionId } = run;
	run.isUrgent = false;
	const deadline = run.hasUnfinishedDecision ? run.decisionDeadline : run.pollDeadline;
	const options = { deadline, maxAttempts: 1 };
	const session = await resultOrError(fetchSession(api, sessionId, options));
	const { record, wait, wallTime: triedAt } = run;
	const { pollCount = 0 } = record;
	const hasFailed = session instanceof WorkspaceAutomationError;
	const failed = hasFailed
		? { failures: (wait.failures ?? 0) + 1, retryAfterMs: retryAfterOf(session) || undefined }
		: { failures: 0, retryAfterMs: undefined, unusable: undefined };
	run.save({
		pollCount: pollCount + 1,
		heardAt: latestAnswerAt(run.voting),
		wait: { ...wait, triedAt, ...failed },
	});
	if (hasFailed) {
		notePollFailure(run, session);
		return false;
	}
	run.lastFailure = undefined;
	applyReading(run, session);
	return true;
}

/** Applies a reading. */
export function applyReading(run: DecidingRun, session: Session): void {
	const { turn, requests, lastReadAt = 0 } = run.record;
	const own = requests.filter(isQuietRecord);
	const theirs = own.length > 0 ? requests.filter((each) => !isQuietRecord(each)) : requests;
	const after = [...applyPoll(theirs, session, run.wallTime), ...own];
	run.save({
		lastReadAt: run.wallTime,
		turn: turn && !isNewTurn(turn, session) ? { ...turn, polls: turn.polls + 1 } : undefined,
		requests: after,
	});
	if (after.length > requests.length || countOpen(after) < countOpen(requests)) run.noteChange();
	watchActivity(run, session, lastReadAt);
	const pending = takePending(requests, session.pendingInteractions);
	const morePending = session.pendingInteractions.length - pending.length;
	run.update({ ...session, pendingInteractions: pending, ...(morePending > 0 && { morePending }) });
}

/** Returns the number of pending requests that the node hasn't decided. One that's gone was answered elsewhere. */
const countOpen = (records: readonly RequestRecord[]): number =>
	records.filter(({ interaction, decision }) => interaction && !decision).length;

/** Statuses that end the wait at once before the first good poll. Later, they may pass. */
const FINAL_STATUSES = [401, 403, 404];

export function explainRejection(
	error: WorkspaceAutomationError,
	isStarted = false,
): WorkspaceAutomationError {
	if (error.context.httpStatus !== 404) return error;
	if (isStarted)
		return new WorkspaceAutomationError(
			"The session was started and can't be read yet",
			`Wait for it with 'Continue a Session' and its ID. ${error.description}`,
			error.context,
		);
	return new WorkspaceAutomationError(
		"The session wasn't found",
		`There may be no such session, or the API key lacks a scope, or its creator has lost access to the project. ${error.description}`,
		error.context,
	);
}

/** Counts a failed poll. @throws if the service refused it, or if responses were unusable for three minutes in a row */
function notePollFailure(run: DecidingRun, error: WorkspaceAutomationError): void {
	const { httpStatus = 0 } = error.context;
	const isRefused = error.kind === 'rejected';
	if (isRefused && run.record.lastReadAt === undefined && FINAL_STATUSES.includes(httpStatus))
		throw explainRejection(error, run.settings.target.operation === 'start');
	run.lastFailure = error;
	if (!isRefused && !isUnusable(error)) return run.saveWait({ unusable: undefined });
	const { unusable = { since: run.wallTime, count: 0 } } = run.wait;
	// The system clock may have gone back since an earlier wake.
	const since = Math.min(unusable.since, run.wallTime);
	const count = unusable.count + 1;
	run.saveWait({ unusable: { since, count } });
	if (run.wallTime < since + MAX_UNUSABLE_MS || count < MIN_UNUSABLE) return;
	throw new WorkspaceAutomationError(
		error.message,
		`The responses to polls were ${isRefused ? 'refusals' : 'unusable'} for ${formatSeconds(run.wallTime - since)}. ${error.description}`,
		error.context,
	);
}

/** Returns whether a response wasn't a session: a web page, invalid JSON, or too much. Network errors and 5xx are outages. */
const isUnusable = (error: WorkspaceAutomationError): boolean =>
	error instanceof UnreadableSessionError || error.kind === 'unusable';
