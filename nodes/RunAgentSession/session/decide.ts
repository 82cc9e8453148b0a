import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { quoteVisible } from '../../shared/approvals/visibleText';
import type { Values } from '../../shared/client/operations';
import { isPassingRefusal } from '../../shared/client/retryPolicy';
import { lazily, omit, quote } from '../../shared/values';
import { withoutExpired } from '../policy/rules';
import { answerValues, isQuestion, readQuestion } from '../../shared/approvals/interaction';
import { answerQuestion } from '../requests/answer';
import {
	createDecider,
	LEFT_QUESTION,
	planDecisions,
	type Decide,
	type DueDecision,
	decideRequest,
} from '../requests/decisions';
import { isUndecided, unansweredAt } from '../requests/ballots';
import {
	recordRefused,
	recordSending,
	recordTaken,
	recordUnsent,
	replaceUndecided,
	type RequestRecord,
} from '../requests/requestRecord';
import type { RequestVerdict } from '../requests/votes';
import { MAX_UNUSABLE_MS, retryAfterOf, type DecidingRun, type SessionRun } from './run';

/** Time before a decision that couldn't be sent is sent again */
const MIN_HOLD_MS = 1_000;

/** Statuses that mean that there's nothing left to decide */
const GONE_STATUSES = [404, 409];

/** Decides by the policy and the timeouts, see `decideWith`. */
export async function decidePending(run: SessionRun): Promise<boolean> {
	// Most polls show no request.
	const decideOne = lazily(() => createDecider(withoutExpired(run.settings.policy, run.wallTime)));
	const decide: Decide = (interaction) =>
		isQuestion(interaction) ? LEFT_QUESTION : decideOne()(interaction);
	return await decideWith(run, decide, () => settleUnanswered(run));
}

/** Sends each decision once, and sets `run.undecided`. Returns false if a poll comes first. @throws if a rejected one is still listed */
export async function decideWith(
	run: DecidingRun,
	decide: Decide,
	takeMore: () => DueDecision[] = () => [],
): Promise<boolean> {
	throwIfRejected(run);
	const { requests } = run.record;
	const isAgain = (record: RequestRecord) => isUndecided(record, run.voting);
	if (requests.some(isAgain))
		run.save({ requests: replaceUndecided(requests, isAgain, run.wallTime) });
	const planned = planDecisions(run.record.requests, run.voting, decide);
	run.undecided = planned.undecided;
	if (run.session!.status === 'failed') return true;
	const theirs = planned.due.filter(({ record: { quiet } }) => !quiet);
	const isDone = await sendDecisions(run, [...theirs, ...takeMore()]);
	run.isUrgent = !isDone && !run.hold && !run.rejected && !run.hasUnfinishedDecision;
	return isDone;
}

async function sendDecisions(run: DecidingRun, due: readonly DueDecision[]): Promise<boolean> {
	for (const [index, decision] of due.entries()) {
		const isTooEarly = run.now < (run.hold?.until ?? 0);
		if (isTooEarly || run.now > run.decisionDeadline) return false;
		if (!(await sendDecision(run, decision))) return false;
		// A denial may end the agent's other requests, so a poll comes before and after it.
		const next = due[index + 1] as DueDecision | undefined;
		if (next?.verdict.decision === 'deny') return false;
	}
	return true;
}

/** @throws WorkspaceAutomationError that quotes a question that nobody answered in time, because it can't be denied */
export function throwIfUnanswered({ settings, undecided, wallTime }: SessionRun): void {
	const { timeouts } = settings;
	if (timeouts.ifNobodyAnswers !== 'deny') return;
	const unanswered = undecided.find(
		({ record, interaction }) =>
			isQuestion(interaction) &&
			!record.quiet &&
			unansweredAt([omit(record, 'decision')], timeouts) <= wallTime,
	);
	if (!unanswered) return;
	const { text } = readQuestion(unanswered.interaction);
	const isSet = timeouts.answerIfNobodyAnswers !== undefined;
	const set = isSet ? 'that is one of its options ' : '';
	throw new WorkspaceAutomationError(
		"Nobody answered the agent's question in time",
		`Answer it in the dashboard, and continue the session. To answer such questions by themselves, enter an answer ${set}in 'Answer If Nobody Answers'. The session is still running. The agent asks: ${quoteVisible(text, 300)}.`,
	);
}

/** Moves requests that nobody answered in time from `run.undecided` to decisions that deny them, and to answers. */
function settleUnanswered(run: SessionRun): DueDecision[] {
	const { policy, timeouts } = run.settings;
	if (timeouts.ifNobodyAnswers !== 'deny') return [];
	const due: DueDecision[] = [];
	run.undecided = run.undecided.filter(({ record, interaction }) => {
		if (record.quiet || unansweredAt([omit(record, 'decision')], timeouts) > run.wallTime)
			return true;
		const verdict = isQuestion(interaction)
			? answerQuestion(interaction, timeouts.answerIfNobodyAnswers ?? '', 'policy')
			: decideRequest(interaction, { ...policy, mode: 'deny' });
		const isSettled = 'decision' in verdict && verdict.decision !== 'ask';
		if (isSettled) due.push({ record, verdict: { ...verdict, because: 'nobody answered' } });
		return !isSettled;
	});
	return due;
}

/** Returns the operation that sends a decision, or the answer to a question, with its values. */
function toRequest({ record, verdict }: DueDecision): {
	operation: 'resolveInteraction' | 'answerQuestion';
	values: Values;
} {
	const { id: interactionId, type } = record.interaction!;
	const { decision, option, isText } = verdict;
	if (decision === 'answer') {
		const answer = answerValues({ type }, { value: option, isOption: !isText });
		return { operation: 'answerQuestion', values: { interactionId, ...answer } };
	}
	const approved = decision === 'approve';
	const reason = approved ? undefined : joinComments(verdict);
	const values = { interactionId, type, option, decision, approved, reason };
	return { operation: 'resolveInteraction', values };
}

/** Returns the comments of a verdict, with the names of approvers who have one. */
const listComments = ({ approvers, comment }: RequestVerdict): string[] =>
	approvers?.flatMap((each) =>
		each.comment === undefined ? [] : `${each.name}: ${each.comment}`,
	) ?? (comment === undefined ? [] : [comment]);

const joinComments = (verdict: RequestVerdict): string | undefined =>
	listComments(verdict).join('\n') || undefined;

/** Keeps the comments of a decision that can't carry its own, to send them as a message. */
function keepComments(run: DecidingRun, { record, verdict }: DueDecision): void {
	const { comments = [] } = run.record;
	const isCarried =
		verdict.decision === 'deny' && run.api.hasPlaceFor('resolveInteraction', 'reason');
	if (!run.settings.sendComments || isCarried) return;
	const texts = listComments(verdict).filter((text) =>
		comments.every((each) => each.text !== text),
	);
	run.save({ comments: [...comments, ...texts.map((text) => ({ id: record.id, text }))] });
}

/** Sends a decision once. Returns whether the service took it; otherwise the next poll shows. */
async function sendDecision(run: DecidingRun, due: DueDecision): Promise<boolean> {
	const { api } = run;
	const { permission, patterns, question } = due.record;
	const { decision, decidedBy } = due.verdict;
	// Text from the agent must not forge lines of the log.
	const what = quote(question ?? [permission, patterns], 500);
	run.log(`Approval request decided by ${decidedBy}: ${decision} ${what}`);
	const { operation, values } = toRequest(due);
	const options = { deadline: run.decisionDeadline, singleAttempt: true };
	run.save({ requests: recordSending(run.record.requests, due.record, due.verdict, run.wallTime) });
	const answer = await resultOrError(
		api.call(operation, { sessionId: run.sessionId, ...values }, options),
	);
	run.noteChange();
	const isError = answer instanceof WorkspaceAutomationError;
	if (!isError || !hadNoEffect(answer)) keepComments(run, due);
	if (isError) {
		noteNotTaken(run, due, answer);
		return false;
	}
	run.hold = undefined;
	run.save({ requests: recordTaken(run.record.requests, due.record) });
	return true;
}

/** Records a decision that was refused or couldn't be sent. If its response was lost, a poll shows what came of it. */
function noteNotTaken(
	run: DecidingRun,
	{ record }: DueDecision,
	error: WorkspaceAutomationError,
): void {
	const { httpStatus = 0 } = error.context;
	const { requests } = run.record;
	if (error.kind === 'rejected') {
		// An earlier decision, an approver or the agent may have been faster. Only a refusal that leaves the request pending matters.
		const mayHaveArrived = record.decision?.state === 'sent';
		if (!mayHaveArrived) run.rejected = { record, error };
		const isGone = GONE_STATUSES.includes(httpStatus);
		run.save({ requests: recordRefused(requests, record, isGone, run.wallTime) });
	} else if (hadNoEffect(error)) {
		const delayMs = Math.max(MIN_HOLD_MS, retryAfterOf(error));
		run.hold = { until: run.now + delayMs, because: error.message };
		run.save({ requests: recordUnsent(requests, record) });
	}
}

/** @throws the service's error if a refused request is still pending, and the refusal can't pass or has lasted too long */
function throwIfRejected(run: DecidingRun): void {
	const { rejected } = run;
	run.rejected = undefined;
	if (!rejected) return;
	const { id } = rejected.record;
	const ofId = run.record.requests.filter((each) => each.id === id);
	if (!ofId.some(({ interaction }) => interaction)) return;
	const refusedAt = Math.min(...ofId.map(({ decision }) => decision?.refusedAt ?? Infinity));
	const isLong = run.wallTime >= refusedAt + MAX_UNUSABLE_MS;
	if (isLong || !isPassingRefusal(rejected.error, true)) throw rejected.error;
}
