import type {
	IDataObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IRunExecutionData,
} from 'n8n-workflow';

import { hadNoEffect, WorkspaceAutomationError } from '../errors';
import { fingerprint } from '../values';

// The journal: what a node keeps in its context about each item. n8n saves the context with the execution, when the execution pauses or
// ends, and copies it into a retry of the execution.

type RunContext = Pick<
	IExecuteSingleFunctions | IExecuteFunctions,
	'getWorkflowDataProxy' | 'getExecutionId' | 'getNode'
>;

/** The record of one item. */
export interface ItemJournal<R> {
	/** The record's place: the run of the node, and the item */
	readonly key: string;
	read(): R | undefined;
	write(value: R): void;
	/** Removes the record, so that the next attempt starts again. */
	clear(): void;
	/** Number of times that the record was cleared: tells the attempts of an item apart */
	readonly clearedCount: number;
}

interface StoredRecord<R> {
	/** Fingerprint of the raw parameters and the input item */
	request?: string;
	/** The execution that wrote the record first, or the retry that accepted it */
	execution?: string;
	clearedCount?: number;
	value?: R;
}
type StoredRecords<R> = Record<string, StoredRecord<R> | undefined>;

/** Returns the records of a type. n8n types the context as JSON, which it is once it has been saved. */
const openRecords = <R>(nodeContext: IDataObject, recordType: string) =>
	(nodeContext[recordType] ??= {}) as unknown as StoredRecords<R>;

/** Opens the record at a key, whether it exists or not. */
export function openRecord<R>(
	nodeContext: IDataObject,
	recordType: string,
	key: string,
): ItemJournal<R> {
	const records = openRecords<R>(nodeContext, recordType);
	return {
		key,
		read: () => records[key]?.value,
		write: (value) => {
			records[key] = { ...records[key], value };
		},
		clear: () => {
			const { clearedCount = 0, ...rest } = records[key] ?? {};
			records[key] = { ...rest, clearedCount: clearedCount + 1, value: undefined };
		},
		get clearedCount() {
			return records[key]?.clearedCount ?? 0;
		},
	};
}

/** Returns the latest record of any item of any run of the node that fits. */
export function findRecord<R>(
	nodeContext: IDataObject,
	recordType: string,
	fits: (value: R) => boolean,
): ItemJournal<R> | undefined {
	for (const [key, stored] of Object.entries(openRecords<R>(nodeContext, recordType)).reverse())
		if (stored?.value !== undefined && fits(stored.value))
			return openRecord(nodeContext, recordType, key);
	return undefined;
}

/** Returns the values of all records of a type. */
export const listRecords = <R>(nodeContext: IDataObject, recordType: string): R[] =>
	Object.values(openRecords<R>(nodeContext, recordType)).flatMap((stored) => stored?.value ?? []);

/** n8n has the runs of all nodes, and its types don't. */
type WithRuns = { runExecutionData?: Pick<IRunExecutionData, 'resultData'> | null };

/**
 * Returns the run of the node that a context belongs to: loops run a node more than once. After a kill, n8n adds a run that it calls
 * crashed, and a retry may keep it. Crashed runs don't count, so the retry finds the same records and marks.
 */
export function readRunIndex(
	context: Pick<RunContext, 'getWorkflowDataProxy' | 'getNode'>,
	itemIndex: number,
): number {
	const { runExecutionData } = context as WithRuns;
	const runs = runExecutionData?.resultData.runData[context.getNode().name] ?? [];
	const crashed = runs.filter(({ executionStatus }) => executionStatus === 'crashed').length;
	return Math.max(0, Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0) - crashed);
}

/** Returns the key of an item of this run of the node. */
export const itemKey = (
	context: Pick<RunContext, 'getWorkflowDataProxy' | 'getNode'>,
	itemIndex: number,
): string => `${readRunIndex(context, itemIndex)}.${itemIndex}`;

/** Hashes long strings, so a file isn't held in memory twice. */
const shortenStrings = (_key: string, value: unknown) =>
	typeof value === 'string' && value.length > 2_000 ? fingerprint(value) : value;

/**
 * Returns a fingerprint of what an item asks for: the raw parameters (expressions, not their values, so that `{{ $now }}` asks for the
 * same) and the JSON of the input item.
 */
export const fingerprintRequest = (rawParameters: unknown, input: unknown): string =>
	fingerprint(JSON.stringify([rawParameters, input], shortenStrings) ?? '');

/**
 * Accepts an existing record for the same request. Retry On Fail runs in the same execution, so its record always fits. A retry of the
 * execution may come with other parameters or another input.
 * @param describe what the earlier attempt did, for the error
 * @throws WorkspaceAutomationError if a retry of the execution asks for something else
 */
export function acceptRecord<R>(
	context: RunContext,
	recordType: string,
	journal: ItemJournal<R>,
	request: string,
	describe: (value: R) => { message: string; description: string },
): void {
	const nodeContext = (context as IExecuteFunctions).getContext('node');
	const records = openRecords<R>(nodeContext, recordType);
	const stored = records[journal.key];
	const execution = context.getExecutionId();
	const isOther = stored?.execution !== undefined && stored.execution !== execution;
	if (isOther && stored?.value !== undefined && stored.request !== request) {
		const { message, description } = describe(stored.value);
		throw new WorkspaceAutomationError(message, description);
	}
	records[journal.key] = { ...stored, request, execution };
}

/**
 * Records an intent, requests the effect, and removes the record only if the effect provably didn't happen.
 * - Done: the intent stays. The caller records the result.
 * - Rejected or never sent: the record is as before, so a retry requests the effect again.
 * - Unknown, or n8n was killed: the intent stays, so a retry reports that the effect may have happened.
 *
 * Not covered: n8n killed before it saves the context. `marks.ts` covers that for sessions.
 */
export async function withIntent<R extends object, T>(
	journal: ItemJournal<R>,
	intent: Partial<R>,
	work: () => Promise<T>,
): Promise<T> {
	const before = journal.read();
	journal.write({ ...before, ...intent } as R);
	return await work().catch((error: unknown) => {
		if (hadNoEffect(error)) restoreRecord(journal, before, Object.keys(intent) as Array<keyof R>);
		throw error;
	});
}

/** Sets these fields back to their values of before. */
function restoreRecord<R extends object>(
	journal: ItemJournal<R>,
	before: R | undefined,
	names: ReadonlyArray<keyof R>,
): void {
	if (!before) return journal.clear();
	const old = Object.fromEntries(names.map((name) => [name, before[name]])) as Partial<R>;
	journal.write({ ...journal.read()!, ...old });
}

interface RequestRecord<T> {
	intent: 'requested' | 'done';
	result?: T;
}

const REQUEST_RECORDS = 'requests';

/** Parameters that say how to send a request, not what */
const HOW_TO_SEND = ['requestOptions', 'options'];

/**
 * Requests an effect once per item of a run, however often n8n runs the item: Retry On Fail and a retry of the execution run every
 * item again, also those that succeeded.
 * @param mayHaveHappened the error for an item whose earlier attempt never got a response
 */
export async function oncePerItem<T>(
	context: IExecuteSingleFunctions,
	work: () => Promise<T>,
	mayHaveHappened: () => Error,
): Promise<T> {
	const key = itemKey(context, context.getItemIndex());
	const nodeContext = context.getContext('node') as IDataObject;
	const journal = openRecord<RequestRecord<T>>(nodeContext, REQUEST_RECORDS, key);
	const asked = Object.entries(context.getNode().parameters).filter(
		([name]) => !HOW_TO_SEND.includes(name),
	);
	const request = fingerprintRequest(asked, context.getInputData().json);
	acceptRecord(context, REQUEST_RECORDS, journal, request, () => ({
		message: 'An earlier attempt sent this request with other values',
		description:
			"To avoid a duplicate, nothing was sent. Restore the parameters and retry, or run the workflow again from the start. Check first whether the earlier attempt's result is already there.",
	}));
	const earlier = journal.read();
	if (earlier?.intent === 'done') return earlier.result as T;
	if (earlier) throw mayHaveHappened();
	const result = await withIntent(journal, { intent: 'requested' }, work);
	journal.write({ intent: 'done', result });
	return result;
}
