import type {
	IDataObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IExecutionContext,
	IRunExecutionData,
	ITaskData,
} from 'n8n-workflow';

import { fingerprint, nonEmptyText } from '../values';

// Whose retry an execution is. The private members of n8n that tell are read here only, and each may be missing.

export type AnyContext = IExecuteFunctions | IExecuteSingleFunctions;

/** n8n's contexts have these members, and its types don't. */
interface RetryContext {
	runExecutionData?: IRunExecutionData | null;
	getExecutionContext?(): Partial<IExecutionContext> | undefined;
}

const readRunData = (context: unknown) => (context as RetryContext).runExecutionData ?? undefined;

const listRuns = (context: unknown, name: string): ITaskData[] =>
	readRunData(context)?.resultData.runData[name] ?? [];

/** n8n's crash recovery adds a run for each node that had started: a crashed one, or one with an artificial item. */
const isRecovered = ({ executionStatus, data }: ITaskData): boolean =>
	executionStatus === 'crashed' ||
	data?.main?.[0]?.[0]?.json.isArtificialRecoveredEventItem === true;

/** Returns the node's run, as loops have several. Leaves out those that n8n adds after a kill, so that a retry finds its records. */
export function readRunIndex(
	context: Pick<AnyContext, 'getWorkflowDataProxy' | 'getNode'>,
	itemIndex: number,
): number {
	const recovered = listRuns(context, context.getNode().name).filter(isRecovered).length;
	return Math.max(0, Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0) - recovered);
}

/** Spares a fingerprint of the trigger's items for each effect. */
const starts = new WeakMap<object, string>();

/** Returns a fingerprint of what the trigger returned. A retry of a killed execution gets the same from its trigger. */
function fingerprintStart(context: unknown): string {
	const data = readRunData(context);
	if (!data) return '';
	const known = starts.get(data);
	if (known !== undefined) return known;
	const started = Object.values(data.resultData.runData)
		.flat()
		.filter((run) => (run.source ?? []).every((source) => !source) && !isRecovered(run))
		.map((run) => run.data?.main?.map((items) => items?.map(({ json }) => json)));
	const start = fingerprint(JSON.stringify(started));
	starts.set(data, start);
	return start;
}

export interface ExecutionKeys {
	/** Of this execution and its retries alone. An effect is recorded under each of them. */
	exact: string[];
	/** Shared by executions whose trigger returned the same */
	vague?: string;
	/** The key under which the effect of an earlier try counts */
	counting: string;
	/** Of a sub-workflow, whose records belong to the retries of its parent: what tells calls with the same items apart is added to its keys. */
	call?: { base: string; parentId: string };
}

/** Adds the number of a sub-workflow's call to its keys. */
export const addCall = (
	{ exact, vague, counting }: ExecutionKeys,
	call: number,
): ExecutionKeys => ({
	exact: exact.map((key) => `${key} ${call}`),
	vague: vague && `${vague} ${call}`,
	counting: `${counting} ${call}`,
});

export const isChild = (context: AnyContext): boolean =>
	readRunData(context)?.parentExecution !== undefined;

/** Returns n8n 2's resume token, which an execution and its retries share. */
function readSignature(context: Pick<AnyContext, 'getWorkflowDataProxy'>): string | undefined {
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: IDataObject };
	const resumeUrl = nonEmptyText($execution?.resumeUrl) ?? '';
	if (!URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}

/**
 * Returns the keys of an execution that its retries share.
 * - A pause has saved the first execution's ID, `origin`.
 * - n8n 2 gives an execution and its retries one signature.
 * - n8n 1 saves the beginning of an execution with its data. If it was killed before, only what the trigger returned is the same.
 * - A sub-workflow has those of its parent.
 */
export function readExecutionKeys(context: AnyContext, origin?: string): ExecutionKeys {
	if (origin !== undefined) return { exact: [origin], counting: origin };
	const signature = readSignature(context);
	const parent = readRunData(context)?.parentExecution;
	if (signature !== undefined && !parent) return { exact: [signature], counting: signature };
	const own = String(context.getExecutionId());
	const start = fingerprintStart(context);
	const { establishedAt, source } =
		(parent ? parent.executionContext : (context as RetryContext).getExecutionContext?.()) ?? {};
	const saved = establishedAt === undefined ? undefined : `${establishedAt} ${start}`;
	const isKilled = signature === undefined && source === 'retry';
	const retried = isKilled ? start : (saved ?? start);
	if (parent) {
		const base = saved ?? own;
		const call = { base, parentId: parent.executionId };
		return { exact: [base], vague: start, counting: saved ? retried : own, call };
	}
	const counting = context.getMode() === 'retry' ? retried : own;
	return { exact: saved ? [own, saved] : [own], vague: start, counting };
}
