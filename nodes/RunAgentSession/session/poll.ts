import { fetchSession, UnreadableSessionError } from '../../shared/client/sessions';
import { hasEnded, isAfter, isStale, type Session } from '../../shared/client/session';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { formatSeconds } from '../../shared/values';
import { countWaiting } from './crowd';
import { decidePending } from './decide';
import { endedResult, toResult } from './finish';
import { applyPollToLedger } from './ledger';
import { sendComment } from './message';
import { applyFormat } from './repair';
import type { SessionRun } from './run';
import { pollDelay, retryPollDelay } from './schedule';
import { hasBegun } from './turn';
import type { RunResult } from './types';

/** Time and wakes for which responses may be unusable in a row */
const MAX_UNUSABLE_MS = 3 * 60_000;
const MIN_UNUSABLE_WAKES = 3;
/** Maximum time by which the service's clock may be ahead of the local one */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
/** Maximum delay of a replica. If older readings last longer, the service's own times went back. */
const MAX_STALE_MS = 60_000;

/** Polls once and applies the policy. Returns undefined while polling continues. @throws if refused, or if unusable for too long */
export async function pollOnce(run: SessionRun): Promise<RunResult | undefined> {
	if (!(await takeReading(run))) return undefined;
	const isDecided = await decidePending(run);
	if (!isDecided) return undefined;
	if (run.undecided.length > 0) return run.isSettling ? undefined : toResult(run, 'needsApproval');
	if (await sendComment(run)) return undefined;
	const result = hasEnded(run.session!) ? endedResult(run) : undefined;
	return result && (await applyFormat(run, result));
}

/** Sleeps until the next poll. Returns false if there's no time for another one. */
export async function sleepUntilNextPoll(run: SessionRun, leftMs: number): Promise<boolean> {
	const { api, settings, dependencies } = run;
	const ageMs = run.now - run.startedAt;
	const random = dependencies.random();
	const waiting = countWaiting();
	const delay =
		run.failedPolls === 0
			? pollDelay(ageMs, random, settings.poll, leftMs, waiting)
			: retryPollDelay(
					run.failedPolls,
					pollDelay(ageMs, random, settings.poll, Infinity, waiting)!,
					run.retryAfterMs,
					leftMs,
				);
	if (delay !== undefined) await api.clock.sleep(delay, api.signal);
	return delay !== undefined;
}

/** Returns whether the poll gave a new reading. A single failed poll doesn't end the wait. */
async function takeReading(run: SessionRun): Promise<boolean> {
	const { api, sessionId } = run;
	const options = { deadline: run.lastPollAt, maxAttempts: 1 };
	const session = await resultOrError(fetchSession(api, sessionId, options));
	run.pollCount++;
	if (session instanceof WorkspaceAutomationError) {
		notePollFailure(run, session);
		return false;
	}
	run.failedPolls = 0;
	clearUnusable(run);
	return applyReading(run, session);
}

/** Applies a reading. Returns false for one that is older than the latest (a stale replica). */
export function applyReading(run: SessionRun, session: Session): boolean {
	const { turn, ledger, lastActivityAt, lastReadAt = 0 } = run.record;
	if (isStale(session, lastActivityAt) && run.wallTime < lastReadAt + MAX_STALE_MS) return false;
	// A reading with a time in the future would cause all later ones to be ignored.
	const isPlausible = !isAfter(session.lastActivityAt, run.wallTime + MAX_CLOCK_DIFFERENCE_MS);
	run.save({
		lastActivityAt: isPlausible ? (session.lastActivityAt ?? lastActivityAt) : lastActivityAt,
		lastReadAt: run.wallTime,
		turn: turn && !hasBegun(turn, session) ? { ...turn, polls: turn.polls + 1 } : undefined,
		ledger: applyPollToLedger(ledger, session),
	});
	run.update(session);
	return true;
}

export function explainRejection(error: WorkspaceAutomationError): WorkspaceAutomationError {
	if (error.context.httpStatus !== 404) return error;
	return new WorkspaceAutomationError(
		"The session wasn't found",
		`There may be no such session, or the API key lacks a scope, or its creator has lost access to the project. ${error.description}`,
		error.context,
	);
}

/** Counts a failed poll. @throws if the service refused it, or if responses were unusable for three minutes in a row */
function notePollFailure(run: SessionRun, error: WorkspaceAutomationError): void {
	if (error.kind === 'rejected') throw explainRejection(error);
	run.failedPolls++;
	run.retryAfterMs = (error.context.retryAfter ?? 0) * 1_000;
	run.lastFailure = error;
	if (!isUnusable(error)) return clearUnusable(run);
	const { unusable = { since: run.wallTime, wakes: 0 } } = run.wait;
	// The system clock may have gone back since an earlier wake.
	const since = Math.min(unusable.since, run.wallTime);
	const wakes = unusable.wakes + (run.failedPolls === 1 ? 1 : 0);
	run.saveWait({ unusable: { since, wakes } });
	const isLong = run.wallTime >= since + MAX_UNUSABLE_MS;
	if (!isLong || (run.settings.timeouts && wakes < MIN_UNUSABLE_WAKES)) return;
	throw new WorkspaceAutomationError(
		error.message,
		`The responses to polls were unusable for ${formatSeconds(run.wallTime - since)}. ${error.description}`,
		error.context,
	);
}

function clearUnusable(run: SessionRun): void {
	if (run.record.wait?.unusable) run.saveWait({ unusable: undefined });
}

/** Returns whether a response wasn't a session: a web page, invalid JSON, or too much. Network errors and 5xx are outages. */
const isUnusable = (error: WorkspaceAutomationError): boolean =>
	error instanceof UnreadableSessionError || error.kind === 'unusable';
