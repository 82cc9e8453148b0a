import { fetchSession, UnreadableSessionError } from '../../shared/client/sessions';
import { hasEnded, isAfter, isStale, type Session } from '../../shared/client/session';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { formatSeconds } from '../../shared/values';
import { hasQuestion } from './ask';
import { countWaiting } from './crowd';
import { decidePending, throwIfUnanswered } from './decide';
import { endedResult, toResult } from './finish';
import { applyPoll } from '../requests/record';
import { sendComment } from './message';
import { applyFormat } from './repair';
import type { SessionRun } from './run';
import { MAX_UNUSABLE_MS, pollDelay, retryPollDelay } from './schedule';
import { hasBegun } from './turn';
import type { RunResult } from './types';
import type { Wake } from './wake';

/** Wakes in which responses may be unusable in a row */
const MIN_UNUSABLE_WAKES = 3;
/** Maximum time by which the service's clock may be ahead of the local one */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
/** Maximum delay of a replica. If older readings last longer, the service's own times went back. */
const MAX_STALE_MS = 60_000;
/** Time for a poll, however little is left of a wake */
export const MIN_POLL_REQUEST_MS = 15_000;

/** Polls once and applies the policy. Returns undefined while polling continues. @throws if refused or unusable for too long */
export async function pollOnce(run: SessionRun, wake: Wake): Promise<RunResult | undefined> {
	if (!(await wake.whilePolling(() => takeReading(run, wake)))) return undefined;
	if (!(await decidePending(run))) return undefined;
	throwIfUnanswered(run);
	if (run.undecided.length > 0)
		return run.isSettling || !hasQuestion(run) ? undefined : toResult(run, 'needsApproval');
	if (await sendComment(run)) return undefined;
	const result = hasEnded(run.session!) ? endedResult(run) : undefined;
	return result && (await applyFormat(run, result));
}

/** Sleeps until the next poll. Returns false if there's no time for another one, or if items leave. */
export async function sleepUntilNextPoll(
	run: SessionRun,
	wake: Wake,
	leftMs: number,
): Promise<boolean> {
	const { api, dependencies } = run;
	const ageMs = run.wallTime - run.wait.since;
	const random = dependencies.random();
	const waiting = countWaiting();
	const delay =
		run.failedPolls === 0
			? pollDelay(ageMs, random, leftMs, waiting)
			: retryPollDelay(
					run.failedPolls,
					pollDelay(ageMs, random, Infinity, waiting)!,
					run.retryAfterMs,
					leftMs,
				);
	if (delay === undefined || wake.isLeaving) return false;
	await wake.sleep(api, delay);
	return !wake.isLeaving;
}

/** Returns whether the poll gave a new reading. A single failed poll doesn't end the wait. */
async function takeReading(run: SessionRun, wake: Wake): Promise<boolean> {
	const { api, sessionId } = run;
	const deadline = Math.max(run.lastPollAt, run.now + MIN_POLL_REQUEST_MS);
	const options = { deadline, maxAttempts: 1 };
	const session = await resultOrError(fetchSession(api, sessionId, options));
	run.pollCount++;
	if (session instanceof WorkspaceAutomationError) {
		notePollFailure(run, wake, session);
		return false;
	}
	run.failedPolls = 0;
	clearUnusable(run);
	return applyReading(run, session);
}

/** Applies a reading. Returns false for one that is older than the latest (a stale replica). */
export function applyReading(run: SessionRun, session: Session): boolean {
	const { turn, requests, lastActivityAt, lastReadAt = 0 } = run.record;
	if (isStale(session, lastActivityAt) && run.wallTime < lastReadAt + MAX_STALE_MS) return false;
	// A reading with a time in the future would cause all later ones to be ignored.
	const isPlausible = !isAfter(session.lastActivityAt, run.wallTime + MAX_CLOCK_DIFFERENCE_MS);
	const after = applyPoll(requests, session, run.wallTime);
	run.save({
		lastActivityAt: isPlausible ? (session.lastActivityAt ?? lastActivityAt) : lastActivityAt,
		lastReadAt: run.wallTime,
		turn: turn && !hasBegun(turn, session) ? { ...turn, polls: turn.polls + 1 } : undefined,
		requests: after,
	});
	if (after.length > requests.length) run.noteChange();
	run.update(session);
	return true;
}

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
function notePollFailure(run: SessionRun, wake: Wake, error: WorkspaceAutomationError): void {
	const { httpStatus = 0 } = error.context;
	const isRefused = error.kind === 'rejected';
	if (isRefused && run.record.lastReadAt === undefined && FINAL_STATUSES.includes(httpStatus))
		throw explainRejection(error, run.settings.target.operation === 'start');
	run.failedPolls++;
	run.retryAfterMs = (error.context.retryAfter ?? 0) * 1_000;
	run.lastFailure = error;
	if (!isRefused && !isUnusable(error)) return clearUnusable(run);
	const { unusable = { since: run.wallTime, wakes: 0 } } = run.wait;
	// The system clock may have gone back since an earlier wake.
	const since = Math.min(unusable.since, run.wallTime);
	const wakes = unusable.wakes + (run.failedPolls === 1 ? 1 : 0);
	run.saveWait({ unusable: { since, wakes } });
	const isLong = run.wallTime >= since + MAX_UNUSABLE_MS;
	if (!isLong || (wake.pauses && wakes < MIN_UNUSABLE_WAKES)) return;
	throw new WorkspaceAutomationError(
		error.message,
		`The responses to polls were ${isRefused ? 'refusals' : 'unusable'} for ${formatSeconds(run.wallTime - since)}. ${error.description}`,
		error.context,
	);
}

function clearUnusable(run: SessionRun): void {
	if (run.record.wait?.unusable) run.saveWait({ unusable: undefined });
}

/** Returns whether a response wasn't a session: a web page, invalid JSON, or too much. Network errors and 5xx are outages. */
const isUnusable = (error: WorkspaceAutomationError): boolean =>
	error instanceof UnreadableSessionError || error.kind === 'unusable';
