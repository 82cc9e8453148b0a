import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRun,
	IRunExecutionData,
} from 'n8n-workflow';

import { realClock, withTimeout } from '../../shared/client/clock';
import { noItems } from './nodeRun';
import { readPauseState } from './pause';

// n8n 1 can resume a paused execution twice at once (answer and timer), each time from the same data, and saves both. The second run has no
// effect: it waits until n8n has saved the first execution, and makes n8n save the same for its own.

interface Claim {
	at: number;
	nodeContext: IDataObject;
	/** The first execution, once n8n has saved that it ended or paused */
	saved: Promise<IRun>;
}

const claims = new Map<string, Claim>();

/** n8n sets its timers 70 s ahead, so the second run comes within 70 s. */
const CLAIM_MS = 10 * 60_000;

export type RunPlace = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/** @param runs the number of runs before this one */
export const runKey = (context: RunPlace, runs: number): string =>
	[context.getExecutionId(), context.getNode().id, runs].join();

export const hasRunBegun = (key: string): boolean => claims.has(key);

type AfterExecution = (run: IRun) => void;

/** n8n has these, and its types don't. */
interface Execution {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { hooks?: { handlers?: { workflowExecuteAfter?: AfterExecution[] } } };
}

/** Returns the functions that n8n calls when the execution ends or pauses. One of them saves it. */
const listAfterExecution = (context: IExecuteFunctions): AfterExecution[] | undefined =>
	(context as Execution).additionalData?.hooks?.handlers?.workflowExecuteAfter;

/** Makes n8n save that this execution ended or paused as the first one. */
function endAs(context: IExecuteFunctions, first: IRun): INodeExecutionData[][] {
	const whole = { finished: undefined, waitTill: undefined, ...first };
	listAfterExecution(context)?.unshift((run) => Object.assign(run, whole));
	// The other nodes that were waiting for their turn have been executed, too.
	const { executionData } = (context as Execution).runExecutionData ?? {};
	if (executionData) executionData.nodeExecutionStack = [];
	return noItems();
}

/**
 * Runs `work`, unless the same run of the node has begun already (the node's context counts the runs). A second run returns no items, and
 * never ends if n8n doesn't provide the functions, so that n8n saves only the first.
 * After Stop, a second run runs `work`, because n8n stopped only this one: `work` then aborts the sessions.
 */
export async function runOnceAtATime(
	context: IExecuteFunctions,
	work: () => Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	const now = realClock.monotonicMs();
	for (const [key, { at }] of claims) if (now > at + CLAIM_MS) claims.delete(key);
	const nodeContext = context.getContext('node');
	const state = readPauseState(nodeContext);
	const { runs = 0 } = state;
	const key = runKey(context, runs);
	const earlier = claims.get(key);
	if (earlier) {
		const signal = context.getExecutionCancelSignal?.();
		const saved = withTimeout(signal, undefined, async () => await earlier.saved);
		const first = await saved.catch(() => undefined);
		if (first) return endAs(context, first);
		Object.assign(nodeContext, earlier.nodeContext);
		return await work();
	}
	const saved = new Promise<IRun>((resolve) => listAfterExecution(context)?.push(resolve));
	claims.set(key, { at: now, nodeContext, saved });
	state.runs = runs + 1;
	return await work();
}
