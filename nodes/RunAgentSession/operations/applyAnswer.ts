import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import type { ApiClient } from '../../shared/client/operations';
import { realClock } from '../../shared/client/clock';
import { Semaphore } from '../../shared/client/semaphore';
import { readOptionWords } from '../../shared/client/sessions';
import {
	errorJson,
	throwIfAborted,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { continuesOnError } from '../../shared/n8n/aiTool';
import { itemKey, openRecord } from '../../shared/n8n/journal';
import { ExecutionLedger } from '../../shared/n8n/ledger';
import { readAppliedAnswer } from '../panel/read';
import type { AppliedAnswer } from '../requests/appliedAnswer';
import { pollDelayMs, retryPollMs } from '../plan/intervals';
import { begin } from '../session/begin';
import { toResult, withSessionErrors } from '../session/finish';
import { pollOnce } from '../session/poll';
import type { SessionRecord } from '../session/record';
import { SessionRun } from '../session/run';

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
			const applied = readAppliedAnswer(context, itemIndex);
			if (applied.answer === 'none') {
				items.push({ json: notAnswered(applied, applied.because), pairedItem });
				continue;
			}
			api ??= await createClient(context);
			items.push({ json: await applyAnswer(context, itemIndex, api, applied), pairedItem });
		} catch (thrown) {
			const error = toNodeError(node, thrown, itemIndex);
			if (!continuesOnError(context)) throw error;
			items.push({ json: errorJson(node, error), pairedItem });
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

async function applyAnswer(
	context: IExecuteFunctions,
	itemIndex: number,
	api: ApiClient,
	applied: AppliedAnswer,
): Promise<IDataObject> {
	const { sessionId } = applied;
	const key = itemKey(context, itemIndex);
	const run = new SessionRun(
		{
			target: { operation: 'continue', sessionId },
			policy: {
				mode: 'ask',
				rules: [],
				defaultDecision: 'ask',
				approveWith: 'once',
				approveValues: readOptionWords(api, 'approve'),
				denyValues: readOptionWords(api, 'deny'),
			},
			answer: applied,
			timeouts: {
				maxWaitMs: APPLY_MS,
				onMaxWait: 'letRun',
				ifNobodyAnswers: 'wait',
				unansweredAfterMs: Infinity,
			},
			abortOnStop: false,
			// An approval's comment is for the record.
			sendComments: applied.answer === 'deny',
			hasPage: false,
		},
		{
			api,
			journal: openRecord<SessionRecord>(context.getContext('node'), 'applied', key),
			ledger: new ExecutionLedger(context).of(key),
			polls: new Semaphore(1),
			hasReached: () => true,
			random: Math.random,
			wallTime: () => realClock.now(),
			log: (message, about) =>
				context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
			onSession() {},
		},
	);
	return await withSessionErrors(run, async () => {
		await begin(run);
		await pollUntilApplied(run);
		if (run.record.comments?.length && run.undecided.length > 0)
			run.warnings.add(
				"The comment wasn't sent to the agent, because other requests of the session are pending. Send it with Send Message.",
			);
		const { session, decisions, undecided, warnings } = toResult(run, 'stillRunning');
		const reasons = [...new Set(undecided.map(({ because }) => because))].slice(0, MAX_REASONS);
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
async function pollUntilApplied(run: SessionRun): Promise<void> {
	const { clock, signal } = run.api;
	const deadline = run.now + APPLY_MS;
	for (;;) {
		const before = countDecisions(run);
		run.beginStep();
		await pollOnce(run);
		const isDone = run.session !== undefined && countDecisions(run) === before;
		const { failures = 0 } = run.wait;
		if (isDone && failures === 0 && !run.isSettling) return;
		const goodMs = pollDelayMs(0, run.random);
		const delayMs = failures > 0 ? retryPollMs(failures, goodMs, run.retryAfterMs) : goodMs;
		const leftMs = deadline - run.now;
		if (leftMs > 0) await clock.sleep(run.isUrgent ? 0 : Math.min(delayMs, leftMs), signal);
		else if (run.session === undefined && run.lastFailure) throw notSentError(run.lastFailure);
		else return;
	}
}

const countDecisions = ({ record }: SessionRun): number =>
	record.requests.filter(({ decision }) => decision !== undefined).length;

const notSentError = ({ message, description, context }: WorkspaceAutomationError) =>
	new WorkspaceAutomationError(`The answer wasn't sent: ${message}`, description, context);
