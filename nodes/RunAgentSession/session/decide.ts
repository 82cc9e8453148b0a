import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { quote } from '../../shared/values';
import { withoutExpired } from '../policy/moreRules';
import { MATCH_BUDGET } from '../policy/globs';
import { decide } from '../policy/rules';
import { planDecisions, type DueDecision } from '../requests/plan';
import { recordRefused, recordSending, recordTaken } from '../requests/record';
import type { SessionRun } from './run';
import { unansweredAt } from './schedule';

/** Statuses that mean that there's nothing left to decide */
const GONE_STATUSES = [404, 409];

/** Sends each decision once, and sets `run.undecided`. Returns false if a poll comes first. @throws if a rejected one is still listed */
export async function decidePending(run: SessionRun): Promise<boolean> {
	const { record, settings, wallTime } = run;
	throwIfRejected(run);
	const policy = withoutExpired(settings.policy, wallTime);
	const budget = { left: MATCH_BUDGET };
	const planned = planDecisions(record.requests, record.questions, (interaction) =>
		decide(interaction, policy, budget),
	);
	run.undecided = planned.undecided;
	if (run.session!.status === 'failed') return true;
	const due = [...planned.due, ...takeUnanswered(run)];
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

/** Moves requests that nobody answered in time from `run.undecided` to decisions that deny them. */
function takeUnanswered(run: SessionRun): DueDecision[] {
	const { policy, timeouts } = run.settings;
	if (timeouts.ifNobodyAnswers !== 'deny') return [];
	const due: DueDecision[] = [];
	run.undecided = run.undecided.filter(({ record, interaction }) => {
		if (unansweredAt([record], timeouts) > run.wallTime) return true;
		const verdict = decide(interaction, { ...policy, mode: 'deny' });
		if (verdict.decision !== 'ask') due.push({ record, verdict });
		return verdict.decision === 'ask';
	});
	return due;
}

/** Sends a decision once. Returns whether the service took it; otherwise the next poll shows. */
async function sendDecision(run: SessionRun, due: DueDecision): Promise<boolean> {
	const { api } = run;
	const { id, type, permission, patterns } = due.record.interaction!;
	const { decision, option, decidedBy, comment } = due.verdict;
	// Text from the agent must not forge lines of the log.
	const what = quote([permission, patterns], 500);
	run.log(`Approval request decided by ${decidedBy}: ${decision} ${what}`);
	const values = {
		sessionId: run.sessionId,
		interactionId: id,
		type,
		option,
		decision,
		approved: decision === 'approve',
		reason: decision === 'deny' ? comment : undefined,
	};
	const options = { deadline: run.decisionDeadline, singleAttempt: true };
	const requests = recordSending(run.record.requests, due.record, due.verdict, run.wallTime);
	const sending = run.withIntent({ requests }, () =>
		api.call('resolveInteraction', values, options),
	);
	const answer = await resultOrError(sending);
	run.noteChange();
	if (answer instanceof WorkspaceAutomationError) {
		noteNotTaken(run, due, answer);
		return false;
	}
	run.hold = undefined;
	run.save({ requests: recordTaken(run.record.requests, due.record) });
	return true;
}

/** Records a decision that was refused or couldn't be sent. If its response was lost, a poll shows what came of it. */
function noteNotTaken(
	run: SessionRun,
	{ record, verdict }: DueDecision,
	error: WorkspaceAutomationError,
): void {
	const { httpStatus = 0, retryAfter = 1 } = error.context;
	if (error.kind === 'rejected') {
		// An earlier decision, an approver or the agent may have been faster. Only a refusal that leaves the request pending matters.
		const sending = recordSending(run.record.requests, record, verdict, run.wallTime);
		const mayHaveArrived = record.decision?.state === 'sent';
		if (!mayHaveArrived) run.rejected = { record, error };
		run.save({ requests: recordRefused(sending, record, GONE_STATUSES.includes(httpStatus)) });
	} else if (hadNoEffect(error)) {
		run.hold = { until: run.now + retryAfter * 1_000, because: error.message };
	}
}

function throwIfRejected(run: SessionRun): void {
	const { rejected } = run;
	run.rejected = undefined;
	if (!rejected) return;
	const { contentHash, id } = rejected.record;
	const isPending = run.record.requests.some(
		(each) => each.id === id && each.contentHash === contentHash && each.interaction !== undefined,
	);
	if (isPending) throw rejected.error;
}
