import { hasEnded, type Session } from '../../shared/client/session';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { omit } from '../../shared/values';
import {
	decideQuiet,
	endQuiet,
	formatQuiet,
	isAbort,
	KEEP,
	readActivity,
	showQuiet,
	UNANSWERED,
	type Activity,
} from '../requests/quietRequest';
import {
	findQuiet,
	isQuietRecord,
	recordSending,
	type DecisionState,
	type RequestRecord,
} from '../requests/requestRecord';
import type { RequestVerdict } from '../requests/votes';
import { sendMessage } from './message';
import type { DecidingRun, SessionRun } from './run';
import { unansweredAt } from '../requests/ballots';

// Asks approvers about a session that shows no activity, and does what they choose.

const hasPending = (requests: readonly RequestRecord[]): boolean =>
	requests.some((record) => record.interaction !== undefined && !isQuietRecord(record));

const activityOf = ({ record, wait }: DecidingRun): Activity =>
	record.activity ?? { since: wait.since };

/** Returns when approvers have to be asked about a quiet session. Infinity if they aren't, or have been. */
export function quietAt(run: SessionRun): number {
	const { quietMs = Infinity } = run.settings;
	const { requests } = run.record;
	const isAsked = hasPending(requests) || findQuiet(requests) !== undefined;
	return isAsked ? Infinity : activityOf(run).since + quietMs;
}

/** Notes what a reading shows of the activity, and asks or takes the request back. An outage of readings is no silence. */
export function watchActivity(run: DecidingRun, session: Session, readBefore = 0): void {
	const { settings, wallTime: now } = run;
	const { quietMs: afterMs } = settings;
	if (afterMs === undefined && !run.record.requests.some(isQuietRecord)) return;
	const before = Math.max(readBefore, run.wait.since);
	const activity = readActivity(activityOf(run), session, before, now);
	const { requests } = run.record;
	const { since, latest } = activity;
	const isOver = afterMs === undefined || now < since + afterMs || hasPending(requests);
	const quiet =
		isOver || hasEnded(session) ? undefined : { since, afterMs, ...(latest && { latest }) };
	run.save({ activity, requests: showQuiet(requests, quiet, now) });
}

/** Leaves the open request about a session that can't be read for its approvers. */
export function leaveQuiet(run: SessionRun): void {
	const record = findQuiet(run.record.requests);
	const isLeft = record && !decideQuiet(record, run.voting);
	run.undecided = isLeft
		? [{ record, interaction: record.interaction!, because: 'the session is quiet' }]
		: [];
}

/** Records what was decided about a quiet session, before it's done. */
const saveSending = (run: SessionRun, record: RequestRecord, verdict: RequestVerdict): void =>
	run.save({ requests: recordSending(run.record.requests, record, verdict, run.wallTime) });

/** Ends the request. The time counts anew. */
export function closeQuiet(run: SessionRun, state: DecisionState): void {
	const { wallTime: since } = run;
	const requests = endQuiet(run.record.requests, state);
	run.save({ requests, activity: { ...activityOf(run), since } });
}

const toEffect = ({ sessionId }: SessionRun, { id }: RequestRecord): string => `${sessionId} ${id}`;

/** Applies an answer at once, also if the session can't be read: keeps waiting, or sends the message once. An abort ends the wait, see `decideAbort`. */
export async function applyQuietAnswer(run: SessionRun): Promise<void> {
	const record = findQuiet(run.record.requests);
	const verdict = record && decideQuiet(record, run.voting);
	if (!verdict || isAbort(verdict)) return;
	run.log(
		`The quiet session was decided by ${verdict.decidedBy}: ${verdict.isText ? 'message' : KEEP}`,
	);
	saveSending(run, record, verdict);
	if (!verdict.isText) return closeQuiet(run, 'confirmed');
	const onSent = () => closeQuiet(run, 'confirmed');
	const sending = sendMessage(run, toEffect(run, record), String(verdict.option), { onSent });
	const failure = await resultOrError(sending);
	if (!(failure instanceof WorkspaceAutomationError)) return;
	const isUnsent = hadNoEffect(failure);
	// The next reading tries again.
	if (isUnsent && failure.kind !== 'rejected') return;
	const what = isUnsent ? "couldn't be sent" : 'may not have been sent';
	run.warn(`The message to the quiet session ${what}: ${failure.message}. ${failure.description}`);
	closeQuiet(run, isUnsent ? 'refused' : 'unconfirmed');
}

/** Records a message that was sent right before n8n was killed. The activity that took the request back may be the work on it. */
export async function recoverMessage(run: SessionRun, asked: RequestRecord): Promise<void> {
	const { requests } = run.record;
	const verdict = asked.decision ? undefined : decideQuiet(asked, run.voting);
	if (!verdict?.isText) return;
	const { ledger } = run.dependencies;
	const effect = toEffect(run, asked);
	const earlier = await ledger.begin(effect);
	if (earlier === 'new') return await ledger.forget(effect);
	const open = requests.map((each) => (each.id === asked.id ? asked : each));
	const sent = recordSending(open, asked, verdict, run.wallTime);
	const state = earlier === 'done' ? 'confirmed' : 'unconfirmed';
	run.save({ requests: endQuiet(sent, state) });
}

/** What the error of an aborted session says */
export interface QuietEnd {
	tooLong: string;
	advice: string;
}

/** Records the decision to abort a quiet session: an approver's after a poll, or the timeout's. */
export function decideAbort(run: SessionRun): QuietEnd | undefined {
	const { record: course, settings, wallTime } = run;
	const record = findQuiet(course.requests);
	if (!record) return undefined;
	const voted = decideQuiet(record, run.voting);
	const isChosen = voted !== undefined && isAbort(voted);
	// An answer that couldn't be applied stops no timeout.
	const open = omit(record, 'decision') as RequestRecord;
	if (!isChosen && unansweredAt([open], settings.timeouts) > wallTime) return undefined;
	const verdict = isChosen ? voted : UNANSWERED;
	saveSending(run, record, verdict);
	return {
		tooLong: formatQuiet(record.quiet!).replace('has been', 'was'),
		advice: isChosen
			? 'An approver chose to abort it. To start another session, run the workflow again from the start.'
			: "Nobody answered in time. Raise 'If Nobody Answers After', or choose Wait in 'If Nobody Answers'.",
	};
}
