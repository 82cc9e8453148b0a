import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../../../shared/client/clock';
import type { PageAnswers } from '../../policy/rules';
import { listSessionRecords } from '../../session/journal';
import { readPauseState } from '../../session/pause';
import { findLink, type SentAnswer } from './view';

// How an answer from the approval page reaches the node: in the saved execution that it resumes, and in this process. n8n 1 may resume
// the execution by its timer at the same moment, with data that doesn't have the answer.

/** An answer that the page has accepted. */
export interface AcceptedAnswer {
	sessionId: string;
	/** Tells the link that it was sent with */
	nonce: string;
	sent: SentAnswer;
	answers: PageAnswers;
}

/** In the node's context: the answers that resumed the execution, until the node applies them. */
const ANSWERED_KEY = 'answered';

/** How long an answer waits before it resumes the execution. n8n refuses requests to a running execution with a message of its own. */
const HOLD_MS = 1_000;

/** How long answers are remembered: n8n needs milliseconds to resume an execution */
const REMEMBERED_MS = 60_000;

/** The answers to one pause. They resume the execution together. */
interface Batch {
	since: number;
	answers: AcceptedAnswer[];
	/** Whether it takes no more answers, because the execution is being resumed */
	isClosed: boolean;
	/** Whether a run of the node has taken the answers */
	isTaken: boolean;
	held: Promise<void>;
}

const batches = new Map<string, Batch>();

type Place = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/** Returns the key of a pause: the context counts the runs of the node. */
const pauseKey = (context: Place, runs = 0): string =>
	[context.getExecutionId(), context.getNode().id, runs].join();

/** Whether the saved execution has answers that aren't applied yet. n8n 1 marks an execution as waiting before it saves its data. */
export const isBeingResumed = (nodeContext: IDataObject): boolean =>
	nodeContext[ANSWERED_KEY] !== undefined;

/** Whether an answer was accepted with this link for the pause that the context is from. */
export const wasAccepted = (context: Place, nodeContext: IDataObject, nonce: string): boolean =>
	batches
		.get(pauseKey(context, readPauseState(nodeContext).runs))
		?.answers.some((answer) => answer.nonce === nonce) === true;

/**
 * Accepts an answer, unless the execution is being resumed already. Answers of the same second are kept in the context together.
 * @returns `resume` if the caller has to resume the execution, `sent` if another answer or n8n's timer resumes it, and `busy` if this
 * answer came too late
 */
export async function acceptAnswer(
	context: Place,
	nodeContext: IDataObject,
	answer: AcceptedAnswer,
): Promise<'resume' | 'sent' | 'busy'> {
	const now = realClock.now();
	for (const [key, { since }] of batches) if (now > since + REMEMBERED_MS) batches.delete(key);
	const key = pauseKey(context, readPauseState(nodeContext).runs);
	const earlier = batches.get(key);
	if (earlier?.isClosed) return 'busy';
	if (earlier) {
		earlier.answers.push(answer);
		await earlier.held;
		return 'sent';
	}
	const held = realClock.sleep(HOLD_MS);
	const batch: Batch = { since: now, answers: [answer], isClosed: false, isTaken: false, held };
	batches.set(key, batch);
	await held;
	if (batch.isTaken) return 'sent';
	batch.isClosed = true;
	nodeContext[ANSWERED_KEY] = batch.answers as unknown as IDataObject[];
	return 'resume';
}

/**
 * Applies the answers that this run of the node was resumed with, and those that are still on their way.
 * @returns the sessions that were answered for
 */
export function applyAnswers(context: Place & Pick<IExecuteFunctions, 'getContext'>): string[] {
	const nodeContext = context.getContext('node');
	const { runs = 1 } = readPauseState(nodeContext);
	// This run has been counted already.
	const batch = batches.get(pauseKey(context, runs - 1));
	const saved = (nodeContext[ANSWERED_KEY] ?? []) as unknown as AcceptedAnswer[];
	delete nodeContext[ANSWERED_KEY];
	if (batch) Object.assign(batch, { isClosed: true, isTaken: true });
	const answers = new Map([...saved, ...(batch?.answers ?? [])].map((each) => [each.nonce, each]));
	for (const answer of answers.values()) recordAnswer(nodeContext, answer);
	return [...answers.values()].map(({ sessionId }) => sessionId);
}

/** Adds an answer to the record of its session, once. */
function recordAnswer(nodeContext: IDataObject, { nonce, sent, answers }: AcceptedAnswer): void {
	const { record, question } = findLink(listSessionRecords(nodeContext), nonce) ?? {};
	if (!record?.page || !question || question.sent) return;
	question.sent = sent;
	question.contents = [...new Set([...question.contents, ...Object.keys(answers)])];
	Object.assign(record.page.answers, answers);
	record.page.comment = sent.comment;
}
