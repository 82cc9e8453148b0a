import { messageReconciler } from '../../shared/client/reconcilers';
import { mayHaveHappenedError, readNewSessionId, parseSession } from '../../shared/client/sessions';
import type { ApiClient } from '../../shared/client/operations';
import {
	CanceledError,
	hadNoEffect,
	resultOrError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { quote } from '../../shared/values';
import { hasEnded, type Session } from '../../shared/client/session';
import { abortAfterStop, endedResult, addSessionToError, toResult, handleMaxWait } from './finish';
import {
	recordConfirmed,
	isStillPending,
	planDecisions,
	recordRefused,
	recordSent,
	wasSent,
	type DueDecision,
	type UndecidedRequest,
} from './ledger';
import {
	isRejectedByService,
	pollSession,
	SessionRun,
	updateSession,
	sleepUntilNextPoll,
	type ItemSettings,
	type RunDependencies,
	type RunResult,
	type Target,
} from './run';
import { createTurn } from './turn';

/** For a start, however short Max Wait is: cut off, it would leave a session that nobody knows. */
const MIN_START_MS = 120_000;
/** Statuses that say that there is nothing to decide any more */
const GONE_STATUSES = [404, 409];

/**
 * Runs one item: starts or continues its session, reads it and decides its permissions until there is nothing left to wait for.
 * @throws WorkspaceAutomationError that names the session, once there is one, and what was decided
 * @throws CanceledError after Stop, with the remote session aborted where the job says so
 */
export async function runSession(
	job: ItemSettings,
	dependencies: RunDependencies,
): Promise<RunResult> {
	const run = new SessionRun(job, dependencies);
	const { target } = job;
	try {
		let isDue =
			target.operation === 'start'
				? await startSession(run, target)
				: await continueSession(run, target);
		let undecided: UndecidedRequest[] = [];
		for (; ; isDue = false) {
			const isRead = (isDue || (await sleepUntilNextPoll(run))) && (await pollSession(run));
			if (!isRead && undecided.length === 0) return await handleMaxWait(run);
			if (isRead) undecided = await decidePending(run);
			const result = isRead && hasEnded(run.session!) && endedResult(run);
			if (result) return result;
			if (undecided.length > 0 && !(isRead && run.isUnsettled))
				return toResult(run, 'needsApproval', undecided);
		}
	} catch (error) {
		if (error instanceof CanceledError) await abortAfterStop(run);
		throw addSessionToError(run, error);
	}
}

/** Lets a retry send again what is known not to have been sent or to have been refused; of the rest the log tells. */
async function whileSending<T>(run: SessionRun, sending: Promise<T>): Promise<T> {
	return await sending.catch((error: unknown) => {
		if (hadNoEffect(error)) run.dependencies.journal.clear();
		else run.log(`It is not known what became of a request: ${(error as Error).message}`);
		throw error;
	});
}

/** Starts the session, unless an earlier try of this execution did. Returns whether it makes sense to read it at once. */
async function startSession(
	run: SessionRun,
	{ projectId, prompt, extra }: Extract<Target, { operation: 'start' }>,
): Promise<boolean> {
	const { api, onSession } = run.dependencies;
	const { sessionId: earlier, dashboardUrl, state } = run.record;
	if (earlier) {
		run.log(`Continuing agent session ${earlier}, which an earlier try started`);
		onSession({ sessionId: earlier, dashboardUrl });
		return true;
	}
	if (state === 'sending') throw mayHaveHappenedError('createAgentSession');
	run.save({ state: 'sending' });
	const deadline = Math.max(run.deadline, api.clock.monotonicMs() + MIN_START_MS);
	const starting = api
		.call('createAgentSession', { projectId, prompt }, { deadline, extra })
		.then((response) => readNewSessionId(api, response));
	const sessionId = await whileSending(run, starting);
	run.save({ state: 'sent', sessionId, origin: run.settings.origin });
	run.log(`Agent session ${sessionId} started`, { projectId });
	onSession({ sessionId });
	return false;
}

/** Joins an existing session and gives it the message, unless an earlier try did. Returns whether to read it at once. */
async function continueSession(
	run: SessionRun,
	{ sessionId, message }: Extract<Target, { operation: 'continue' }>,
): Promise<boolean> {
	const { api, onSession } = run.dependencies;
	run.save({ sessionId, origin: run.record.origin ?? run.settings.origin });
	onSession({ sessionId });
	if (message === undefined || run.record.state === 'sent') return true;
	if (run.record.state === 'sending') throw mayHaveHappenedError('sendAgentMessage');
	const before = await pollSession(run);
	if (!before)
		throw new WorkspaceAutomationError(
			'The session could not be read, so the message was not sent',
			[...run.warnings].join(' '),
		);
	run.save({ state: 'sending' });
	await whileSending(run, sendMessage(api, before, message, run.deadline));
	run.save({ state: 'sent', turn: createTurn(before, api.clock.now()) });
	run.log(`Message sent to agent session ${sessionId}`);
	return false;
}

/** Starts a new turn. `before` is the session as it was, to tell after a lost response whether the message arrived. */
export async function sendMessage(
	api: ApiClient,
	before: Session,
	text: string,
	deadline: number,
): Promise<void> {
	const reconcile = messageReconciler(api, before, text, { deadline });
	const values = { sessionId: before.sessionId, text };
	await api.call('sendAgentMessage', values, { deadline, reconcile });
}

/** Sends what the policy decides of the latest reading. Returns what is left for a person. */
async function decidePending(run: SessionRun): Promise<UndecidedRequest[]> {
	for (;;) {
		const { due, undecided } = planDecisions(run.record.ledger, run.session!, run.settings.policy);
		let isConfirmed = false;
		for (const each of due) {
			const now = run.dependencies.api.clock.monotonicMs();
			const isHeld = now < (run.hold?.until ?? 0) || now > run.lastDecision;
			if (isHeld || run.session!.status === 'failed') return undecided;
			// The answer to the decision before may show something else.
			if (isStillPending(run.session!, each.interaction))
				isConfirmed = (await sendDecision(run, each)) || isConfirmed;
		}
		// What it answered with may ask for the next permission already.
		if (!isConfirmed) return undecided;
	}
}

/** Sends a decision once. Returns whether the service confirmed it; of what it did not the next reading tells. */
async function sendDecision(run: SessionRun, due: DueDecision): Promise<boolean> {
	const { api } = run.dependencies;
	const { ledger: before, sessionId } = run.record;
	const { id, type, permission, patterns } = due.interaction;
	const { decision, option, decidedBy } = due.verdict;
	const at = new Date(api.clock.now()).toISOString();
	run.save({ ledger: recordSent(before, due, at) });
	// Agent-written text must not forge lines of the log.
	const what = quote([permission, patterns], 500);
	run.log(`Permission request decided by ${decidedBy}: ${decision} ${what}`);
	const approved = decision === 'approve';
	const values = { sessionId, interactionId: id, type, option, decision, approved };
	const options = {
		deadline: run.lastDecision,
		extra: run.settings.decisionBody,
		singleAttempt: true,
	};
	const answer = await resultOrError(api.call('resolveInteraction', values, options));
	if (!(answer instanceof WorkspaceAutomationError)) {
		run.hold = undefined;
		const session = parseSession(api, answer.body, sessionId!);
		if (session) updateSession(run, session);
		run.save({ ledger: recordConfirmed(run.record.ledger, due) });
		return true;
	}
	if (!hadNoEffect(answer)) return false;
	if (!isRejectedByService(answer)) {
		const { retryAfter = 1 } = answer.context;
		run.hold = { until: api.clock.monotonicMs() + retryAfter * 1_000, because: answer.message };
		run.save({ ledger: before });
		return false;
	}
	// An earlier answer of ours may have been carried out, somebody else may have been faster, or the agent may have moved on: only
	// a refusal that leaves it pending matters.
	const isGone = GONE_STATUSES.includes(answer.context.httpStatus ?? 0);
	run.save({ ledger: recordRefused(before, due, at, isGone) });
	const now = await pollSession(run);
	if (now && isStillPending(now, due.interaction) && !wasSent(before, due)) throw answer;
	return false;
}
