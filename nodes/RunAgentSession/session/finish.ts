import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import { fetchSession } from '../../shared/client/sessions';
import type { ApiClient } from '../../shared/client/operations';
import { resultOrError, addSession, WorkspaceAutomationError } from '../../shared/errors';
import { pluralize, formatSeconds } from '../../shared/values';
import { hasEnded } from '../../shared/client/session';
import { summarizeDecisions, type UndecidedRequest } from './ledger';
import { applyPoll, type SessionRun, type RunDependencies, type RunResult } from './run';
import { isOverdue } from './turn';

// How a run ends: with the session, with what a person has to decide, with Max Wait, or with Stop.

/** For aborting a session that nobody waits for any more */
export const ABORT_BUDGET_MS = 30_000;

/** What has come of the run so far. */
export function toResult(
	{
		settings: job,
		record: entry,
		session,
		hold,
		warnings,
		pollCount,
		startedAt,
		dependencies,
	}: SessionRun,
	kind: RunResult['kind'],
	undecided: UndecidedRequest[] = [],
): RunResult {
	const status = job.target.operation === 'start' ? 'starting' : 'unknown';
	const unread = { sessionId: entry.sessionId!, status, pendingInteractions: [] };
	const { decisions, doubts } = summarizeDecisions(entry.ledger, session);
	const held = hold ? [`Not every request could be decided in time: ${hold.because}.`] : [];
	return {
		kind,
		session: session ?? unread,
		origin: entry.origin,
		decisions,
		undecided,
		warnings: [...warnings, ...held, ...doubts],
		pollCount,
		durationMs: dependencies.api.clock.monotonicMs() - startedAt,
	};
}

/** What a run throws: an error with its session, once there is one, and what was decided. */
export function addSessionToError({ record: entry, session }: SessionRun, error: unknown): unknown {
	const { sessionId, dashboardUrl, ledger } = entry;
	if (!(error instanceof WorkspaceAutomationError) || !sessionId) return error;
	const { decisions, doubts } = summarizeDecisions(ledger, session);
	return addSession(error, { sessionId, dashboardUrl, decisions }, doubts);
}

/** The result where a session that has ended did so in the message's turn, where there was one, and waits for nothing. */
export function endedResult(run: SessionRun): RunResult | undefined {
	const { api, journal } = run.dependencies;
	const { turn } = run.record;
	const { status, pendingInteractions } = run.session!;
	const isFailed = status === 'failed';
	if (!isFailed && pendingInteractions.length > 0) return undefined;
	if (turn && !isOverdue(turn, api.clock.now())) return undefined;
	if (turn)
		run.warnings.add(
			`No new turn was seen within ${formatSeconds(NEW_TURN_MS)} of the message, so the result may be that of the turn before.`,
		);
	// A session known to have failed is nothing that a retry could continue; a completed one still is, for its result. The item of one
	// that n8n parks comes back with it, and must not start another.
	if (isFailed && !run.settings.timeouts) journal.clear();
	return toResult(run, isFailed ? 'failed' : 'completed');
}

/** What the last requests for a session may take. */
const lastRequests = ({ clock }: ApiClient) => ({
	deadline: clock.monotonicMs() + ABORT_BUDGET_MS,
	maxAttempts: 3,
	urgent: true,
});

/** Max Wait is over: hands the session on as it is, or aborts it. @throws WorkspaceAutomationError that says so */
export async function handleMaxWait(run: SessionRun): Promise<RunResult> {
	const { settings: job, deadline, dependencies } = run;
	const { api } = dependencies;
	const sessionId = run.record.sessionId!;
	if (job.onMaxWait === 'route') return toResult(run, 'stillRunning');
	// A poll that must not be made any more ends the polling, but not the time that the session was given.
	await api.clock.sleep(Math.max(0, deadline - api.clock.monotonicMs()), api.signal);
	// One last look: what has ended meanwhile is a result, and nothing to abort.
	const last = await resultOrError(fetchSession(api, sessionId, lastRequests(api)));
	const wasRead = !(last instanceof WorkspaceAutomationError);
	const result = wasRead && hasEnded(applyPoll(run, last)) && endedResult(run);
	if (result) return result;
	return await abandon(dependencies, sessionId, {
		tooLong: `The session did not finish within ${pluralize(Math.round(job.maxWaitMs / 6_000) / 10, 'minute')}`,
		advice: [
			"Raise 'Max Wait', or set 'On Max Wait' to route the item to Still Running instead.",
			...run.warnings,
		].join(' '),
		aborts: true,
		// One that could not be read may have completed before: a retry reads it.
		forgets: wasRead,
	});
}

/** Waiting for a session is over. @throws WorkspaceAutomationError that says why, and what became of the session */
export async function abandon(
	dependencies: RunDependencies,
	sessionId: string,
	about: { tooLong: string; advice: string; aborts: boolean; forgets: boolean },
): Promise<never> {
	const { api, journal } = dependencies;
	const { tooLong, advice, aborts, forgets } = about;
	if (!aborts) throw new WorkspaceAutomationError(`${tooLong}, and goes on`, advice);
	const aborting = api.call('abortAgentSession', { sessionId }, lastRequests(api));
	const failure = await resultOrError(aborting);
	if (failure instanceof WorkspaceAutomationError)
		throw new WorkspaceAutomationError(
			`${tooLong} and could not be aborted`,
			`It may still be running. ${failure.message}. ${advice}`,
			failure.context,
		);
	if (forgets) journal.clear();
	throw new WorkspaceAutomationError(`${tooLong} and was aborted`, advice);
}

/** The execution was stopped: aborts the session, where the user wants that. */
export async function abortAfterStop(run: SessionRun): Promise<void> {
	const { sessionId } = run.record;
	const { api, journal } = run.dependencies;
	if (!sessionId) return;
	if (!run.settings.abortOnStop)
		return run.log(
			`The execution was stopped; agent session ${sessionId} goes on, because Abort on Stop is off`,
		);
	const options = { ...lastRequests(api), ignoreCancel: true };
	const failure = await resultOrError(api.call('abortAgentSession', { sessionId }, options));
	if (failure instanceof WorkspaceAutomationError)
		return run.log(
			`The execution was stopped, but agent session ${sessionId} could not be aborted and may still be running: ${failure.message}. ${failure.description}`,
		);
	journal.clear();
	run.log(`The execution was stopped; agent session ${sessionId} was aborted`);
}
