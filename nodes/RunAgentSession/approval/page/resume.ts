import type { IDataObject } from 'n8n-workflow';

import { realClock } from '../../../shared/client/clock';
import { hasRunBegun, runKey, type RunPlace } from '../../session/claims';
import { readPauseState } from '../../session/pause';

// n8n resumes an execution with the copy it loaded for one request, so answers that arrive together are added to that copy first.
// n8n's old timer can still run the node with a copy without answers. That run gets them here, and n8n 2 refuses the answer's resume.

/** Minimum time before n8n's timer. Closer to it, two workers of n8n 1 in queue mode would execute the node at once. */
const MIN_BEFORE_WAKE_MS = 5_000;

/** Adds an accepted answer to a copy of the node's context, unless the copy has it. */
export type AddAnswer = (nodeContext: IDataObject) => void;

interface Resume {
	since: number;
	/** By nonce */
	answers: Map<string, AddAnswer>;
	/** The context that n8n resumes with. Missing once answers can't be added anymore. */
	nodeContext?: IDataObject;
	/** True if a run of the node has the answers */
	isTaken: boolean;
}

const resumes = new Map<string, Resume>();
const RECENT_ANSWER_MS = 60_000;

/** Number of answers being read, by pause */
const arriving = new Map<string, number>();

/** Time for other answers to arrive before n8n resumes. n8n refuses requests to a running execution. */
const HOLD_MS = 1_000;
const MAX_ARRIVING_MS = 2_000;
const ARRIVING_POLL_MS = 100;

/** Time for n8n to begin the resumed run. It may wait for other executions first. */
const MAX_BEGIN_MS = 60_000;

export const pauseKey = (context: RunPlace, nodeContext: IDataObject): string =>
	runKey(context, readPauseState(nodeContext).runs ?? 0);

/** Runs the work that reads an answer. The resume waits for it. */
export async function whileArriving<T>(key: string, work: () => Promise<T>): Promise<T> {
	const count = (change: number) => {
		const left = (arriving.get(key) ?? 0) + change;
		if (left > 0) arriving.set(key, left);
		else arriving.delete(key);
	};
	count(1);
	return await work().finally(() => count(-1));
}

/** Returns whether a link's answer resumed the execution, or arrived with the one that did. */
export const hasResumed = (key: string, nonce: string): boolean =>
	resumes.get(key)?.answers.has(nonce) === true;

/** Claims the resume for an answer, or returns the context of an earlier answer to add it to. `busy`: neither is possible now. */
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

/** Adds an answer to the context that n8n resumes with, and keeps it until a run of the node has it. */
export function addAnswer(key: string, nonce: string, add: AddAnswer): void {
	const resume = resumes.get(key)!;
	add(resume.nodeContext!);
	resume.answers.set(nonce, add);
}

/** Waits for answers that arrive at the same time. Returns false if n8n has executed the node meanwhile. */
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

/** Waits until a run of the node in this process has the answers. Returns false if none does in time. */
export async function waitUntilTaken(key: string): Promise<boolean> {
	for (let ms = 0; ms < MAX_BEGIN_MS; ms += ARRIVING_POLL_MS) {
		if (resumes.get(key)?.isTaken) return true;
		await realClock.sleep(ARRIVING_POLL_MS);
	}
	return false;
}

/** Adds the answers accepted during the pause. The current run must be counted already. */
export function takeAnswers(context: RunPlace, nodeContext: IDataObject): void {
	const { runs = 1 } = readPauseState(nodeContext);
	const resume = resumes.get(runKey(context, runs - 1));
	if (!resume) return;
	for (const add of resume.answers.values()) add(nodeContext);
	resume.isTaken = true;
	delete resume.nodeContext;
}
