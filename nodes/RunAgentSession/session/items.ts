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
import { runOnceAtATime } from './claims';
import { settleConcurrently } from './concurrency';
import { requireCyclesSupported } from './engine';
import { stillRunningSentence } from './finish';
import { openOutputFormat } from './format';
import {
	matchItem,
	openOwnRecord,
	requireOpenSession,
	type SessionJournal,
	type SessionRecord,
} from './journal';
import { createMarks } from './marks';
import { type Item, listFailures, noItems, type NodeRun } from './nodeRun';
import { pauseExecution, readDeferredPause, requireSelfConnection } from './pause';
import { finishRun } from './results';
import type { ItemSettings, RunDependencies, RunResult } from './types';
import { createWake, runInDatabase, runInMemory, stopItem, type Wake } from './wait';

/** Runs all items' sessions and returns the outputs. @throws the first failed item's error, with the others in its description */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	if (readWaitMode(context) !== 'database') return await startRun(context, false);
	return await runOnceAtATime(context, async () => await startRun(context, true));
}

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
	run.items = readItems(context);
	if (run.items.length === 0) return noItems();
	const deferred = isDatabase ? readDeferredPause(context, realClock.now()) : undefined;
	if (deferred !== undefined) return await pauseInput(context, deferred);
	await run.marks.release('begun');
	try {
		await runSessions(run);
	} catch (error) {
		if (error instanceof CanceledError) throw await stopAll(run);
		failAll(run, error as Error);
	}
	return await finishRun(run);
}

async function pauseInput(
	context: IExecuteFunctions,
	until: number,
): Promise<INodeExecutionData[][]> {
	const input = context.getInputData();
	const returning = input.map((item, index) => ({ ...item, pairedItem: { item: index } }));
	return await pauseExecution(context, [returning, [], []], until);
}

/** @throws the error that keeps all items from running, and CanceledError after Stop */
async function runSessions(run: NodeRun): Promise<void> {
	const { context } = run;
	const signal = context.getExecutionCancelSignal?.();
	// Retry On Fail runs the node again even after Stop.
	throwIfAborted(signal);
	checkBeforeStart(run);
	if (readHasOutputParser(context)) run.format = await openOutputFormat(context);
	const api = await createClient(context);
	await runAll(run, api, signal);
	throwIfAborted(signal);
}

/** Fails all items without a result: n8n would return them on Still Running, without the error. @throws unless On Error continues */
function failAll({ context, continues, items }: NodeRun, error: Error): void {
	const failed = items.find((item) => item.error === error);
	if (!continues) throw toNodeError(context.getNode(), error, failed?.itemIndex ?? 0);
	for (const item of items)
		if (item.settings && !item.result) item.error ??= addRecord(item.journal.read(), error);
}

function readItems(context: IExecuteFunctions): Item[] {
	const items = context
		.getInputData()
		.flatMap((_, itemIndex) => readItem(context, itemIndex) ?? []);
	refuseSharedSessions(items);
	return items;
}

function readItem(context: IExecuteFunctions, itemIndex: number): Item | undefined {
	const readMessage = () =>
		fingerprintMessage(String(context.getNodeParameter('message', itemIndex, '')) || undefined);
	let journal: SessionJournal | undefined;
	try {
		journal = matchItem(context, itemIndex, readMessage);
		if (!journal) return undefined;
		requireOpenSession(context, journal);
		const { failure, outcome } = journal.read() ?? {};
		if (failure)
			throw new WorkspaceAutomationError(failure.message, failure.description, failure.context);
		if (outcome) return { itemIndex, journal };
		return { itemIndex, journal, settings: readSettings(context, { itemIndex, journal }) };
	} catch (error) {
		journal ??= openOwnRecord(context, itemIndex);
		return { itemIndex, journal, error: addRecord(journal.read(), error as Error) };
	}
}

/** Continues a session that an earlier attempt or wake has left running. */
function readSettings(
	context: IExecuteFunctions,
	{ itemIndex, journal }: Pick<Item, 'itemIndex' | 'journal'>,
): ItemSettings {
	const { sessionId, hasFailed, messages } = journal.read() ?? {};
	if (hasFailed || sessionId === undefined) return readItemSettings(context, itemIndex);
	const isMessageSent = messages?.message === 'sent';
	return readItemSettings(context, itemIndex, { sessionId, isMessageSent });
}

/** Adds the item's session to an error. */
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

/** @throws the first problem, before anything is sent. If sessions have been started, an invalid item waits for the others instead. */
function checkBeforeStart({ context, isDatabase, continues, items }: NodeRun): void {
	if (isDatabase) {
		requireCyclesSupported(context);
		requireSelfConnection(context);
	}
	const invalid = items.find(({ error }) => error !== undefined);
	if (invalid && !continues && !isFromOwnOutput(context)) throw invalid.error!;
}

/** Runs only the items that are due: answers from the approval page run only those of their sessions. */
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

function describeForChat(result: RunResult): string {
	const { question, text } = toJson(result, true);
	return String(question ?? text);
}

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

/** Returns the dependencies of one item. All items share one client, and with it one rate limit. */
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

/** Logs a line whenever a poll shows another status or tool. A chat gets the tool's title. */
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
