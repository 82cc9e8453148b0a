import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import { realClock } from '../../shared/client/clock';
import type { ApiClient } from '../../shared/client/operations';
import { mayHaveHappenedError, readOptionWords } from '../../shared/client/sessions';
import type { Session } from '../../shared/client/session';
import {
	addSession,
	CanceledError,
	throwIfAborted,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { continuesOnError, isTool } from '../../shared/n8n/aiTool';
import { openChatStream, type ChatStream } from '../../shared/n8n/chatStream';
import { setSessionCustomData } from '../../shared/n8n/customData';
import { nonEmptyText, quote } from '../../shared/values';
import { takeAnswered } from '../approval/page/webhook';
import { canceledError, sessionFailedError, toJson } from '../output';
import {
	readConcurrency,
	readHasOutputParser,
	readItemSettings,
	readWaitMode,
} from '../panel/read';
import { isFromItself, isFromOwnOutput } from './ancestors';
import { fingerprintMessage } from './begin';
import { restoreResults, runOnceAtATime } from './claims';
import { settleConcurrently } from './concurrency';
import { requireCyclesSupported } from './engine';
import { stillRunningSentence } from './finish';
import { openOutputFormat } from './format';
import { isAwaitingApproval, matchItem, requireOpenSession, type SessionRecord } from './journal';
import { createMarks } from './marks';
import { type Item, listFailures, noItems, type NodeRun } from './nodeRun';
import { pauseExecution, readDeferredPause, readPauseState, requireSelfConnection } from './pause';
import { finishRun } from './results';
import { MIN_PAUSE_MS } from './schedule';
import type { ItemSettings, RunDependencies, RunResult } from './types';
import { createWake, runInDatabase, runInMemory, stopItem, type Wake } from './wait';

// The items of one run of the node: match each to its record, run them with bounded concurrency, and stop them with the execution.

/**
 * Runs the sessions of all input items.
 * @returns the node's outputs; in the database, items on Still Running are paused
 * @throws NodeApiError or NodeOperationError for the first item that failed, with the others in its description
 */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
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

async function runMatched(run: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isDatabase } = run;
	const matched = matchItems(run);
	if (matched.length === 0) return noItems();
	const deferred = isDatabase ? readDeferredPause(context, realClock.now()) : undefined;
	if (deferred !== undefined) return await pauseInput(context, deferred);
	await run.marks.release('begun');
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
		const record = item.journal.read();
		try {
			requireOpenSession(context, item.journal);
			if (record?.failure ?? record?.outcome) return item;
			return { ...item, settings: readSettings(context, item) };
		} catch (error) {
			return { ...item, error: addRecord(record, error as Error) };
		}
	});
	refuseSharedSessions(items);
	return items;
}

/** Reads the parameters of an item. A session that an earlier attempt or wake has left running continues. */
function readSettings(
	context: IExecuteFunctions,
	{ itemIndex, journal }: Pick<Item, 'itemIndex' | 'journal'>,
): ItemSettings {
	const { sessionId, hasFailed, messages } = journal.read() ?? {};
	if (hasFailed || sessionId === undefined) return readItemSettings(context, itemIndex);
	const isMessageSent = messages?.message === 'sent';
	return readItemSettings(context, itemIndex, { sessionId, isMessageSent });
}

/** Returns an error with the session that the item already has. */
function addRecord({ sessionId, dashboardUrl }: Partial<SessionRecord> = {}, error: Error): Error {
	const hasSession = error instanceof WorkspaceAutomationError && sessionId !== undefined;
	return hasSession ? addSession(error, { sessionId, dashboardUrl }) : error;
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

/**
 * Checks the node and the items before anything is sent. If sessions have been started, an invalid item waits for the others instead.
 * @throws WorkspaceAutomationError for the first problem
 */
function checkBeforeStart({ context, isDatabase, continues, items }: NodeRun): void {
	if (isDatabase) {
		requireCyclesSupported(context);
		requireSelfConnection(context);
	}
	const invalid = items.find(({ error }) => error !== undefined);
	if (invalid && !continues && !isFromOwnOutput(context)) throw invalid.error!;
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
		: await runInMemory(settings!, dependencies, isFromItself(run.context));
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
	const stopping = items.map(async (item) => {
		const { journal, result } = item;
		const { sessionId, outcome, hasFailed, hasMisfit } = journal.read() ?? {};
		const isOver = result?.kind === 'completed' || outcome || hasFailed || hasMisfit;
		if (sessionId === undefined || isOver) return undefined;
		try {
			const settings = item.settings ?? readSettings(context, item);
			const api = await createClient(context);
			return await stopItem(settings, createDependencies(run, api, { ...item, settings }));
		} catch {
			return stillRunningSentence(sessionId);
		}
	});
	const sentences = await Promise.all(stopping);
	const stillRunning = sentences.filter((sentence) => sentence !== undefined);
	return canceledError(context, listFailures(items), stillRunning);
}
