import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

import { hadNoEffect, WorkspaceAutomationError } from '../errors';
import { fingerprint } from '../values';
import { readRunIndex } from './executionKey';

// Per-item records in the node's context. n8n saves it when the execution pauses or ends, and copies it into a retry.

type RunContext = Pick<
	IExecuteSingleFunctions | IExecuteFunctions,
	'getWorkflowDataProxy' | 'getExecutionId' | 'getNode'
>;

export interface ItemJournal<R> {
	/** The run of the node, and the item */
	readonly key: string;
	read(): R | undefined;
	write(value: R | undefined): void;
}

interface StoredRecord<R> {
	request?: string;
	/** The execution that wrote the record first, or the retry that accepted it */
	execution?: string;
	/** The retry in which another request was refused, with On Error */
	refusedIn?: string;
	value?: R;
}
type StoredRecords<R> = Record<string, StoredRecord<R> | undefined>;

/** n8n types the context as JSON, which it becomes when it's saved. */
const openRecords = <R>(nodeContext: IDataObject, recordType: string) =>
	(nodeContext[recordType] ??= {}) as unknown as StoredRecords<R>;

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
	};
}

export const listRecordKeys = (nodeContext: IDataObject, recordType: string): string[] =>
	Object.keys(openRecords(nodeContext, recordType));

export const listRecords = <R>(nodeContext: IDataObject, recordType: string): R[] =>
	Object.values((nodeContext[recordType] ?? {}) as unknown as StoredRecords<R>).flatMap(
		(stored) => stored?.value ?? [],
	);

export const itemKey = (
	context: Pick<RunContext, 'getWorkflowDataProxy' | 'getNode'>,
	itemIndex: number,
): string => `${readRunIndex(context, itemIndex)}.${itemIndex}`;

/** Hashes long strings, so a file isn't held in memory twice. */
const shortenStrings = (_key: string, value: unknown) =>
	typeof value === 'string' && value.length > 2_000 ? fingerprint(value) : value;

/** Returns a fingerprint of raw parameters and input JSON. Expressions aren't resolved, so `{{ $now }}` stays the same. */
export const fingerprintRequest = (rawParameters: unknown, input: unknown): string =>
	fingerprint(JSON.stringify([rawParameters, input], shortenStrings) ?? '');

/** Notes that this execution has refused an item's request, so that its next runs don't refuse it again. */
export function noteRefused(
	context: Pick<IExecuteFunctions, 'getContext' | 'getExecutionId'>,
	recordType: string,
	{ key }: Pick<ItemJournal<unknown>, 'key'>,
): void {
	const records = openRecords(context.getContext('node'), recordType);
	records[key] = { ...records[key], refusedIn: context.getExecutionId() };
}

/** Accepts a record of this execution (Retry On Fail) or of the same request. @throws WorkspaceAutomationError for any other */
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
	if (stored?.refusedIn !== undefined && stored.refusedIn === execution) return;
	const isOther = stored?.execution !== undefined && stored.execution !== execution;
	if (isOther && stored?.value !== undefined && stored.request !== request) {
		const { message, description } = describe(stored.value);
		throw new WorkspaceAutomationError(message, description);
	}
	records[journal.key] = { ...stored, request, execution };
}

interface EffectRecord<T> {
	intent: 'requested' | 'done';
	result?: T;
}

const EFFECT_RECORDS = 'requests';

const HOW_TO_SEND = ['requestOptions', 'options'];

/** Requests an effect once per item of a run, although Retry On Fail and a retry of the execution run even successful items again. The context doesn't survive a kill. */
export async function oncePerItem<T>(
	context: IExecuteSingleFunctions,
	work: () => Promise<T>,
	mayHaveHappened: () => Error,
): Promise<T> {
	const key = itemKey(context, context.getItemIndex());
	const nodeContext = context.getContext('node') as IDataObject;
	const journal = openRecord<EffectRecord<T>>(nodeContext, EFFECT_RECORDS, key);
	const asked = Object.entries(context.getNode().parameters).filter(
		([name]) => !HOW_TO_SEND.includes(name),
	);
	const request = fingerprintRequest(asked, context.getInputData().json);
	acceptRecord(context, EFFECT_RECORDS, journal, request, () => ({
		message: 'An earlier attempt sent this request with other values',
		description:
			"To avoid a duplicate, nothing was sent. Restore the parameters and retry, or run the workflow again from the start. Check first whether the earlier attempt's result is already there.",
	}));
	const earlier = journal.read();
	if (earlier?.intent === 'done') return earlier.result as T;
	if (earlier) throw mayHaveHappened();
	journal.write({ intent: 'requested' });
	const result = await work().catch((error: unknown) => {
		if (hadNoEffect(error)) journal.write(undefined);
		throw error;
	});
	journal.write({ intent: 'done', result });
	return result;
}
