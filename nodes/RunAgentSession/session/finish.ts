import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import type { ApiClient, CallOptions } from '../../shared/client/operations';
import { hasEnded, latestAgentText, type Session } from '../../shared/client/session';
import {
	addSession,
	CanceledError,
	hadNoEffect,
	resultOrError,
	SessionOverError,
	StillRunningError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { excerpt, formatSeconds, quote, toText } from '../../shared/values';
import { MAX_PENDING } from '../../shared/limits';
import type { Edit } from '../changes/change';
import { endRequests, type RequestRecord } from '../requests/requestRecord';
import {
	summarizeDecisions,
	type DecisionSummary,
	type RememberedRule,
} from '../requests/decisions';
import { passedTimeout } from '../requests/ballots';
import { sendMessage } from './message';
import type { SessionRecord, Turn } from './record';
import {
	readCourse,
	type DecidingRun,
	type SessionRun,
	type SessionOutcome,
	type OutputFormat,
} from './run';

/** Time for the last poll and the abort together, for a session that nobody waits for anymore */
const LAST_REQUESTS_MS = 30_000;

/** Returns the requests of a session, after those that approvers decided in earlier tries. */
export const listRequests = (record: SessionRecord | undefined): RequestRecord[] => [
	...(record?.tries?.sessions ?? []).flatMap(({ requests }) =>
		requests.filter(({ decision }) => decision?.verdict.decidedBy === 'page'),
	),
	...(readCourse(record).requests ?? []),
];

/** What items, approvers and errors are told of a session */
export interface SessionView {
	session: Session;
	decisions: DecisionSummary[];
	/** Of the requests that were approved from now on */
	rulesToRemember: RememberedRule[];
	changes: Edit[];
	warnings: string[];
	/** Wall-clock time of the start, or of the message that continued the session */
	startedAt: number;
	/** From there to the latest reading */
	durationMs: number;
}

/** Returns what is known of a session now. @param isOver true if there are no more polls, so that what isn't known stays unknown */
export function viewSession(run: DecidingRun, isOver = false): SessionView {
	const { settings, record, session, hold } = run;
	const unseen = settings.target.operation === 'start' ? 'starting' : 'unknown';
	const { status = unseen } = record.activity ?? {};
	const unread = { sessionId: run.sessionId, status, pendingInteractions: [] };
	const { startedAt = run.wallTime, lastReadAt = run.wallTime } = record;
	const end = (requests: RequestRecord[]) => (isOver ? endRequests(requests) : requests);
	const all = end(listRequests(run.dependencies.journal.read()));
	const { decisions, warnings, rulesToRemember } = summarizeDecisions(all);
	const { changes } = summarizeDecisions(end(record.requests));
	const { morePending = 0 } = session ?? {};
	const left =
		morePending > 0
			? [
					`${morePending} more requests are pending. The node decides at most ${MAX_PENDING} at once, and takes the next when these are decided.`,
				]
			: [];
	const held = hold ? [`Not every request could be decided in time: ${hold.because}.`] : [];
	return {
		session: session ?? { ...unread, dashboardUrl: record.dashboardUrl },
		decisions,
		rulesToRemember,
		changes,
		warnings: [...(record.warnings ?? []), ...left, ...held, ...warnings],
		startedAt,
		durationMs: Math.max(0, lastReadAt - startedAt),
	};
}

/** Polls without proof before a turn counts as overdue. While the execution pauses, the first one comes late, and may be from a stale replica. */
const MIN_POLLS = 3;

const isOverdue = ({ sentAt, polls }: Turn, now: number): boolean =>
	polls >= MIN_POLLS && now >= sentAt + NEW_TURN_MS;

/** Returns undefined until the session has ended, and while the turn of the message may still show. */
export function endedOutcome(run: DecidingRun): SessionOutcome | undefined {
	const { session } = run;
	const { turn } = run.record;
	if (!session || !hasEnded(session)) return undefined;
	if (turn && !isOverdue(turn, run.wallTime)) return undefined;
	const late = `No new turn was seen within ${formatSeconds(NEW_TURN_MS)} of the message, so the result may be from the turn before.`;
	const { error, status } = session;
	if (status === 'failed') {
		// The error and the item tell what the record has.
		if (turn) run.warn(late);
		return { kind: 'failed' };
	}
	const unfinished = listUnfinished(session).join(', and ');
	const warnings = [
		...(turn ? [late] : []),
		...(error === undefined
			? []
			: [`The session completed, and the service says: ${excerpt(error, 500)}`]),
		...(unfinished ? [`The session completed, but ${unfinished}. The result may be early.`] : []),
	];
	return { kind: 'completed', warnings };
}

/** The API document lists no statuses of tools. */
const UNFINISHED_TOOLS = ['pending', 'running'];

/** Returns what shows that the agent of a completed session may still work. */
function listUnfinished({ latestMessage, latestTool }: Session): string[] {
	const { role, completedAt } = latestMessage ?? {};
	const isToolRunning = UNFINISHED_TOOLS.includes(toText(latestTool?.status));
	return [
		...(role === undefined
			? ['it has no message']
			: role !== 'assistant'
				? ["its latest message isn't the agent's"]
				: !completedAt
					? ["its latest message isn't complete"]
					: []),
		...(isToolRunning ? [`its latest tool still runs (${quote(latestTool?.name, 50)})`] : []),
	];
}

const MAX_SHOWN_REASON_LENGTH = 500;

export const addInstructions = (text: string, format: OutputFormat | undefined): string =>
	format ? `${text}\n\n${format.instructions}` : text;

/**
 * Parses a completed session's answer. If it doesn't fit, sends the agent one message with the reason, and returns undefined.
 * @throws WorkspaceAutomationError if there's no time, the message couldn't be sent, or the second answer doesn't fit either
 */
export async function applyFormat(
	run: SessionRun,
	outcome: SessionOutcome,
	hasTime = true,
): Promise<SessionOutcome | undefined> {
	const { format } = run.dependencies;
	if (!format || outcome.kind !== 'completed') return outcome;
	const text = toText(latestAgentText(run.session!));
	const parsed = await format.parse(text);
	if ('output' in parsed) return { ...outcome, output: parsed.output };
	const { misfit } = parsed;
	const isOver =
		passedTimeout(run.wait.since, [], run.settings.timeouts, run.wallTime) === 'maxWait';
	if (run.record.isRepaired || !hasTime || isOver)
		throw misfitError(misfit, text, [...(run.record.warnings ?? []), ...(outcome.warnings ?? [])]);
	const message = addInstructions(
		`Your answer doesn't match the required format. The reason:\n${misfit}\n\nAnswer again with the same result in the required format, and with nothing else.`,
		format,
	);
	const onSent = () => run.save({ isRepaired: true });
	const failure = await resultOrError(
		sendMessage(run, `${run.sessionId} repair`, message, { onSent }),
	);
	if (!(failure instanceof WorkspaceAutomationError)) return undefined;
	if (!hadNoEffect(failure)) throw failure;
	const unsent = `The message that asks for another answer couldn't be sent: ${failure.message}. ${failure.description}`;
	throw misfitError(misfit, text, [unsent]);
}

/** A retry resumes the session, because the journal keeps it. */
function misfitError(
	misfit: string,
	text: string,
	remarks: readonly string[],
): WorkspaceAutomationError {
	const reason = excerpt(misfit, MAX_SHOWN_REASON_LENGTH);
	const start = excerpt(text) || 'nothing';
	return new WorkspaceAutomationError(
		"The result doesn't match the required format",
		`Check the output parser's format, or send the session a message with 'Continue a Session'. A retry reads the session again and starts no other one. Reason: ${reason}. The result starts with: ${start}. ${remarks.join(' ')}`.trim(),
	);
}

function addSessionToError(run: DecidingRun, error: unknown): unknown {
	const { sessionId, dashboardUrl } = run.record;
	if (!(error instanceof WorkspaceAutomationError) || !sessionId) return error;
	const requests = endRequests(listRequests(run.dependencies.journal.read()));
	const { decisions, warnings } = summarizeDecisions(requests);
	return addSession(error, { sessionId, dashboardUrl, decisions }, warnings);
}

export const lastRequests = ({ clock }: ApiClient): CallOptions => ({
	deadline: clock.monotonicMs() + LAST_REQUESTS_MS,
	maxAttempts: 3,
	urgent: true,
});

/** Aborts a session. Returns the error if that failed. */
export async function abortSession(
	api: ApiClient,
	sessionId: string,
	options?: CallOptions,
): Promise<WorkspaceAutomationError | undefined> {
	const aborting = api.call(
		'abortAgentSession',
		{ sessionId },
		{ ...lastRequests(api), ...options },
	);
	const result = await resultOrError(aborting);
	return result instanceof WorkspaceAutomationError ? result : undefined;
}

/** Returns the error of a session that the node doesn't wait for anymore. @param state `unseen`: aborted, and not seen since */
export function abandonedError(
	tooLong: string,
	state: 'running' | 'aborted' | 'unseen' | WorkspaceAutomationError,
	advice: string,
): WorkspaceAutomationError {
	if (state === 'running') return new StillRunningError(`${tooLong}. It's still running`, advice);
	if (state === 'aborted') return new SessionOverError(`${tooLong} and was aborted`, advice);
	if (state === 'unseen')
		return new WorkspaceAutomationError(`${tooLong} and may have been aborted`, advice);
	return new StillRunningError(
		`${tooLong} and couldn't be aborted`,
		`It may still be running. ${state.message}. ${advice}`,
		state.context,
	);
}

export const withSessionErrors = async <T>(run: DecidingRun, work: () => Promise<T>): Promise<T> =>
	await work().catch((error: unknown) => {
		throw error instanceof CanceledError ? error : addSessionToError(run, error);
	});
