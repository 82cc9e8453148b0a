import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import { realClock } from '../../shared/client/clock';
import type { ApiClient } from '../../shared/client/operations';
import { settleConcurrently } from './concurrency';
import { mayHaveHappenedError, readOptionWords } from '../../shared/client/sessions';
import {
	CanceledError,
	errorJson,
	throwIfAborted,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { continuesOnError, isTool } from '../../shared/n8n/aiTool';
import { openChatStream, type ChatStream } from '../../shared/n8n/chatStream';
import { setSessionCustomData } from '../../shared/n8n/customData';
import { readRunIndex } from '../../shared/n8n/journal';
import type { Session } from '../../shared/client/session';
import { nonEmptyText, quote } from '../../shared/values';
import { takeAnswered } from '../approval/page/webhook';
import {
	canceledError,
	combineFailures,
	reportToTracing,
	sessionFailedError,
	toItemJson,
	toItemsJson,
	toJson,
	toReturningItem,
	type ItemFailure,
} from '../output';
import { OUTPUTS, outputIndex, type OutputKey } from '../outputs';
import {
	readConcurrency,
	readHasOutputParser,
	readItemSettings,
	readWaitMode,
} from '../panel/read';
import { isFromOwnOutput } from './ancestors';
import { fingerprintMessage } from './begin';
import { requireCyclesSupported } from './engine';
import { restoreResults, runOnceAtATime } from './claims';
import { openOutputFormat, type OutputFormat } from './format';
import {
	isAwaitingApproval,
	matchItem,
	requireOpenSession,
	SESSION_KEY,
	type SessionJournal,
} from './journal';
import { createMarks, type EffectMarks } from './marks';
import {
	ignoreAlwaysOutputData,
	isSelfConnected,
	pauseExecution,
	readDeferredPause,
	readPauseState,
	requireSelfConnection,
	warnIfUnconnected,
} from './pause';
import { MIN_PAUSE_MS } from './schedule';
import type { ItemSettings, RunDependencies, RunResult } from './types';
import { createWake, runInDatabase, runInMemory, stopItem, type Wake } from './wait';

// The items of one run of the node: match each to its record, run them, and turn the results into outputs, one error, or a pause.

interface Item {
	itemIndex: number;
	journal: SessionJournal;
	settings?: ItemSettings;
	/** The chat of the user, if n8n streams */
	chat?: ChatStream;
	/** Set as soon as the node knows that the item failed */
	error?: Error;
	result?: RunResult;
}

/** The data that the items of this run share. */
interface NodeRun {
	context: IExecuteFunctions;
	isDatabase: boolean;
	asTool: boolean;
	/** True if an item that fails becomes an item with its error */
	continues: boolean;
	items: Item[];
	marks: EffectMarks;
	/** Set if the results must have a format */
	format?: OutputFormat;
}

/**
 * Runs the sessions of all input items.
 * @returns the node's outputs; in the database, items on Still Running are paused
 * @throws NodeApiError or NodeOperationError for the first item that failed, with the others in its description
 */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	ignoreAlwaysOutputData(context);
	if (readWaitMode(context) !== 'database') return await startRun(context, false);
	const state = readPauseState(context.getContext('node'));
	// A copy of an execution that has ended, which n8n 1 has saved last
	if (state.isCopy) {
		restoreResults(context);
		return noItems();
	}
	return await runOnceAtATime(
		context,
		async () => await startRun(context, true),
		async (hasLeft) => {
			const after = readPauseState(context.getContext('node'));
			if (hasLeft) after.isCopy = true;
			const soonest = realClock.now() + MIN_PAUSE_MS;
			return await pauseInput(context, hasLeft ? soonest : Math.max(after.until, soonest));
		},
	);
}

/** Runs the sessions of all input items, once this run is known to be the only one. */
async function startRun(
	context: IExecuteFunctions,
	isDatabase: boolean,
): Promise<INodeExecutionData[][]> {
	const run: NodeRun = {
		context,
		isDatabase,
		asTool: isTool(context),
		continues: continuesOnError(context),
		items: [],
		marks: createMarks(context),
	};
	try {
		return await runMatched(run);
	} finally {
		await run.marks.release('ended');
	}
}

const noItems = (): INodeExecutionData[][] => Object.keys(OUTPUTS).map(() => []);

async function runMatched(run: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isDatabase } = run;
	const matched = matchItems(run);
	if (matched.length === 0) return noItems();
	const deferred = isDatabase ? readDeferredPause(context, realClock.now()) : undefined;
	if (deferred !== undefined) return await pauseInput(context, deferred);
	if (isFromOwnOutput(context)) await run.marks.release('saved');
	run.items = readItems(context, matched);
	const signal = context.getExecutionCancelSignal?.();
	try {
		// Retry On Fail runs the node again even after Stop.
		throwIfAborted(signal);
		checkBeforeStart(run);
		if (readHasOutputParser(context)) run.format = await openOutputFormat(context);
		const api = await createClient(context);
		await runAll(run, api, signal);
		throwIfAborted(signal);
		return await finishRun(run);
	} catch (error) {
		if (error instanceof CanceledError) throw await stopAll(run);
		const failed = run.items.find((item) => item.error === error);
		throw toNodeError(context.getNode(), error, failed?.itemIndex ?? 0);
	}
}

/** Pauses all items of this run again, unchanged. */
const pauseInput = async (context: IExecuteFunctions, until: number) =>
	await pauseExecution(
		context,
		[
			context.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } })),
			[],
			[],
		],
		until,
	);

/** Matches the input items to their records. Leaves out items that start and continue no session. */
function matchItems({ context, isDatabase }: NodeRun): Array<Omit<Item, 'settings'>> {
	return context.getInputData().flatMap((_, itemIndex): Array<Omit<Item, 'settings'>> => {
		const readMessage = () =>
			fingerprintMessage(String(context.getNodeParameter('message', itemIndex, '')) || undefined);
		const journal = matchItem(context, itemIndex, readMessage);
		if (!journal || (isDatabase && isAwaitingApproval(context, journal))) return [];
		return [{ itemIndex, journal }];
	});
}

/** Reads the parameters of the items. An item whose parameters aren't valid gets an error. */
function readItems(context: IExecuteFunctions, matched: Array<Omit<Item, 'settings'>>): Item[] {
	const items = matched.map((item): Item => {
		try {
			requireOpenSession(context, item.journal);
			const record = item.journal.read();
			if (record?.failure ?? record?.outcome) return item;
			const started = record?.hasFailed ? undefined : record?.sessionId;
			return { ...item, settings: readItemSettings(context, item.itemIndex, started) };
		} catch (error) {
			return { ...item, error: error as Error };
		}
	});
	refuseSharedSessions(items);
	return items;
}

/** Refuses items of this run that continue the same session, because each would decide its requests. */
function refuseSharedSessions(items: Item[]): void {
	const bySession = new Map<string, Item[]>();
	for (const item of items) {
		const { target } = item.settings ?? {};
		if (target?.operation !== 'continue') continue;
		bySession.set(target.sessionId, [...(bySession.get(target.sessionId) ?? []), item]);
	}
	for (const [sessionId, sharing] of bySession) {
		if (sharing.length < 2) continue;
		const names = sharing.map(({ itemIndex }) => itemIndex).join(' and ');
		for (const item of sharing)
			item.error = new WorkspaceAutomationError(
				'Several items continue the same session',
				`Nothing was sent. Items ${names} continue session ${sessionId}. Keep one of them, for example with Remove Duplicates.`,
				{ sessionId },
			);
	}
}

/** @throws WorkspaceAutomationError for the first problem that has to be fixed before anything is sent */
function checkBeforeStart({ context, isDatabase, continues, items }: NodeRun): void {
	if (isDatabase) {
		requireCyclesSupported(context);
		requireSelfConnection(context);
	}
	const invalid = items.find(({ error }) => error !== undefined);
	if (invalid && !continues) throw invalid.error!;
}

/** Runs the items with bounded concurrency. In the database, answers from the approval page run only the items of their sessions. */
async function runAll(
	run: NodeRun,
	api: ApiClient,
	signal: AbortSignal | undefined,
): Promise<void> {
	const { context, isDatabase } = run;
	const answered = isDatabase ? takeAnswered(context) : [];
	const isWatched = context.getMode() === 'manual' && !isFromOwnOutput(context);
	const wake = createWake(api.clock.monotonicMs(), isWatched);
	// A wake only polls, and the rate limiter limits the polls. One busy session must not delay the others.
	const isWake = isDatabase && isFromOwnOutput(context);
	const concurrency = isWake ? Infinity : readConcurrency(context);
	const due = run.items.filter(
		({ settings, error, journal }) =>
			settings &&
			!error &&
			(answered.length === 0 || answered.includes(journal.read()?.sessionId ?? '')),
	);
	await settleConcurrently(due, concurrency, async (item) => {
		throwIfAborted(signal);
		if (!isDatabase && !run.asTool) item.chat = openChatStream(context, item.itemIndex);
		try {
			item.result = await runItem(run, item, createDependencies(run, api, item), wake);
		} catch (error) {
			item.error = error as Error;
		}
		item.chat?.end(item.error?.message ?? describeForChat(item.result!));
	});
}

/** Returns the last text that a chat shows: the agent's text, or the question to an approver. */
function describeForChat(result: RunResult): string {
	const { question, text } = toJson(result, true);
	return String(question ?? text);
}

/** Runs one item. @throws WorkspaceAutomationError for a session that failed, unless the node is a tool */
async function runItem(
	run: NodeRun,
	{ settings }: Item,
	dependencies: RunDependencies,
	wake: Wake,
): Promise<RunResult> {
	const result = run.isDatabase
		? await runInDatabase(settings!, dependencies, wake)
		: await runInMemory(settings!, dependencies);
	if (result.kind === 'failed' && !run.asTool) throw sessionFailedError(result);
	return result;
}

/** Returns the effects of an item's run. All items share one client, and with it one rate limit. */
function createDependencies(
	{ context, marks, format }: NodeRun,
	api: ApiClient,
	item: Item,
): RunDependencies {
	const { itemIndex, journal, settings } = item;
	const { policy } = settings!;
	const log: RunDependencies['log'] = (message, about) =>
		context.logger.info(message, { ...about, node: context.getNode().name, itemIndex });
	// The credential's words for options apply if the node has none.
	for (const decision of ['approve', 'deny'] as const)
		if (!policy[`${decision}Values`]?.length)
			policy[`${decision}Values`] = readOptionWords(api, decision);
	return {
		api,
		journal,
		format,
		async mark(operation, step) {
			const key = `${journal.key} ${step} ${journal.clearedCount}`;
			if (await marks.record(key)) throw mayHaveHappenedError(operation);
		},
		random: Math.random,
		log,
		onSession: (session) => setSessionCustomData(context, session),
		onProgress: createProgressReport(log, item.chat),
	};
}

/** Logs a line whenever a poll shows another status or another tool. A chat also gets the line. */
function createProgressReport(
	log: RunDependencies['log'],
	chat: ChatStream | undefined,
): (session: Session) => void {
	let latest: string | undefined;
	let latestTitle: string | undefined;
	return ({ sessionId, status, latestTool }) => {
		const title = nonEmptyText(latestTool?.title);
		const state = quote(title === undefined ? status : `${status}: ${title}`);
		if (state === latest) return;
		log(`Agent session is ${state}`, { sessionId });
		if (title !== undefined && title !== latestTitle) chat?.write(`${quote(title)}\n\n`);
		latest = state;
		latestTitle = title;
	};
}

/** Aborts every session of the run that hasn't completed. Returns the error after Stop. */
async function stopAll(run: NodeRun): Promise<Error> {
	const { context, items } = run;
	// These requests don't use the execution's signal, which cancels every request.
	const stopping = items.map(async ({ settings, journal, result }) => {
		const record = journal.read();
		const isOver =
			result?.kind === 'completed' || record?.outcome || record?.hasFailed || record?.hasMisfit;
		if (!settings || !record?.sessionId || isOver) return undefined;
		const api = await createClient(context);
		const dependencies = createDependencies(run, api, { itemIndex: 0, journal, settings });
		return await stopItem(settings, dependencies);
	});
	const sentences = await Promise.all(stopping);
	const stillRunning = sentences.filter((sentence) => sentence !== undefined);
	return canceledError(context, listFailures(items), stillRunning);
}

const listFailures = (items: readonly Item[]): ItemFailure[] =>
	items.flatMap(({ itemIndex, error }) => (error ? [{ itemIndex, error }] : []));

/** Returns whether an item waits for the next wake. */
const isWaiting = ({ settings, error, result }: Item): boolean =>
	settings !== undefined && !error && (result === undefined || result.wakeAt !== undefined);

/** Turns the results into outputs. @throws NodeOperationError if items failed, and none is waiting */
async function finishRun(run: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isDatabase, continues, items } = run;
	const waiting = isDatabase ? items.filter(isWaiting) : [];
	restoreFailures(items);
	keepResults(run, waiting.length > 0);
	reportToTracing(
		context,
		items.flatMap(({ result }) => result ?? []),
	);
	const failures = listFailures(items);
	if (failures.length > 0 && !continues && waiting.length === 0) {
		forgetFailures(items);
		throw combineFailures(context, failures);
	}
	const outputs = toOutputs(run, waiting.length > 0);
	for (const [index, key] of (Object.keys(OUTPUTS) as OutputKey[]).entries())
		if (outputs[index].length > 0 && !run.asTool) warnIfUnconnected(context, key);
	if (!isDatabase) return outputs;
	return await pauseExecution(context, outputs, earliestWake(context, waiting));
}

/** Returns the time at which the execution has to wake: the earliest that an item of this run needs, or the time already planned. */
function earliestWake(context: IExecuteFunctions, waiting: readonly Item[]): number {
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

/** Keeps in the journal the results that wait for other items: failures, and completed items with Return Items Together. */
function keepResults(
	{ context, isDatabase, continues, items }: NodeRun,
	othersWait: boolean,
): void {
	const completedIn = readRunIndex(context, 0);
	for (const { itemIndex, journal, settings, error, result } of items) {
		const record = journal.read() ?? { ledger: [] };
		const isHeld = othersWait && (!continues || settings?.returnTogether);
		if (error && isHeld && error instanceof WorkspaceAutomationError) {
			const { message, description, context: about } = error;
			journal.write({ ...record, failure: { message, description, context: about } });
		} else if (
			result?.kind === 'completed' &&
			isDatabase &&
			othersWait &&
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
function toOutputs(run: NodeRun, othersWait: boolean): INodeExecutionData[][] {
	const { context, asTool, items } = run;
	const outputs = noItems();
	const put = (key: OutputKey, item: INodeExecutionData) =>
		outputs[asTool ? 0 : outputIndex(key)].push(item);
	const input = context.getInputData();
	const returns = run.isDatabase || isSelfConnected(context);
	for (const item of items) {
		const { itemIndex, journal, error, result } = item;
		const pairedItem = { item: itemIndex };
		const record = journal.read();
		const returnItem = (json: IDataObject) =>
			put(
				'stillRunning',
				toReturningItem(input[itemIndex], itemIndex, { [SESSION_KEY]: journal.key }, json),
			);
		const { sessionId, dashboardUrl } = record ?? {};
		// A failure of an earlier wake is in the journal because the item waits for the others.
		const isKept = record?.failure !== undefined || item.settings?.returnTogether;
		if (error && othersWait && (!run.continues || isKept)) returnItem({});
		else if (error) {
			const node = context.getNode();
			put('completed', { json: errorJson(node, toNodeError(node, error, itemIndex)), pairedItem });
		} else if (record?.outcome && othersWait) returnItem({ sessionId, dashboardUrl });
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
