import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	CanceledError,
	errorJson,
	IndeterminateError,
	SessionAbortedError,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import {
	RECORD_VERSION,
	type Course,
	type Failure,
	type SessionEnd,
	type SessionRecord,
} from '../session/record';
import type { RunResult } from '../session/types';
import { addRecord, type Batch, type Item } from './batch';
import { noteRefusedItem, sessionOf } from './journal';
import {
	combineFailures,
	sessionFailedError,
	toItemJson,
	toItemsJson,
	toJson,
	type Sibling,
	type Traced,
} from './output';

export const OUTPUTS = ['Completed', 'Needs Approval'] as const;

const COMPLETED = 0;
const NEEDS_APPROVAL = 1;

export const noItems = (): INodeExecutionData[][] => OUTPUTS.map(() => []);

const WITHOUT_PAGE =
	"This n8n can't pause the execution, so there is no approval page. Decide in the dashboard, or with the operation Apply an Answer.";

/** Keeps the items with which a session asks approvers, until they leave in this run. */
export function takeAsked({ context, couldNotPause }: Batch, item: Item, result: RunResult): void {
	const asked = toItemsJson(context, item.itemIndex, result);
	if (couldNotPause)
		for (const json of asked) {
			json.question = `${String(json.question)}\n${WITHOUT_PAGE}`;
			json.warnings = [...((json.warnings ?? []) as string[]), WITHOUT_PAGE];
		}
	item.asked.push(...asked);
}

function writeEnd({ journal }: Item, end: SessionEnd): void {
	const record = journal.read();
	const course = record && record.state !== 'starting' ? record : {};
	journal.write({ ...course, v: RECORD_VERSION, state: 'ended', end } as SessionRecord);
}

/** Records the end of a session, with the item that leaves when all sessions have ended. */
export function endItem(batch: Batch, item: Item): void {
	const { context, asTool, couldNotPause } = batch;
	const result = item.result!;
	if (result.kind === 'failed' && !asTool) throw sessionFailedError(result);
	if (result.kind === 'stillRunning' && !asTool) return;
	const json = toItemJson(context, item.itemIndex, result);
	if (couldNotPause)
		json.warnings = [
			...((json.warnings ?? []) as string[]),
			"This n8n can't pause the execution, so it kept running.",
		];
	writeEnd(item, { kind: 'completed', items: [json] });
}

/** Returns true if a session from the parameters was neither read nor sent anything, so a retry may continue another one. */
const isUntouched = ({ isGiven, lastReadAt, messages }: Partial<Course>): boolean =>
	isGiven === true && lastReadAt === undefined && !messages?.message;

function chooseNext(item: Item, thrown: Error, record: SessionRecord | undefined): Failure['next'] {
	if (thrown instanceof SessionAbortedError || item.result?.kind === 'failed') return 'start';
	// A mark shows that a killed attempt may have started a session, and the record is lost.
	if (!record) return thrown instanceof IndeterminateError ? 'report' : 'start';
	if (record.state === 'starting') return 'report';
	return isUntouched(record) ? 'start' : 'continue';
}

/** Records a failure, and what a retry does about it. */
export function failItem(item: Item, thrown: Error): void {
	const record = item.journal.read();
	item.error = addRecord(record, thrown);
	if (thrown instanceof CanceledError) return;
	const next = chooseNext(item, thrown, record);
	const { message } = thrown;
	const { description, context } =
		item.error instanceof WorkspaceAutomationError
			? item.error
			: { description: '', context: sessionOf(record) };
	writeEnd(item, { kind: 'failed', failure: { message, description, context, next } });
}

const listFailures = (items: readonly Item[]) =>
	items.flatMap(({ itemIndex, error }) => (error ? [{ itemIndex, error }] : []));

/** Throws the failures of all items together, once all sessions have ended. A retry runs these items again. */
export function throwFailures({ context, continues, items }: Batch): void {
	const failures = listFailures(items);
	if (failures.length === 0 || continues) return;
	markThrown(items);
	throw combineFailures(context, failures, listSiblings(items));
}

/** Returns the sessions of the items that didn't fail. */
const listSiblings = (items: readonly Item[]): Sibling[] =>
	items.flatMap(({ itemIndex, error, journal }) => {
		const record = journal.read();
		const { sessionId, dashboardUrl } = sessionOf(record);
		if (error || sessionId === undefined) return [];
		return [{ itemIndex, sessionId, dashboardUrl, isRunning: record?.state === 'running' }];
	});

/** Ends refused items with On Error. @throws their errors together otherwise, before anything is sent */
export function refuseItems({ context, engine, continues, items }: Batch): void {
	const refused = items.filter(
		({ refusal }) => refusal === 'request' || (refusal && (continues || !engine.isAgain)),
	);
	if (refused.length === 0) return;
	if (!continues) throw combineFailures(context, listFailures(refused), listSiblings(items));
	for (const item of refused) {
		if (item.refusal === 'request') noteRefusedItem(context, item.journal);
		failItem(item, item.error!);
	}
}

function changeFailure(item: Item, change: (failure: Failure) => Failure | undefined): void {
	const record = item.journal.read();
	if (record?.state !== 'ended' || record.end.kind !== 'failed' || !record.end.failure) return;
	item.journal.write({ ...record, end: { kind: 'failed', failure: change(record.end.failure) } });
}

function markThrown(items: readonly Item[]): void {
	for (const item of items) changeFailure(item, (failure) => ({ ...failure, isThrown: true }));
}

/** Returns the JSON of the items with which a session that has ended leaves. */
function readEnd(
	{ context, continues }: Batch,
	{ itemIndex, journal, error }: Item,
): IDataObject[] {
	const node = context.getNode();
	if (error) return continues ? [errorJson(node, toNodeError(node, error, itemIndex))] : [];
	const record = journal.read();
	if (record?.state !== 'ended' || record.end.kind !== 'completed') return [];
	return (record.end.items ?? []) as IDataObject[];
}

/** Returns what tracing gets about an item until it has left, also if its session ended in an earlier run of the node. */
export function toTraced({ result, journal }: Item): Traced[] {
	if (result) {
		const { sessionId, status } = result.session;
		return [{ sessionId, status, decisions: result.decisions.length }];
	}
	const record = journal.read();
	if (record?.state !== 'ended' || record.sessionId === undefined) return [];
	const { sessionId, end } = record;
	if (end.kind === 'failed')
		return end.failure ? [{ sessionId, status: 'failed', decisions: 0 }] : [];
	if (!end.items) return [];
	const decisions = end.items.flatMap((item) => (item.decisions as unknown[] | undefined) ?? []);
	return [{ sessionId, status: 'completed', decisions: decisions.length }];
}

/** Removes from the record what has left the node. */
function forgetEnd(item: Item): void {
	const record = item.journal.read();
	if (record?.state !== 'ended') return;
	if (record.end.kind === 'completed')
		item.journal.write({ ...record, end: { kind: 'completed' } });
	else changeFailure(item, () => undefined);
}

/** Returns the items that leave now. As a tool, all of them are on the first output, because the model sees no other. */
export function takeOutputs(batch: Batch, isEnd: boolean): INodeExecutionData[][] {
	const { context, items, returnsEarly } = batch;
	const outputs = noItems();
	const leaving: Item[] = [];
	for (const item of items) {
		const put = (output: number, json: IDataObject) =>
			outputs[output].push({ json, pairedItem: { item: item.itemIndex } });
		for (const json of item.asked) put(NEEDS_APPROVAL, json);
		item.asked = [];
		if (!isEnd && !returnsEarly) continue;
		for (const json of readEnd(batch, item)) put(COMPLETED, json);
		leaving.push(item);
	}
	// Retry On Fail is about to execute the node again, and drops these items.
	const isRetried = isEnd && context.getNode().retryOnFail && outputs[COMPLETED][0]?.json.error;
	if (isRetried) markThrown(items);
	else for (const item of leaving) forgetEnd(item);
	return outputs;
}

export function toChatText(result: RunResult): string {
	const { question, text } = toJson(result, true, false, result.asked?.[0]);
	return String(question ?? text);
}
