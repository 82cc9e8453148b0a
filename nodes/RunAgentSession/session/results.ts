import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { errorJson, toNodeError, WorkspaceAutomationError } from '../../shared/errors';
import { readRunIndex } from '../../shared/n8n/journal';
import {
	combineFailures,
	reportToTracing,
	toItemJson,
	toItemsJson,
	toReturningItem,
} from '../output';
import { OUTPUTS, outputIndex, type OutputKey } from '../outputs';
import { SESSION_KEY } from './journal';
import { type Item, listFailures, noItems, type NodeRun } from './nodeRun';
import {
	isSelfConnected,
	pauseExecution,
	readPauseState,
	runLast,
	warnIfUnconnected,
} from './pause';
import { MIN_PAUSE_MS } from './schedule';

// The end of a run: its results become outputs, one error, or a pause.

/** Returns whether an item waits for the next wake. */
const isWaiting = ({ settings, error, result }: Item): boolean =>
	settings !== undefined && !error && (result === undefined || result.wakeAt !== undefined);

/** The items that stay with the node for now. */
interface Holds {
	/** True if an item is still running: Return Items Together holds the completed ones */
	outcomes: boolean;
	/** True if an item is still running, or leaves now: an error drops all items of its run */
	failures: boolean;
}

/** Returns whether an item leaves the node, once no item is still running. */
const isLeaving = ({ journal, result, error }: Item): boolean =>
	!error && (result !== undefined || journal.read()?.outcome !== undefined);

/** Turns the results into outputs. @throws NodeOperationError if items failed, and no other item waits or leaves */
export async function finishRun(run: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isDatabase, continues, items } = run;
	const waiting = isDatabase ? items.filter(isWaiting) : [];
	restoreFailures(items);
	const outcomes = waiting.length > 0;
	const holds = { outcomes, failures: outcomes || (isDatabase && items.some(isLeaving)) };
	keepResults(run, holds);
	reportToTracing(
		context,
		items.flatMap(({ result }) => result ?? []),
	);
	const failures = listFailures(items);
	if (failures.length > 0 && !continues && !holds.failures) {
		forgetFailures(items);
		throw combineFailures(context, failures);
	}
	const outputs = toOutputs(run, holds);
	for (const [index, key] of (Object.keys(OUTPUTS) as OutputKey[]).entries())
		if (outputs[index].length > 0 && !run.asTool) warnIfUnconnected(context, key);
	if (!isDatabase) {
		if (isSelfConnected(context)) runLast(context.getExecuteData());
		return outputs;
	}
	return await pauseExecution(context, outputs, earliestWake(context, waiting));
}

/**
 * Returns the time at which the execution has to wake: the earliest that an item of this run needs, or the time already planned. If only
 * failures are left, that's now.
 */
function earliestWake(context: IExecuteFunctions, waiting: readonly Item[]): number {
	if (waiting.length === 0) return realClock.now();
	const wanted = waiting.flatMap(({ result }) => result?.wakeAt ?? []);
	const isWhole = wanted.length === waiting.length;
	const { until } = readPauseState(context.getContext('node'));
	const soonest = realClock.now() + MIN_PAUSE_MS;
	return Math.min(...wanted, isWhole ? Infinity : Math.max(until, soonest));
}

/** Moves the failures of earlier wakes from the journal to the items. */
function restoreFailures(items: Item[]): void {
	for (const item of items) {
		const { failure } = item.journal.read() ?? {};
		if (failure && !item.error)
			item.error = new WorkspaceAutomationError(
				failure.message,
				failure.description,
				failure.context,
			);
	}
}

/** Returns whether the failure of an item waits for the other items. Otherwise it leaves as On Error says. */
function isFailureHeld({ continues }: NodeRun, { settings, journal }: Item, holds: Holds): boolean {
	if (!continues) return holds.failures;
	const isTogether = settings?.returnTogether === true || journal.read()?.failure !== undefined;
	return isTogether && holds.outcomes;
}

/** Keeps in the journal the results that wait for other items: failures, and completed items with Return Items Together. */
function keepResults(run: NodeRun, holds: Holds): void {
	const { context, isDatabase, items } = run;
	const completedIn = readRunIndex(context, 0);
	for (const item of items) {
		const { itemIndex, journal, settings, error, result } = item;
		const record = journal.read() ?? { ledger: [] };
		if (error instanceof WorkspaceAutomationError && isFailureHeld(run, item, holds)) {
			const { message, description, context: about } = error;
			journal.write({ ...record, failure: { message, description, context: about } });
		} else if (
			result?.kind === 'completed' &&
			isDatabase &&
			holds.outcomes &&
			settings?.returnTogether
		) {
			journal.write({ ...record, outcome: toItemJson(context, itemIndex, result) });
		} else if (result?.kind === 'completed') {
			journal.write({ ...record, completedIn });
		}
	}
}

/** Removes the failures that are thrown now, so that a retry runs these items again: a failed session isn't resumed. */
function forgetFailures(items: readonly Item[]): void {
	for (const { journal, error } of items) {
		const record = journal.read();
		if (error && record) journal.write({ ...record, failure: undefined });
	}
}

/** Returns the items on the node's outputs. As a tool, all are on the first output, because the model sees no other. */
function toOutputs(run: NodeRun, holds: Holds): INodeExecutionData[][] {
	const { context, asTool, items } = run;
	const outputs = noItems();
	const put = (key: OutputKey, item: INodeExecutionData) =>
		outputs[asTool ? 0 : outputIndex(key)].push(item);
	const node = context.getNode();
	const input = context.getInputData();
	const returns = run.isDatabase || isSelfConnected(context);
	for (const item of items) {
		const { itemIndex, journal, error, result } = item;
		const pairedItem = { item: itemIndex };
		const record = journal.read();
		const marks = { [SESSION_KEY]: journal.key };
		const returnItem = (json: IDataObject) =>
			put('stillRunning', toReturningItem(input[itemIndex], itemIndex, marks, json, node));
		const { sessionId, dashboardUrl } = record ?? {};
		if (error && isFailureHeld(run, item, holds)) returnItem({});
		else if (error) {
			put('completed', { json: errorJson(node, toNodeError(node, error, itemIndex)), pairedItem });
		} else if (record?.outcome && holds.outcomes) returnItem({ sessionId, dashboardUrl });
		else if (record?.outcome) {
			put('completed', { json: record.outcome, pairedItem });
			journal.write({ ...record, outcome: undefined, completedIn: readRunIndex(context, 0) });
		} else {
			const kind = result?.kind ?? 'stillRunning';
			const isBack = kind === 'stillRunning' && returns && !asTool;
			if (result && !isBack)
				for (const json of toItemsJson(context, itemIndex, result))
					put(kind === 'failed' ? 'completed' : kind, { json, pairedItem });
			if (isBack || result?.link) returnItem({ sessionId, dashboardUrl });
		}
	}
	return outputs;
}
