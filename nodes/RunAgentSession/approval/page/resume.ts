import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { realClock } from '../../../shared/client/clock';
import { readPauseState } from '../../session/pause';

// Which answer resumes a paused execution, and which answers come with it. n8n loads a copy of the execution for each request, and resumes it
// with the copy of the one that returns items. So the answers that come at once are all added to that copy, before n8n resumes it.

/** Shortly before n8n executes the node anyway, no answer resumes it: n8n 1 would do both at once. */
const MIN_BEFORE_WAKE_MS = 5_000;

/** An answer that resumes an execution, and those that came with it. */
interface Resume {
	since: number;
	/** The links that were used */
	nonces: string[];
	/** The node's context that n8n resumes the execution with, as long as answers can be added to it */
	nodeContext?: IDataObject;
}

/**
 * The answers of the last minute, by the execution's state before. n8n 1 resumes twice for two answers that come at once; n8n 2 refuses the
 * second.
 */
const resumes = new Map<string, Resume>();
const RECENT_ANSWER_MS = 60_000;

/** How many answers are being read, by the execution's state */
const arriving = new Map<string, number>();

/** How long an answer waits before it resumes the execution. n8n refuses requests to a running execution with a message of its own. */
const HOLD_MS = 1_000;
/** How much longer it waits for answers that are being read */
const MAX_ARRIVING_MS = 2_000;
const ARRIVING_POLL_MS = 100;

/** Returns what an execution was paused for, as long as nothing has resumed it. */
export function pauseKey(context: IWebhookFunctions, nodeContext: IDataObject): string {
	const { until, resumed } = readPauseState(nodeContext);
	return [context.getExecutionId(), context.getNode().id, until, resumed].join();
}

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

/** Whether the link's answer has resumed the execution, or has come with the one that did. */
export const hasResumed = (key: string, nonce: string): boolean =>
	resumes.get(key)?.nonces.includes(nonce) === true;

/**
 * Says what becomes of an answer: it resumes the execution with its own context, it's added to the context of the answer that does, or it
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
	if (earlier?.nonces.includes(nonce)) return 'answered';
	if (earlier) return earlier.nodeContext ? { addTo: earlier.nodeContext, isFirst: false } : 'busy';
	const pause = readPauseState(nodeContext);
	if (now > pause.until - MIN_BEFORE_WAKE_MS) return 'busy';
	resumes.set(key, { since: now, nonces: [nonce], nodeContext });
	pause.resumed++;
	return { addTo: nodeContext, isFirst: true };
}

/** Notes that a link's answer was added to the one that resumes the execution. */
export const noteAdded = (key: string, nonce: string): void =>
	void resumes.get(key)?.nonces.push(nonce);

/** Waits for answers that come at the same time. After that, n8n resumes the execution. */
export async function holdResume(key: string): Promise<void> {
	await realClock.sleep(HOLD_MS);
	for (let ms = 0; arriving.has(key) && ms < MAX_ARRIVING_MS; ms += ARRIVING_POLL_MS)
		await realClock.sleep(ARRIVING_POLL_MS);
	delete resumes.get(key)?.nodeContext;
}
