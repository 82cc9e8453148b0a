import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import type { ApiClient } from '../../shared/client/operations';
import { throwIfAborted, WorkspaceAutomationError } from '../../shared/errors';
import { passErrorOn } from '../../shared/n8n/aiTool';
import { itemKey, openRecord } from '../../shared/n8n/journal';
import { ExecutionLedger } from '../../shared/n8n/ledger';
import { readAppliedAnswer } from '../panel/readSettings';
import { decideByAnswer, type AppliedAnswer, type SettledAnswer } from '../requests/answer';
import type { Decide } from '../requests/decisions';
import { pollDelayMs, retryPollMs } from '../plan/plan';
import { decideWith } from '../session/decide';
import { endedOutcome, viewSession, withSessionErrors } from '../session/finish';
import { sendComment } from '../session/message';
import { takeReading } from '../session/poll';
import {
	SessionRun,
	type DecidingRun,
	type DecisionDependencies,
	type DecisionSettings,
} from '../session/run';

/** Time to send the answer, and to see what came of it */
const APPLY_MS = 30_000;

const MAX_REASONS = 3;

/** Sends approvers' answers to sessions. Returns one item per input item. @throws the first item's error, unless On Error continues */
export async function runApplyAnswer(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	throwIfAborted(context.getExecutionCancelSignal?.());
	const items: INodeExecutionData[] = [];
	let api: ApiClient | undefined;
	for (const [itemIndex] of context.getInputData().entries()) {
		const pairedItem = { item: itemIndex };
		try {
			const appliedAnswer = readAppliedAnswer(context, itemIndex);
			if (appliedAnswer.answer === 'none') {
				items.push({ json: notAnswered(appliedAnswer, appliedAnswer.because), pairedItem });
				continue;
			}
			api ??= await createClient(context);
			const key = itemKey(context, itemIndex);
			const json = await sendAnswer(appliedAnswer, {
				api,
				journal: openRecord(context.getContext('node'), 'applied', key),
				ledger: new ExecutionLedger(context).of(key),
				wallTime: () => Date.now(),
				log: (message, about) =>
					context.logger.info(message, { ...about, node: node.name, itemIndex }),
			});
			items.push({ json, pairedItem });
		} catch (thrown) {
			items.push({ json: passErrorOn(context, thrown, itemIndex), pairedItem });
		}
	}
	return [items];
}

const notAnswered = ({ sessionId, asked }: AppliedAnswer, because: string): IDataObject => ({
	sessionId,
	status: 'not_answered',
	because,
	decisions: [],
	pendingInteractions: asked as unknown as IDataObject[],
});

/** Sends an answer to its session, and returns the item. @throws WorkspaceAutomationError if it wasn't sent */
async function sendAnswer(
	settledAnswer: SettledAnswer,
	dependencies: DecisionDependencies,
): Promise<IDataObject> {
	const { sessionId } = settledAnswer;
	const settings: DecisionSettings = {
		target: { operation: 'continue', sessionId },
		policy: { approveWith: 'once' },
		timeouts: { maxWaitMs: APPLY_MS },
		// An approval's comment is for the record.
		sendComments: settledAnswer.answer === 'deny',
	};
	const run: DecidingRun = new SessionRun(settings, dependencies);
	return await withSessionErrors(run, async () => {
		run.save({ sessionId });
		await pollUntilApplied(run, settledAnswer);
		if (run.record.comments?.length && run.undecided.length > 0)
			run.warn(
				"The comment wasn't sent to the agent, because other requests of the session are pending. Send it with Send Message.",
			);
		const { session, decisions, warnings } = viewSession(run);
		const reasons = [...new Set(run.undecided.map(({ because }) => because))].slice(0, MAX_REASONS);
		return {
			sessionId,
			...(reasons.length > 0 && { because: `A request is still pending: ${reasons.join(', ')}` }),
			decisions,
			pendingInteractions: session.pendingInteractions,
			...(warnings.length > 0 && { warnings }),
		} as unknown as IDataObject;
	});
}

/** Polls and decides until a poll shows what came of the decisions. @throws the error of the last poll if none succeeded */
async function pollUntilApplied(run: DecidingRun, settledAnswer: SettledAnswer): Promise<void> {
	const { clock, signal } = run.api;
	const deadline = run.now + APPLY_MS;
	const decide: Decide = (pending) => decideByAnswer(pending, settledAnswer, run.settings.policy);
	for (;;) {
		const before = countDecisions(run);
		run.beginPoll();
		const isDecided = (await takeReading(run)) && (await decideWith(run, decide));
		if (isDecided && run.undecided.length === 0 && !(await sendComment(run)))
			endedOutcome(run)?.warnings?.forEach((warning) => run.warn(warning));
		const isDone = run.session !== undefined && countDecisions(run) === before;
		const { failures = 0, retryAfterMs = 0 } = run.wait;
		if (isDone && failures === 0 && !run.hasUnfinishedDecision) return;
		const goodMs = pollDelayMs(0, Math.random());
		const delayMs = failures > 0 ? retryPollMs(failures, goodMs, retryAfterMs) : goodMs;
		const leftMs = deadline - run.now;
		if (leftMs > 0) await clock.sleep(run.isUrgent ? 0 : Math.min(delayMs, leftMs), signal);
		else if (run.session === undefined && run.lastFailure) throw notSentError(run.lastFailure);
		else return;
	}
}

const countDecisions = ({ record }: DecidingRun): number =>
	record.requests.filter(({ decision }) => decision !== undefined).length;

const notSentError = ({ message, description, context }: WorkspaceAutomationError) =>
	new WorkspaceAutomationError(`The answer wasn't sent: ${message}`, description, context);
