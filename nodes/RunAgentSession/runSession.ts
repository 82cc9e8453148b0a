import { messageArrived } from '../shared/api/lookUps';
import { interruptedEarlier, readNewSessionId, sessionIn } from '../shared/api/sessions';
import type { Api } from '../shared/api/operations';
import {
	CanceledError,
	hadNoEffect,
	resultOrError,
	WorkspaceAutomationError,
} from '../shared/base/errors';
import { quote } from '../shared/base/values';
import { hasEnded, type Session } from '../shared/session/session';
import { afterStop, ended, named, resultOf, timeIsUp } from './endings';
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
import {
	isRefused,
	read,
	Run,
	take,
	waitForNextPoll,
	type Job,
	type RunDependencies,
	type RunResult,
	type Target,
} from './run';
import { turnAfter } from './turn';

/** For a start, however short Max Wait is: cut off, it would leave a session that nobody knows. */
const START_MS = 120_000;
/** Statuses that say that there is nothing to decide any more */
const GONE = [404, 409];

/**
 * Runs one item: starts or continues its session, reads it and decides its permissions until there is nothing left to wait for.
 * @throws WorkspaceAutomationError that names the session, once there is one, and what was decided
 * @throws CanceledError after Stop, with the remote session aborted where the job says so
 */
export async function runSession(job: Job, dependencies: RunDependencies): Promise<RunResult> {
	const run = new Run(job, dependencies);
	const { target } = job;
	try {
		let isDue = target.operation === 'start' ? await start(run, target) : await join(run, target);
		let undecided: Undecided[] = [];
		for (; ; isDue = false) {
			const isRead = (isDue || (await waitForNextPoll(run))) && (await read(run));
			if (!isRead && undecided.length === 0) return await timeIsUp(run);
			if (isRead) undecided = await decidePending(run);
			const result = isRead && hasEnded(run.session!) && ended(run);
			if (result) return result;
			if (undecided.length > 0 && !(isRead && run.isUnsettled))
				return resultOf(run, 'needsApproval', undecided);
		}
	} catch (error) {
		if (error instanceof CanceledError) await afterStop(run);
		throw named(run, error);
	}
}

/** Lets a retry send again what is known not to have been sent or to have been refused; of the rest the log tells. */
async function whileSending<T>(run: Run, sending: Promise<T>): Promise<T> {
	return await sending.catch((error: unknown) => {
		if (hadNoEffect(error)) run.dependencies.journal.clear();
		else run.log(`It is not known what became of a request: ${(error as Error).message}`);
		throw error;
	});
}

/** Starts the session, unless an earlier try of this execution did. Returns whether it makes sense to read it at once. */
async function start(
	run: Run,
	{ projectId, prompt, extra }: Extract<Target, { operation: 'start' }>,
): Promise<boolean> {
	const { api, onSession } = run.dependencies;
	const { sessionId: earlier, dashboardUrl, state } = run.entry;
	if (earlier) {
		run.log(`Continuing agent session ${earlier}, which an earlier try started`);
		onSession({ sessionId: earlier, dashboardUrl });
		return true;
	}
	if (state === 'sending') throw interruptedEarlier('createAgentSession');
	run.note({ state: 'sending' });
	const deadline = Math.max(run.deadline, api.clock.now() + START_MS);
	const starting = api
		.call('createAgentSession', { projectId, prompt }, { deadline, extra })
		.then((response) => readNewSessionId(api, response));
	const sessionId = await whileSending(run, starting);
	run.note({ state: 'sent', sessionId, about: run.job.about });
	run.log(`Agent session ${sessionId} started`, { projectId });
	onSession({ sessionId });
	return false;
}

/** Joins an existing session and gives it the message, unless an earlier try did. Returns whether to read it at once. */
async function join(
	run: Run,
	{ sessionId, message }: Extract<Target, { operation: 'continue' }>,
): Promise<boolean> {
	const { api, onSession } = run.dependencies;
	run.note({ sessionId, about: run.entry.about ?? run.job.about });
	onSession({ sessionId });
	if (message === undefined || run.entry.state === 'sent') return true;
	if (run.entry.state === 'sending') throw interruptedEarlier('sendAgentMessage');
	const before = await read(run);
	if (!before)
		throw new WorkspaceAutomationError(
			'The session could not be read, so the message was not sent',
			[...run.warnings].join(' '),
		);
	run.note({ state: 'sending' });
	await whileSending(run, sendMessage(api, before, message, run.deadline));
	run.note({ state: 'sent', turn: turnAfter(before, api.clock.now()) });
	run.log(`Message sent to agent session ${sessionId}`);
	return false;
}

/** Starts a new turn. `before` is the session as it was, to tell after a lost response whether the message arrived. */
export async function sendMessage(
	api: Api,
	before: Session,
	text: string,
	deadline: number,
): Promise<void> {
	const reconcile = messageArrived(api, before, text, { deadline });
	const values = { sessionId: before.sessionId, text };
	await api.call('sendAgentMessage', values, { deadline, reconcile });
}

/** Sends what the policy decides of the latest reading. Returns what is left for a person. */
async function decidePending(run: Run): Promise<Undecided[]> {
	for (;;) {
		const { due, undecided } = plan(run.entry.ledger, run.session!, run.job.policy);
		let isConfirmed = false;
		for (const each of due) {
			const now = run.dependencies.api.clock.now();
			const isHeld = now < (run.hold?.until ?? 0) || now > run.lastDecision;
			if (isHeld || run.session!.status === 'failed') return undecided;
			// The answer to the decision before may show something else.
			if (isPending(run.session!, each.interaction))
				isConfirmed = (await send(run, each)) || isConfirmed;
		}
		// What it answered with may ask for the next permission already.
		if (!isConfirmed) return undecided;
	}
}

/** Sends a decision once. Returns whether the service confirmed it; of what it did not the next reading tells. */
async function send(run: Run, due: Due): Promise<boolean> {
	const { api } = run.dependencies;
	const { ledger: before, sessionId } = run.entry;
	const { id, type, permission, patterns } = due.interaction;
	const { decision, option, decidedBy } = due.verdict;
	const at = new Date(api.clock.now()).toISOString();
	run.note({ ledger: sent(before, due, at) });
	// Agent-written text must not forge lines of the log.
	const what = quote([permission, patterns], 500);
	run.log(`Permission request decided by ${decidedBy}: ${decision} ${what}`);
	const approved = decision === 'approve';
	const values = { sessionId, interactionId: id, type, option, decision, approved };
	const options = { deadline: run.lastDecision, extra: run.job.decisionBody, once: true };
	const answer = await resultOrError(api.call('resolveInteraction', values, options));
	if (!(answer instanceof WorkspaceAutomationError)) {
		run.hold = undefined;
		const session = sessionIn(api, answer.body, sessionId!);
		if (session) take(run, session);
		run.note({ ledger: confirmed(run.entry.ledger, due) });
		return true;
	}
	if (!hadNoEffect(answer)) return false;
	if (!isRefused(answer)) {
		const { retryAfter = 1 } = answer.context;
		run.hold = { until: api.clock.now() + retryAfter * 1_000, because: answer.message };
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
