import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { errorJson, toNodeError, WorkspaceAutomationError } from '../../shared/errors';
import { readRunIndex } from '../../shared/n8n/journal';
import { combineFailures, reportToTracing, toItemJson, toItemsJson } from '../output';
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

const isRunning = ({ settings, error, result }: Item): boolean =>
	settings !== undefined && !error && (result === undefined || result.wakeAt !== undefined);

/** Returns the outputs, or pauses while items run. @throws the items' failures if no other item is still running or leaves */
export async function finishRun(run: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isDatabase, asTool, items } = run;
	const running = isDatabase ? items.filter(isRunning) : [];
	reportToTracing(
		context,
		items.flatMap(({ result }) => result ?? []),
	);
	throwFailures(run, running.length > 0);
	const outputs = toOutputs(run, running.length > 0);
	for (const [index, key] of (Object.keys(OUTPUTS) as OutputKey[]).entries())
		if (outputs[index].length > 0 && !asTool) warnIfUnconnected(context, key);
	if (isDatabase) return await pauseExecution(context, outputs, earliestWake(context, running));
	if (isSelfConnected(context)) runLast(context.getExecuteData());
	return outputs;
}

/** Returns the earliest time that an item of this run needs, or the planned one. If only failures are left, that's now. */
function earliestWake(context: IExecuteFunctions, running: readonly Item[]): number {
	if (running.length === 0) return realClock.now();
	const wanted = running.flatMap(({ result }) => result?.wakeAt ?? []);
	const isWhole = wanted.length === running.length;
	const { until } = readPauseState(context.getContext('node'));
	const soonest = realClock.now() + MIN_PAUSE_MS;
	return Math.min(...wanted, isWhole ? Infinity : Math.max(until, soonest));
}

/** Waits until no other item runs or leaves, because an error drops them. The records forget failures, so that a retry runs the items. */
function throwFailures(run: NodeRun, isAnyRunning: boolean): void {
	const { context, isDatabase, continues, items } = run;
	const isLeaving = ({ journal, result, error }: Item) =>
		!error && (result !== undefined || journal.read()?.outcome !== undefined);
	const mustWait = isDatabase && (isAnyRunning || items.some(isLeaving));
	const failures = listFailures(items);
	if (failures.length === 0 || continues || mustWait) return;
	for (const { journal, error } of items) {
		const record = journal.read();
		if (error && record) journal.write({ ...record, failure: undefined });
	}
	throw combineFailures(context, failures);
}

/** A failed item leaves through Completed, from where n8n moves it to the error output. */
function chooseOutput({ journal, error, result }: Item): OutputKey {
	if (error || journal.read()?.outcome || result?.kind === 'failed') return 'completed';
	return result?.kind ?? 'stillRunning';
}

/** Returns whether an item waits for the others: a failure that isn't thrown yet, or Return Items Together. */
function isHeld({ continues }: NodeRun, item: Item, isAnyRunning: boolean): boolean {
	if (item.error && !continues) return true;
	const { failure, outcome } = item.journal.read() ?? {};
	const isTogether = item.settings?.returnTogether === true || failure || outcome;
	return isAnyRunning && Boolean(isTogether);
}

/** As a tool, the node puts all items on the first output, because the model sees no other. */
function toOutputs(run: NodeRun, isAnyRunning: boolean): INodeExecutionData[][] {
	const { context, isDatabase, asTool, items } = run;
	const outputs = noItems();
	const put = (key: OutputKey, item: INodeExecutionData) =>
		outputs[asTool ? 0 : outputIndex(key)].push(item);
	const canReturn = !asTool && (isDatabase || isSelfConnected(context));
	for (const item of items) {
		const key = chooseOutput(item);
		const isHeldBack = key === 'completed' && isHeld(run, item, isAnyRunning);
		const stays = isHeldBack || (key === 'stillRunning' && canReturn);
		if (isHeldBack) keepEnd(context, item);
		if (!stays)
			for (const json of takeJson(context, item))
				put(key, { json, pairedItem: { item: item.itemIndex } });
		if (stays || item.result?.link) put('stillRunning', toReturningItem(context, item));
	}
	return outputs;
}

function keepEnd(context: IExecuteFunctions, { itemIndex, journal, error, result }: Item): void {
	const record = journal.read() ?? { ledger: [] };
	if (error instanceof WorkspaceAutomationError) {
		const { message, description, context: about } = error;
		journal.write({ ...record, failure: { message, description, context: about } });
	} else if (result) {
		journal.write({ ...record, outcome: toItemJson(context, itemIndex, result) });
	}
}

/** Returns the JSON with which an item leaves. Notes in the journal that its session has completed. */
function takeJson(context: IExecuteFunctions, item: Item): IDataObject[] {
	const { itemIndex, journal, error, result } = item;
	const node = context.getNode();
	if (error) return [errorJson(node, toNodeError(node, error, itemIndex))];
	const record = journal.read() ?? { ledger: [] };
	const { outcome } = record;
	if (outcome || result?.kind === 'completed')
		journal.write({ ...record, outcome: undefined, completedIn: readRunIndex(context, 0) });
	return outcome ? [outcome] : toItemsJson(context, itemIndex, result!);
}

function toReturningItem(context: IExecuteFunctions, { itemIndex, journal }: Item) {
	const input = context.getInputData()[itemIndex];
	const { sessionId, dashboardUrl } = journal.read() ?? {};
	const item: INodeExecutionData = {
		...input,
		[SESSION_KEY]: journal.key,
		json: { ...input.json, ...(sessionId !== undefined && { sessionId, dashboardUrl }) },
		pairedItem: { item: itemIndex },
	};
	// n8n would take an item with an `error` for a failed one: the error output looks at the item, and Retry On Fail at its JSON.
	delete item.error;
	if (context.getNode().retryOnFail) delete item.json.error;
	return item;
}
