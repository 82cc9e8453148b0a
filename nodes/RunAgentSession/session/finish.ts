import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import type { ApiClient, CallOptions } from '../../shared/client/operations';
import {
	addSession,
	CanceledError,
	resultOrError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { formatSeconds } from '../../shared/values';
import { summarizeDecisions } from './ledger';
import type { SessionRun } from './run';
import { isOverdue } from './turn';
import type { RunResult } from './types';

/** Time for the last poll and the abort together, for a session that nobody waits for anymore */
export const LAST_REQUESTS_MS = 30_000;

export function toResult(run: SessionRun, kind: RunResult['kind']): RunResult {
	const { settings, record, session, hold } = run;
	const status = settings.target.operation === 'start' ? 'starting' : 'unknown';
	const unread = { sessionId: run.sessionId, status, pendingInteractions: [] };
	const { decisions, doubts } = summarizeDecisions(record.ledger, session);
	const held = hold ? [`Not every request could be decided in time: ${hold.because}.`] : [];
	return {
		kind,
		session: session ?? { ...unread, dashboardUrl: record.dashboardUrl },
		origin: record.origin,
		decisions,
		undecided: run.undecided,
		preferences: settings.policy,
		warnings: [...run.listWarnings(), ...held, ...doubts],
		pollCount: run.pollCount,
		durationMs: run.now - run.startedAt,
	};
}

/** Returns undefined while the turn of the message may still show. */
export function endedResult(run: SessionRun): RunResult | undefined {
	const { turn } = run.record;
	const isFailed = run.session!.status === 'failed';
	if (turn && !isOverdue(turn, run.wallTime)) return undefined;
	if (turn)
		run.warnings.add(
			`No new turn was seen within ${formatSeconds(NEW_TURN_MS)} of the message, so the result may be from the turn before.`,
		);
	return toResult(run, isFailed ? 'failed' : 'completed');
}

export function addSessionToError({ record, session }: SessionRun, error: unknown): unknown {
	const { sessionId, dashboardUrl, ledger } = record;
	if (!(error instanceof WorkspaceAutomationError) || !sessionId) return error;
	const { decisions, doubts } = summarizeDecisions(ledger, session);
	return addSession(error, { sessionId, dashboardUrl, decisions }, doubts);
}

export const lastRequests = ({ clock }: ApiClient): CallOptions => ({
	deadline: clock.monotonicMs() + LAST_REQUESTS_MS,
	maxAttempts: 3,
	urgent: true,
});

/** Aborts the session if `isAborted`, and throws. Unless `wasRead`, it may have completed before the abort, so a retry reads it. */
export async function abandon(
	run: SessionRun,
	about: { tooLong: string; advice: string; isAborted: boolean; wasRead: boolean },
	options: CallOptions,
): Promise<never> {
	const { tooLong, advice, isAborted, wasRead } = about;
	if (!isAborted) throw new WorkspaceAutomationError(`${tooLong}. It's still running`, advice);
	const { api, sessionId } = run;
	const failure = await resultOrError(api.call('abortAgentSession', { sessionId }, options));
	if (failure instanceof WorkspaceAutomationError)
		throw new WorkspaceAutomationError(
			`${tooLong} and couldn't be aborted`,
			`It may still be running. ${failure.message}. ${advice}`,
			failure.context,
		);
	const aborted = new WorkspaceAutomationError(`${tooLong} and was aborted`, advice);
	const error = addSessionToError(run, aborted);
	if (wasRead) run.dependencies.journal.clear();
	throw error;
}

export const stillRunningSentence = (sessionId: string): string =>
	`Session ${sessionId} couldn't be aborted and may still be running.`;

/** Aborts the session of an item after Stop. Returns a sentence if it may still be running. */
export async function abortAfterStop(run: SessionRun): Promise<string | undefined> {
	const { sessionId } = run.record;
	const { api, settings } = run;
	if (!sessionId) return undefined;
	if (!settings.abortOnStop) {
		run.log(
			`The execution was stopped. Agent session ${sessionId} is still running, because Abort on Stop is off`,
		);
		return undefined;
	}
	const options = { ...lastRequests(api), ignoreCancel: true };
	const failure = await resultOrError(api.call('abortAgentSession', { sessionId }, options));
	if (failure instanceof WorkspaceAutomationError) {
		run.log(
			`The execution was stopped, but agent session ${sessionId} couldn't be aborted and may still be running: ${failure.message}. ${failure.description}`,
		);
		return stillRunningSentence(sessionId);
	}
	run.dependencies.journal.clear();
	run.log(`The execution was stopped. Agent session ${sessionId} was aborted`);
	return undefined;
}

export const withSessionErrors = async <T>(run: SessionRun, work: () => Promise<T>): Promise<T> =>
	await work().catch((error: unknown) => {
		throw error instanceof CanceledError ? error : addSessionToError(run, error);
	});
