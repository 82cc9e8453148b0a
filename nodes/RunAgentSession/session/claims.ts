import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { readPauseState } from './pause';

// Allows one run at a time. n8n 1 can execute a paused node twice at once: for an answer from the approval page, and for its timer. Both
// runs have the same context, so the second one must not have an effect.

/** The end of the first of two runs. */
interface RunEnd {
	/** True if items left the node. If not, the execution was paused. */
	hasLeft: boolean;
	/** The node's context afterwards */
	nodeContext: IDataObject;
	error?: unknown;
}

interface RunClaim {
	at: number;
	/** The first run's execution, which grows as its items reach other nodes */
	execution: RunData | undefined;
	isOver: boolean;
	end: Promise<RunEnd>;
}

const claims = new Map<string, RunClaim>();

type RunData = Pick<IRunExecutionData, 'resultData'>;

/** n8n has the execution's data, and its types don't. */
const readRunData = (context: IExecuteFunctions): RunData | undefined =>
	(context as { runExecutionData?: RunData | null }).runExecutionData ?? undefined;

/** The executions of first runs whose items have left, by the node's place. A second run is a copy that n8n 1 may save last. */
const originals = new Map<string, { at: number; execution: RunData }>();

const copyKey = (context: RunPlace): string => runKey(context, -1);

/** The execution and the node of a run */
export type RunPlace = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/** Returns the key of a run of the node in an execution. @param runs how many runs came before */
export const runKey = (context: RunPlace, runs: number): string =>
	[context.getExecutionId(), context.getNode().id, runs].join();

/** Returns whether a run has begun in this process. */
export const hasRunBegun = (key: string): boolean => claims.has(key);

/** n8n 1 sets its timers 70 s ahead, so the second run comes within 70 s. */
const CLAIM_MS = 10 * 60_000;

/** Waits for the first run, and gives its context to the second. Returns whether items have left the node in the first. */
async function adoptEnd(
	context: IExecuteFunctions,
	{ isOver, execution, end }: RunClaim,
	now: number,
): Promise<boolean> {
	const { hasLeft, nodeContext: after, error } = await end;
	if (error !== undefined) throw error;
	// n8n saved this run when it began, and saves the first one later. Another save would replace the items that have left.
	if (hasLeft && !isOver) return await new Promise<never>(() => {});
	if (hasLeft && execution) originals.set(copyKey(context), { at: now, execution });
	const nodeContext = context.getContext('node');
	for (const name of Object.keys(nodeContext)) delete nodeContext[name];
	Object.assign(nodeContext, JSON.parse(JSON.stringify(after)));
	return hasLeft;
}

/**
 * Runs the work of this run of the node, unless the same run has been claimed before. The context counts the runs, so a second run with the
 * same context finds the claim of the first. It waits for the first and uses its context.
 * @param work returns the node's outputs
 * @param repeat called in a second run, with whether items have left the node in the first
 * @throws the error of the first run, also in the second
 */
export async function runOnceAtATime(
	context: IExecuteFunctions,
	work: () => Promise<INodeExecutionData[][]>,
	repeat: (hasLeft: boolean) => Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	const now = realClock.monotonicMs();
	for (const kept of [claims, originals])
		for (const [key, { at }] of kept) if (now > at + CLAIM_MS) kept.delete(key);
	const nodeContext = context.getContext('node');
	const state = readPauseState(nodeContext);
	const { runs = 0 } = state;
	const key = runKey(context, runs);
	const earlier = claims.get(key);
	if (earlier) return await repeat(await adoptEnd(context, earlier, now));
	let settle: (end: RunEnd) => void = () => {};
	const end = new Promise<RunEnd>((resolve) => (settle = resolve));
	const claim: RunClaim = { at: now, execution: readRunData(context), isOver: false, end };
	claims.set(key, claim);
	state.runs = runs + 1;
	const settleClaim = (result: RunEnd) => {
		claim.isOver = true;
		settle(result);
	};
	return await work().then(
		(outputs) => {
			const hasLeft = outputs.slice(1).some(({ length }) => length > 0);
			settleClaim({ hasLeft, nodeContext });
			return outputs;
		},
		(error: unknown) => {
			settleClaim({ hasLeft: true, nodeContext, error });
			throw error;
		},
	);
}

/**
 * Gives a copy of an execution the results of all nodes in the original, because n8n 1 saves the copy last. n8n 1 may resume the copy twice,
 * too.
 */
export function restoreResults(context: IExecuteFunctions): void {
	const key = copyKey(context);
	const original = originals.get(key);
	const copy = readRunData(context);
	if (!original || !copy) return;
	const runs = Object.entries(original.execution.resultData.runData);
	copy.resultData.runData = Object.fromEntries(runs.map(([name, tasks]) => [name, [...tasks]]));
}
