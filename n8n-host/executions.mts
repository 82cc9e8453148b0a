// Executions as n8n reports them, and what to read out of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { parse as unflatten } from 'flatted';
import { RestError, type Rest } from './rest.mts';
import { HANG_MS, lookAgainMs } from './hang.mts';

type Item = { json: Record<string, any>; pairedItem?: unknown; error?: any };

/** One run of one node */
interface NodeRun {
	executionStatus: string;
	/** By output index, then item */
	data?: { main: Array<Item[] | null> };
	error?: any;
	/** Metadata of the node for the editor */
	hints?: Array<{ message: string }>;
	/** Metadata for n8n's tracing, if n8n has it */
	metadata?: { tracing?: Record<string, unknown> };
}

export interface Execution {
	id: string;
	workflowId: string;
	/** `success`, `error`, `canceled`, `crashed`, `waiting`, `running`, `new` */
	status: string;
	/** By node name, then run */
	runData: Record<string, NodeRun[]>;
	error?: { message: string; description?: string; [key: string]: any };
	lastNodeExecuted?: string;
	customData: Record<string, string>;
	/** The items that the last run of a node returned on this output; none if it did not run */
	items(node: string, output?: number): Array<Record<string, any>>;
}

const ENDED = ['success', 'error', 'canceled', 'crashed'];

export async function readExecution(rest: Rest, id: string): Promise<Execution> {
	const execution = await rest.get(`/executions/${id}`);
	const data = (
		typeof execution.data === 'string' ? unflatten(execution.data) : execution.data
	) as any;
	const runData: Record<string, NodeRun[]> = data?.resultData?.runData ?? {};
	return {
		id,
		workflowId: execution.workflowId,
		status: execution.status,
		runData,
		error: data?.resultData?.error,
		lastNodeExecuted: data?.resultData?.lastNodeExecuted,
		customData: execution.customData ?? {},
		items: (node, output = 0) =>
			(runData[node]?.at(-1)?.data?.main[output] ?? []).map((item) => item.json),
	};
}

/** An execution without its data */
interface ExecutionSummary {
	id: string;
	status: string;
	/** Its start mode: `manual`, `webhook`, `trigger`, `integrated` (by another one), `retry`, ... */
	mode: string;
	/** The execution that this one retries */
	retryOf?: string | null;
}

/** The latest hundred executions of a workflow, or of all, newest first */
export async function listExecutions(rest: Rest, workflowId?: string): Promise<ExecutionSummary[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results } = await rest.get(`/executions?limit=100&filter=${filter}`);
	return results;
}

export const hasEnded = ({ status }: { status: string }): boolean => ENDED.includes(status);

/** The retries of an execution that have ended or are paused */
export async function listRetries(
	rest: Rest,
	workflowId: string,
	executionId: string,
): Promise<ExecutionSummary[]> {
	const all = await listExecutions(rest, workflowId);
	return all.filter(
		(each) => each.retryOf === executionId && (hasEnded(each) || each.status === 'waiting'),
	);
}

export interface WaitOptions {
	timeoutMs?: number;
	/** `ended` (default), or `waiting`: paused by a Wait node, or ended without */
	until?: 'ended' | 'waiting';
}

/** Returns n8n's response, or undefined for a 503, while n8n is too busy for its database. */
async function unlessBusy<T>(work: () => Promise<T>): Promise<T | undefined> {
	return await work().catch((error: unknown) => {
		if (error instanceof RestError && error.status === 503) return undefined;
		throw error;
	});
}

/** Waits for an execution and returns it with its data. A busy n8n counts as one that has not ended yet. */
export async function waitForExecution(
	rest: Rest,
	id: string,
	options: WaitOptions = {},
): Promise<Execution> {
	const { timeoutMs = HANG_MS, until = 'ended' } = options;
	const enough = until === 'ended' ? ENDED : [...ENDED, 'waiting'];
	const start = Date.now();
	for (const end = start + timeoutMs; ; await sleep(lookAgainMs(Date.now() - start))) {
		const status = await unlessBusy(async () => (await rest.get(`/executions/${id}`)).status);
		if (status !== undefined && enough.includes(status)) {
			// n8n 1.x saves the status first and the data after it, so this has to be another read, and one that waits has run a node.
			const execution = await unlessBusy(async () => await readExecution(rest, id));
			const isWhole = (found: Execution) =>
				found.status !== 'waiting' || Object.keys(found.runData).length > 0;
			// After a crash, n8n may have taken it up between the two.
			if (execution && enough.includes(execution.status) && isWhole(execution)) return execution;
		}
		if (Date.now() > end) {
			const what = status === undefined ? 'not to be read: n8n is busy' : `still "${status}"`;
			throw new Error(`Execution ${id} is ${what} after ${timeoutMs / 1000} s.`);
		}
	}
}
