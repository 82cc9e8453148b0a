import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../shared/base/errors';
import { quote } from '../shared/base/values';
import {
	confirmed,
	isPending,
	plan,
	refused,
	sent,
	wasSent,
	type Due,
	type Undecided,
} from './ledger';
import { isRefused, read, take } from './polling';
import type { Run } from './run';

// Sending decisions. What is due, and what became of it, the ledger knows.

/** Statuses that say that there is nothing to decide any more */
const GONE = [404, 409];

/** Sends what the policy decides of the latest reading. Returns what is left for a person. */
export async function decidePending(run: Run): Promise<Undecided[]> {
	for (;;) {
		const { due, undecided } = plan(run.entry.ledger, run.session!, run.job.policy);
		let isConfirmed = false;
		for (const each of due) {
			if (!mayDecide(run)) return undecided;
			// The answer to the decision before may show something else.
			if (isPending(run.session!, each.interaction))
				isConfirmed = (await send(run, each)) || isConfirmed;
		}
		// What it answered with may ask for the next permission already.
		if (!isConfirmed) return undecided;
	}
}

function mayDecide({ dependencies, hold, lastDecision, session }: Run): boolean {
	const now = dependencies.clock.now();
	return now >= (hold?.until ?? 0) && now <= lastDecision && session!.status !== 'failed';
}

/** Sends a decision once. Returns whether the service confirmed it; of what it did not the next reading tells. */
async function send(run: Run, due: Due): Promise<boolean> {
	const { api, clock } = run.dependencies;
	const { ledger: before, sessionId } = run.entry;
	const at = new Date(clock.now()).toISOString();
	run.note({ ledger: sent(before, due, at) });
	const { decision, decidedBy } = due.verdict;
	const { permission, patterns } = due.interaction;
	// Agent-written text must not forge lines of the log.
	const what = quote([permission, patterns], 500);
	run.log(`Permission request decided by ${decidedBy}: ${decision} ${what}`);
	const options = { deadline: run.lastDecision, extra: run.job.decisionBody };
	const answer = await resultOrError(
		api.resolve(sessionId!, due.interaction, due.verdict, options),
	);
	if (!(answer instanceof WorkspaceAutomationError)) {
		run.hold = undefined;
		if (answer) take(run, answer);
		run.note({ ledger: confirmed(run.entry.ledger, due) });
		return true;
	}
	if (!hadNoEffect(answer)) return false;
	if (!isRefused(answer)) {
		const { retryAfter = 1 } = answer.context;
		run.hold = { until: clock.now() + retryAfter * 1_000, because: answer.message };
		run.note({ ledger: before });
		return false;
	}
	// An earlier answer of ours may have been carried out, somebody else may have been faster, or the agent may have moved on: only
	// a refusal that leaves it pending matters.
	const isGone = GONE.includes(answer.context.httpStatus ?? 0);
	run.note({ ledger: refused(before, due, at, isGone) });
	const now = await read(run);
	if (now && isPending(now, due.interaction) && !wasSent(before, due)) throw answer;
	return false;
}
