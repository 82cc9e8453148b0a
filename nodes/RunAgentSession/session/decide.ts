import { requestKey } from '../../shared/client/session';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { quote } from '../../shared/values';
import { tallyAll } from '../approval/approvers';
import { withoutExpired } from '../policy/moreRules';
import { decide } from '../policy/rules';
import { dropStaleVotes } from './ask';
import {
	isStillPending,
	planDecisions,
	recordConfirmed,
	recordRefused,
	recordSent,
	wasSent,
	type DueDecision,
	type Ledger,
	type UndecidedRequest,
} from './ledger';
import type { SessionRun } from './run';

/** Statuses that mean that there's nothing left to decide */
const GONE_STATUSES = [404, 409];

/** Sends each decision once, and sets `run.undecided`. Returns false if a poll comes first. @throws if a rejected one is still listed */
export async function decidePending(run: SessionRun): Promise<boolean> {
	const session = run.session!;
	throwIfRejected(run);
	const rules = withoutExpired(run.settings.policy, run.wallTime);
	dropStaleVotes(run);
	const { answers, questions = [] } = run.record.page ?? {};
	const policy = { ...rules, page: { ...answers, ...tallyAll(questions) } };
	const planned = planDecisions(run.record.ledger, session, policy);
	run.undecided = planned.undecided;
	noteSeenRequests(run);
	if (session.status === 'failed') return true;
	for (const due of [...planned.due, ...takeUnanswered(run)]) {
		const isTooEarly = run.now < (run.hold?.until ?? 0);
		if (isTooEarly || run.now > run.decisionDeadline) return false;
		if (!(await sendDecision(run, due))) return false;
	}
	return true;
}

function noteSeenRequests(run: SessionRun): void {
	const { firstSeen = {} } = run.wait;
	const unseen = run.undecided
		.map(({ interaction }) => requestKey(interaction))
		.filter((key) => firstSeen[key] === undefined);
	if (unseen.length === 0) return;
	const seen = Object.fromEntries(unseen.map((key) => [key, run.wallTime]));
	run.saveWait({ firstSeen: { ...firstSeen, ...seen }, changedAt: run.wallTime });
}

/** Moves requests without an answer in time from `run.undecided` to decisions that deny them. */
function takeUnanswered(run: SessionRun): DueDecision[] {
	const keys = run.keysToDeny;
	if (keys.length === 0) return [];
	const due: DueDecision[] = [];
	const left: UndecidedRequest[] = [];
	for (const each of run.undecided) {
		const verdict = decide(each.interaction, { ...run.settings.policy, mode: 'deny' });
		const isDue = keys.includes(requestKey(each.interaction)) && verdict.decision !== 'ask';
		if (isDue) due.push({ interaction: each.interaction, verdict });
		else left.push(each);
	}
	run.undecided = left;
	return due;
}

/** Sends a decision once. Returns whether the service confirmed it; otherwise the next poll shows. */
async function sendDecision(run: SessionRun, due: DueDecision): Promise<boolean> {
	const { api, record } = run;
	const { id, type, permission, patterns } = due.interaction;
	const { decision, option, decidedBy } = due.verdict;
	const at = new Date(run.wallTime).toISOString();
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
	};
	const options = { deadline: run.decisionDeadline, singleAttempt: true };
	const sending = run.withIntent({ ledger: recordSent(record.ledger, due, at) }, () =>
		api.call('resolveInteraction', values, options),
	);
	const answer = await resultOrError(sending);
	run.noteChange();
	if (answer instanceof WorkspaceAutomationError) {
		noteUnconfirmed(run, due, record.ledger, at, answer);
		return false;
	}
	run.hold = undefined;
	run.save({ ledger: recordConfirmed(run.record.ledger, due) });
	return true;
}

/** Records a decision that was rejected or couldn't be sent. If its response was lost, the ledger's line stays as it was sent. */
function noteUnconfirmed(
	run: SessionRun,
	due: DueDecision,
	before: Ledger,
	at: string,
	error: WorkspaceAutomationError,
): void {
	const { httpStatus = 0, retryAfter = 1 } = error.context;
	if (error.kind === 'rejected') {
		// An earlier decision, an approver or the agent may have been faster. Only a rejection that leaves the request pending matters.
		const isGone = GONE_STATUSES.includes(httpStatus);
		if (!wasSent(before, due)) run.rejected = { interaction: due.interaction, error };
		run.save({ ledger: recordRefused(before, due, at, isGone) });
	} else if (hadNoEffect(error)) {
		run.hold = { until: run.now + retryAfter * 1_000, because: error.message };
	}
}

function throwIfRejected(run: SessionRun): void {
	const { rejected } = run;
	run.rejected = undefined;
	if (rejected && isStillPending(run.session!, rejected.interaction)) throw rejected.error;
}
