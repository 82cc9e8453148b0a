import { messageReconciler } from '../../shared/client/reconcilers';
import {
	hasEnded,
	messageKey,
	type Session,
	mayHaveHappenedError,
} from '../../shared/client/session';
import { resultOrError, hadNoEffect, WorkspaceAutomationError } from '../../shared/errors';
import type { MessageStep } from './record';
import type { DecidingRun } from './run';

/** Minimum time for a message, even if the time for polling is shorter */
const MIN_MESSAGE_MS = 60_000;
/** Attempts to send a comment that provably didn't arrive */
const MAX_COMMENT_ATTEMPTS = 3;

/** Sends a message once. `before` shows after a lost response if it arrived: missing if the session can't be read. @throws IndeterminateError if it may have been sent */
export async function sendMessage(
	run: DecidingRun,
	step: MessageStep,
	text: string,
	before: Session | undefined,
): Promise<void> {
	const { api, sessionId } = run;
	const { messages, messageCount = 0 } = run.record;
	const { ledger } = run.dependencies;
	if (messages?.[step] === 'sending') throw mayHaveHappenedError('sendAgentMessage');
	const effect = `${step} ${messageCount}`;
	const earlier = await ledger.begin(effect);
	if (earlier === 'unknown') throw mayHaveHappenedError('sendAgentMessage');
	if (earlier === 'done') return noteSent(run, step, before);
	const deadline = Math.max(run.decisionDeadline, run.now + MIN_MESSAGE_MS);
	const options = before
		? { deadline, reconcile: messageReconciler(api, before, text, { deadline }) }
		: { deadline, singleAttempt: true };
	const intent = { messages: { ...messages, [step]: 'sending' as const } };
	await run
		.withIntent(intent, () => api.call('sendAgentMessage', { sessionId, text }, options))
		.catch(async (error: unknown) => {
			run.logIfUnknown('message', error);
			if (hadNoEffect(error)) await ledger.forget(effect);
			else run.save({ messageCount: messageCount + 1 });
			throw error;
		});
	noteSent(run, step, before);
	await ledger.done(effect);
	run.log(`Message sent to agent session ${sessionId}`);
}

function noteSent(run: DecidingRun, step: MessageStep, before: Session | undefined): void {
	const { messages, messageCount = 0, activity } = run.record;
	run.save({
		messages: { ...messages, [step]: 'sent' },
		messageCount: messageCount + 1,
		turn: {
			messageKey: before ? messageKey(before) : (activity?.messageKey ?? ''),
			hadEnded: before !== undefined && hasEnded(before),
			sentAt: run.wallTime,
			polls: 0,
		},
	});
	run.noteChange();
}

/** Sends the approvers' comments once. A failure becomes a warning, never the outcome. Returns whether to poll again. */
export async function sendComment(run: DecidingRun): Promise<boolean> {
	const { comments = [], commentAttempts = 0 } = run.record;
	if (comments.length === 0 || run.session!.status === 'failed') return false;
	const text = comments.join('\n');
	const failure = await resultOrError(sendMessage(run, 'comment', text, run.session!));
	const attempts = commentAttempts + 1;
	const isTransient =
		failure instanceof WorkspaceAutomationError &&
		hadNoEffect(failure) &&
		failure.kind !== 'rejected';
	if (isTransient && attempts < MAX_COMMENT_ATTEMPTS) {
		run.save({ commentAttempts: attempts });
		return true;
	}
	const { messages } = run.record;
	run.save({
		comments: undefined,
		commentAttempts: undefined,
		messages: { ...messages, comment: undefined },
	});
	if (!(failure instanceof WorkspaceAutomationError)) return true;
	const what = hadNoEffect(failure) ? "couldn't be sent" : 'may not have been sent';
	run.warn(`The comment ${what}: ${failure.message}. ${failure.description}`);
	return false;
}
