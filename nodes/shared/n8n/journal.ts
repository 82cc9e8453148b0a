import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

import { fingerprint } from '../values';
import { hadNoEffect } from '../errors';

// What a node remembers in its context, which n8n hands on to Retry On Fail and to a retry of the failed execution: the memory
// that keeps a retry from doing something twice.

/** What is remembered of one item: kept only for the same request. */
export interface ItemRecord<T> {
	read(): T | undefined;
	write(value: T): void;
	clear(): void;
}

type Records<T> = Record<string, { fingerprint: string; value: T } | undefined>;

/** n8n types the context as JSON, which is what it is when it has been saved. */
const openRecords = <T>(nodeContext: IDataObject, shelf: string) =>
	(nodeContext[shelf] ??= {}) as unknown as Records<T>;

/**
 * The record of one item of one run of the node.
 * @param nodeContext what `getContext('node')` returns
 * @param shelf the key of the context under which all records of this kind are kept
 * @param place what `placeOf` returns
 * @param fingerprint what the item asks for: a record never serves another request
 */
export function openRecord<T>(
	nodeContext: IDataObject,
	shelf: string,
	place: string,
	fingerprint: string,
): ItemRecord<T> {
	const records = openRecords<T>(nodeContext, shelf);
	return {
		read: () => (records[place]?.fingerprint === fingerprint ? records[place].value : undefined),
		write: (value) => {
			records[place] = { fingerprint, value };
		},
		clear: () => {
			delete records[place];
		},
	};
}

/** The record of any item of any run of the node in this execution that is what is looked for. */
export function findRecord<T>(
	nodeContext: IDataObject,
	shelf: string,
	isIt: (value: T, fingerprint: string) => boolean,
): ItemRecord<T> | undefined {
	for (const [place, record] of Object.entries(openRecords<T>(nodeContext, shelf)))
		if (record && isIt(record.value, record.fingerprint))
			return openRecord(nodeContext, shelf, place, record.fingerprint);
	return undefined;
}

/** What is remembered of all items of all runs, as it is in the context. */
export const listRecords = <T>(nodeContext: IDataObject, shelf: string): T[] =>
	Object.values(openRecords<T>(nodeContext, shelf)).flatMap((record) => record?.value ?? []);

type RunContext = Pick<IExecuteSingleFunctions | IExecuteFunctions, 'getWorkflowDataProxy'>;

/** The run of the node that a context belongs to: loops run a node more than once. */
export const readRunIndex = (context: RunContext, itemIndex: number): number =>
	Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0);

/** Stands for an item of a run of the node. */
export const itemKey = (context: RunContext, itemIndex: number): string =>
	`${readRunIndex(context, itemIndex)}.${itemIndex}`;

/** Of a long text a digest: all of a file would be in memory once more. */
const shortenStrings = (_key: string, value: unknown) =>
	typeof value === 'string' && value.length > 2_000 ? fingerprint(value) : value;

/** Tells one request from another in a few characters: all of it would put every file into the execution's data. */
export const fingerprintRequest = (what: string, details: unknown): string =>
	`${what} ${fingerprint(JSON.stringify(details, shortenStrings) ?? '')}`;

type RequestRecord = { state: 'sending' } | { state: 'done'; result: unknown };

/**
 * Does what must not be done twice once for each item of a run, however often n8n tries the node: Retry On Fail and a retry of
 * the failed execution run every item again, also those that went well.
 * @param interrupted the error for an item whose earlier try never learned what became of it
 */
export async function oncePerItem<T>(
	context: IExecuteSingleFunctions,
	fingerprint: string,
	work: () => Promise<T>,
	interrupted: () => Error,
): Promise<T> {
	const place = itemKey(context, context.getItemIndex());
	const nodeContext = context.getContext('node') as IDataObject;
	const record = openRecord<RequestRecord>(nodeContext, 'requests', place, fingerprint);
	const earlier = record.read();
	// Written by this very call in an earlier try.
	if (earlier?.state === 'done') return earlier.result as T;
	if (earlier) throw interrupted();
	record.write({ state: 'sending' });
	const result = await work().catch((error: unknown) => {
		if (hadNoEffect(error)) record.clear();
		throw error;
	});
	record.write({ state: 'done', result });
	return result;
}
