import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { readPauseState } from './pause';

// n8n 1 can execute a paused node twice at once (answer and timer), with the same context. The second run must not have an effect.

interface RunEnd {
	/** True if items left the node. If not, the execution was paused. */
	hasLeft: boolean;
	/** Items on Still Running */
	returning: INodeExecutionData[];
	nodeContext: IDataObject;
	error?: unknown;
}

export type FirstRun = Pick<RunEnd, 'hasLeft' | 'returning'>;

interface RunClaim {
	at: number;
	/** The first run's execution, which grows as its items reach other nodes */
	execution: RunData | undefined;
	isOver: boolean;
	end: Promise<RunEnd>;
}

const claims = new Map<string, RunClaim>();

type RunData = Pick<IRunExecutionData, 'resultData' | 'waitTill'>;

/** n8n has the execution's data, and its types don't. */
const readRunData = (context: IExecuteFunctions): RunData | undefined =>
	(context as { runExecutionData?: RunData | null }).runExecutionData ?? undefined;

/** The executions of first runs whose items have left, by the node's place. A second run is a copy that n8n 1 may save last. */
const originals = new Map<string, { at: number; execution: RunData }>();

const copyKey = (context: RunPlace): string => runKey(context, -1);

export type RunPlace = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/** @param runs the number of runs before this one */
export const runKey = (context: RunPlace, runs: number): string =>
	[context.getExecutionId(), context.getNode().id, runs].join();

export const hasRunBegun = (key: string): boolean => claims.has(key);

/** n8n 1 sets its timers 70 s ahead, so the second run comes within 70 s. */
const CLAIM_MS = 10 * 60_000;

/** Waits for the first run, and gives its context to the second. */
async function adoptEnd(
	context: IExecuteFunctions,
	{ isOver, execution, end }: RunClaim,
	now: number,
): Promise<FirstRun> {
	const { hasLeft, returning, nodeContext: after, error } = await end;
	if (error !== undefined) throw error;
	// n8n saved this run when it began, and saves the first one later. Another save would replace the items that have left.
	if (hasLeft && !isOver) return await new Promise<never>(() => {});
	if (hasLeft && execution) originals.set(copyKey(context), { at: now, execution });
	const nodeContext = context.getContext('node');
	for (const name of Object.keys(nodeContext)) delete nodeContext[name];
	Object.assign(nodeContext, JSON.parse(JSON.stringify(after)));
	return { hasLeft, returning: JSON.parse(JSON.stringify(returning)) };
}

/**
 * Runs `work` unless the same run has been claimed (the context counts the runs). A second run waits for the first and takes its context.
 * @param repeat called in a second run, with what came out of the first
 * @throws the error of the first run, also in the second
 */
export async function runOnceAtATime(
	context: IExecuteFunctions,
	work: () => Promise<INodeExecutionData[][]>,
	repeat: (first: FirstRun) => Promise<INodeExecutionData[][]>,
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
			settleClaim({ hasLeft, returning: outputs[0], nodeContext });
			return outputs;
		},
		(error: unknown) => {
			settleClaim({ hasLeft: true, returning: [], nodeContext, error });
			throw error;
		},
	);
}

/** Gives a copy the results of all nodes in the original, because n8n 1 saves the copy last. n8n 1 may resume the copy twice, too. */
export function restoreResults(context: IExecuteFunctions): void {
	const key = copyKey(context);
	const original = originals.get(key);
	const copy = readRunData(context);
	if (!original || !copy) return;
	const runs = Object.entries(original.execution.resultData.runData);
	copy.resultData.runData = Object.fromEntries(runs.map(([name, tasks]) => [name, [...tasks]]));
	// n8n removes the run that paused an execution before it resumes.
	if (original.execution.waitTill) copy.resultData.runData[context.getNode().name]?.pop();
}
