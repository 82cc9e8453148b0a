import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

// What a node remembers in its context, which n8n hands on to Retry On Fail and to a retry of the failed execution: the memory
// that keeps a retry from doing something twice.

/** What is remembered of one item: kept only for the same request. */
export interface ItemRecord<T> {
	read(): T | undefined;
	write(value: T): void;
	clear(): void;
}

/**
 * The record of one item of one run of the node.
 * @param nodeContext what `getContext('node')` returns
 * @param shelf the key of the context under which all records of this kind are kept
 * @param fingerprint what the item asks for: a record never serves another request
 */
export function itemRecord<T>(
	nodeContext: IDataObject,
	shelf: string,
	{ runIndex, itemIndex }: { runIndex: number; itemIndex: number },
	fingerprint: string,
): ItemRecord<T> {
	type Records = Record<string, { fingerprint: string; value: T } | undefined>;
	const key = `${runIndex}.${itemIndex}`;
	// n8n types the context as JSON, which is what it is when it has been saved.
	const records = () => (nodeContext[shelf] ??= {}) as unknown as Records;
	return {
		read: () => {
			const record = records()[key];
			return record?.fingerprint === fingerprint ? record.value : undefined;
		},
		write: (value) => {
			records()[key] = { fingerprint, value };
		},
		clear: () => {
			delete records()[key];
		},
	};
}

const inMemory = new WeakMap<IDataObject, IDataObject>();

/**
 * Lies beside a node's context, and is forgotten with it: for what the next try can use and what is not worth saving with the execution's
 * data, because it could be had again.
 */
export function unsavedContext(nodeContext: IDataObject): IDataObject {
	const known = inMemory.get(nodeContext) ?? {};
	inMemory.set(nodeContext, known);
	return known;
}

/** The run of the node that a context belongs to: loops run a node more than once. */
export const runIndexOf = (
	context: Pick<IExecuteSingleFunctions | IExecuteFunctions, 'getWorkflowDataProxy'>,
	itemIndex: number,
): number => Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0);

/** Of a long text its length and its ends are enough; all of a file would be in memory once more. */
const shortened = (_key: string, value: unknown) =>
	typeof value === 'string' && value.length > 2_000
		? [value.length, value.slice(0, 1_000), value.slice(-1_000)]
		: value;

/** Tells one request from another in a few characters: all of it would put every file into the execution's data (FNV-1a). */
export function fingerprintOf(what: string, details: unknown): string {
	const text = JSON.stringify(details, shortened) ?? '';
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++)
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	return `${what} ${text.length} ${(hash >>> 0).toString(36)}`;
}

type Sent = { state: 'sending' } | { state: 'done'; result: unknown };

/**
 * Does what must not be done twice once for each item of a run, however often n8n tries the node: Retry On Fail and a retry of
 * the failed execution run every item again, also those that went well.
 * @param hadNoEffect whether an error proves that nothing was done, so that a later try may do it
 * @param interrupted the error for an item whose earlier try never learned what became of it
 */
export async function oncePerItem<T>(
	context: IExecuteSingleFunctions,
	fingerprint: string,
	work: () => Promise<T>,
	hadNoEffect: (error: unknown) => boolean,
	interrupted: () => Error,
): Promise<T> {
	const itemIndex = context.getItemIndex();
	const place = { runIndex: runIndexOf(context, itemIndex), itemIndex };
	const nodeContext = context.getContext('node') as IDataObject;
	const record = itemRecord<Sent>(nodeContext, 'requests', place, fingerprint);
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
