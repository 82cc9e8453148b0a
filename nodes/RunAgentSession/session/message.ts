import { messageReconciler } from '../../shared/client/reconcilers';
import { hasEnded, messageKey } from '../../shared/client/session';
import { resultOrError, hadNoEffect, WorkspaceAutomationError } from '../../shared/errors';
import { DONE, once } from '../../shared/n8n/ledger';
import { fingerprint } from '../../shared/values';
import type { DecidingRun } from './run';

/** Minimum time for a message, even if the time for polling is shorter */
const MIN_MESSAGE_MS = 60_000;
/** Attempts to send a comment that provably didn't arrive */
const MAX_COMMENT_ATTEMPTS = 3;

interface MessageSteps {
	/** Reads what tells the message's turn from the one before, unless the latest reading does */
	prepare?: () => Promise<void>;
	/** Records what the message was for. */
	onSent?: () => void;
}

/**
 * Sends a message once. The latest reading shows after a lost response if it arrived.
 * @param effect its name in the ledger
 * @throws IndeterminateError if it may have been sent
 */
export async function sendMessage(
	run: DecidingRun,
	effect: string,
	text: string,
	{ prepare, onSent }: MessageSteps = {},
): Promise<void> {
	const note = () => {
		noteSent(run);
		onSent?.();
	};
	const sent = await once(run.dependencies.ledger, effect, 'sendAgentMessage', async () => {
		await prepare?.();
		await postMessage(run, text);
		note();
	});
	if (sent !== DONE) return run.log(`Message sent to agent session ${run.sessionId}`);
	if (prepare) await resultOrError(prepare());
	note();
}

async function postMessage(run: DecidingRun, text: string): Promise<void> {
	const { api, sessionId, session: before } = run;
	const deadline = Math.max(run.decisionDeadline, run.now + MIN_MESSAGE_MS);
	const options = before
		? { deadline, reconcile: messageReconciler(api, before, text, { deadline }) }
		: { deadline, singleAttempt: true };
	await api.call('sendAgentMessage', { sessionId, text }, options).catch((error: unknown) => {
		run.logIfUnknown('message', error);
		throw error;
	});
}

function noteSent(run: DecidingRun): void {
	const { session: before, record } = run;
	run.save({
		turn: {
			messageKey: before ? messageKey(before) : (record.activity?.messageKey ?? ''),
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
	const text = comments.map((each) => each.text).join('\n');
	const effect = `${run.sessionId} comment ${fingerprint(JSON.stringify(comments))}`;
	const failure = await resultOrError(sendMessage(run, effect, text));
	const attempts = commentAttempts + 1;
	const isTransient =
		failure instanceof WorkspaceAutomationError &&
		hadNoEffect(failure) &&
		failure.kind !== 'rejected';
	if (isTransient && attempts < MAX_COMMENT_ATTEMPTS) {
		run.save({ commentAttempts: attempts });
		return true;
	}
	run.save({ comments: undefined, commentAttempts: undefined });
	if (!(failure instanceof WorkspaceAutomationError)) return true;
	const what = hadNoEffect(failure) ? "couldn't be sent" : 'may not have been sent';
	run.warn(`The comment ${what}: ${failure.message}. ${failure.description}`);
	return false;
}
