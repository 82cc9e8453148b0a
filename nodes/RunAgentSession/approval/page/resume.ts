import type { IDataObject } from 'n8n-workflow';

import { realClock } from '../../../shared/client/clock';
import { hasRunBegun, runKey, type RunPlace } from '../../session/claims';
import { readPauseState } from '../../session/pause';

// Chooses the answer that resumes a paused execution, and the answers that come with it. n8n loads a copy of the execution for each
// request, and resumes it with the copy of the one that returns items. So all answers that arrive together are added to that copy before
// n8n resumes it.
// n8n doesn't clear its timer when an answer resumes an execution, so an old timer may execute the node with a copy that has no answers.
// n8n 2 then refuses the answer's own resume with an error, although the run of the timer has taken the answer.

/**
 * No answer resumes an execution this shortly before n8n executes the node anyway: with n8n 1 in queue mode, two workers would execute it
 * at once.
 */
const MIN_BEFORE_WAKE_MS = 5_000;

/** Adds an accepted answer to a copy of the node's context. Adds nothing to a context that has it. */
export type AddAnswer = (nodeContext: IDataObject) => void;

/** An answer that resumes an execution, and the answers that arrived with it. */
interface Resume {
	since: number;
	/** Keyed by the links that were used */
	answers: Map<string, AddAnswer>;
	/** The node's context that n8n resumes the execution with, until answers can no longer be added to it */
	nodeContext?: IDataObject;
	/** True if a run of the node has them */
	isTaken: boolean;
}

/** The answers of the last minute, by the pause that they end */
const resumes = new Map<string, Resume>();
const RECENT_ANSWER_MS = 60_000;

/** The number of answers being read, by the execution's state */
const arriving = new Map<string, number>();

/**
 * Time that an answer waits before it resumes the execution. n8n refuses requests to a running execution, with its own message.
 */
const HOLD_MS = 1_000;
/** Additional time that it waits for answers being read */
const MAX_ARRIVING_MS = 2_000;
const ARRIVING_POLL_MS = 100;

/** Time for n8n to begin the run that an answer has resumed. It may wait for other executions first. */
const MAX_BEGIN_MS = 60_000;

/** Returns the key of a pause. The context counts the runs of the node. */
export const pauseKey = (context: RunPlace, nodeContext: IDataObject): string =>
	runKey(context, readPauseState(nodeContext).runs ?? 0);

/** Runs the work that reads an answer. The answer that resumes the execution waits for it. */
export async function whileArriving<T>(key: string, work: () => Promise<T>): Promise<T> {
	const count = (change: number) => {
		const left = (arriving.get(key) ?? 0) + change;
		if (left > 0) arriving.set(key, left);
		else arriving.delete(key);
	};
	count(1);
	return await work().finally(() => count(-1));
}

/** Returns whether the link's answer has resumed the execution, or has come with the one that did. */
export const hasResumed = (key: string, nonce: string): boolean =>
	resumes.get(key)?.answers.has(nonce) === true;

/**
 * Returns the effect of an answer: it resumes the execution with its own context, it's added to the context of the answer that does, or it
 * can't be applied now.
 */
export function claimResume(
	key: string,
	nodeContext: IDataObject,
	nonce: string,
	now: number,
): { addTo: IDataObject; isFirst: boolean } | 'answered' | 'busy' {
	for (const [state, { since }] of resumes)
		if (now > since + RECENT_ANSWER_MS) resumes.delete(state);
	const earlier = resumes.get(key);
	if (earlier?.answers.has(nonce)) return 'answered';
	if (earlier) return earlier.nodeContext ? { addTo: earlier.nodeContext, isFirst: false } : 'busy';
	// n8n's timer was faster, and the run it started doesn't have this answer.
	if (hasRunBegun(key)) return 'busy';
	if (now > readPauseState(nodeContext).until - MIN_BEFORE_WAKE_MS) return 'busy';
	resumes.set(key, { since: now, answers: new Map(), nodeContext, isTaken: false });
	return { addTo: nodeContext, isFirst: true };
}

/** Adds an answer to the context that n8n resumes the execution with, and keeps it until a run of the node has it. */
export function addAnswer(key: string, nonce: string, add: AddAnswer): void {
	const resume = resumes.get(key)!;
	add(resume.nodeContext!);
	resume.answers.set(nonce, add);
}

/**
 * Waits for answers that arrive at the same time. After that, n8n resumes the execution.
 * @returns false if n8n has executed the node meanwhile, so that nothing has to be resumed
 */
export async function holdResume(key: string): Promise<boolean> {
	await realClock.sleep(HOLD_MS);
	for (let ms = 0; arriving.has(key) && ms < MAX_ARRIVING_MS; ms += ARRIVING_POLL_MS)
		await realClock.sleep(ARRIVING_POLL_MS);
	const resume = resumes.get(key);
	delete resume?.nodeContext;
	return resume?.isTaken !== true;
}

/** Returns whether this process executed the node before the pause, and so executes it again. In queue mode, a worker does. */
export function isExecutedHere(context: RunPlace, nodeContext: IDataObject): boolean {
	const { runs = 0 } = readPauseState(nodeContext);
	return hasRunBegun(runKey(context, runs - 1));
}

/** Waits until a run of the node in this process has the answers of a pause. Returns false if none does. */
export async function waitUntilTaken(key: string): Promise<boolean> {
	for (let ms = 0; ms < MAX_BEGIN_MS; ms += ARRIVING_POLL_MS) {
		if (resumes.get(key)?.isTaken) return true;
		await realClock.sleep(ARRIVING_POLL_MS);
	}
	return false;
}

/** Adds the answers that were accepted for the pause before this run of the node. The run has been counted already. */
export function takeAnswers(context: RunPlace, nodeContext: IDataObject): void {
	const { runs = 1 } = readPauseState(nodeContext);
	const resume = resumes.get(runKey(context, runs - 1));
	if (!resume) return;
	for (const add of resume.answers.values()) add(nodeContext);
	resume.isTaken = true;
	delete resume.nodeContext;
}
