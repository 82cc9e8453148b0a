import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { createClient } from '../../shared/client/createClient';
import type { ApiClient } from '../../shared/client/operations';
import { readOptionWords } from '../../shared/client/sessions';
import type { Session } from '../../shared/client/session';
import {
	CanceledError,
	SessionAbortedError,
	throwIfAborted,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { continuesOnError, isTool } from '../../shared/n8n/aiTool';
import { openChatStream } from '../../shared/n8n/chatStream';
import { setSessionCustomData } from '../../shared/n8n/customData';
import { ExecutionLedger } from '../../shared/n8n/ledger';
import { nonEmptyText, quote } from '../../shared/values';
import { hasOpenLink } from '../page/view';
import { readConcurrency, readHasOutputParser, readReturnsEarly, readPauses } from '../panel/read';
import { settleConcurrently } from '../session/concurrency';
import type { RunDependencies } from '../session/types';
import { runSession } from '../session/wait';
import { Wake } from '../session/wake';
import { applyAnswers } from './answers';
import { readItems, type Batch, type Item } from './batch';
import { Engine, returnsAfterPause } from './engine';
import { hasNewAnswers } from './inbox';
import { listSessionRecords, refuseOwnItems } from './journal';
import { reportToTracing } from './output';
import { openOutputFormat } from './outputFormat';
import {
	endItem,
	failItem,
	noItems,
	refuseItems,
	takeAsked,
	takeOutputs,
	throwFailures,
	toChatText,
	toTraced,
} from './outputs';
import { stopSessions } from './stop';

/**
 * Runs the sessions of all items. n8n calls it for new items, and the node makes n8n call it again after the nodes behind its outputs and
 * after a pause, until all sessions have ended.
 * @throws the first failed item's error, with the others in its description
 */
export async function runNode(context: IExecuteFunctions): Promise<INodeExecutionData[][] | null> {
	const engine = new Engine(context);
	if (engine.earlierOutputs !== undefined) return engine.earlierOutputs;
	const second = await engine.followFirstWake();
	if (second) return second.outputs;
	return await runBatch(openBatch(context, engine));
}

function openBatch(context: IExecuteFunctions, engine: Engine): Batch {
	const asTool = isTool(context);
	const wantsPause = !asTool && readPauses(context);
	const isSubWorkflow = context.getMode() === 'integrated';
	const canPause = engine.canContinue && !(isSubWorkflow && !returnsAfterPause(context));
	const pauses = wantsPause && canPause;
	if (wantsPause && !canPause && !engine.isAgain)
		context.logger.warn(
			`${context.getNode().name} keeps the execution running, because this n8n can't pause ${isSubWorkflow ? 'a sub-workflow' : 'it'}`,
		);
	return {
		context,
		engine,
		asTool,
		pauses,
		couldNotPause: wantsPause && !canPause,
		canLeave: engine.canContinue && !asTool,
		returnsEarly: readReturnsEarly(context) && engine.canContinue && !isSubWorkflow,
		continues: continuesOnError(context),
		ledger: new ExecutionLedger(context),
		items: [],
	};
}

async function runBatch(batch: Batch): Promise<INodeExecutionData[][] | null> {
	const { context, engine } = batch;
	if (context.getInputData().length === 0) return noItems();
	try {
		refuseOwnItems(context, engine);
		batch.items = readItems(batch);
		refuseItems(batch);
		await batch.ledger.release('saved');
		engine.onEnd((status) => {
			logRunning(context, status);
			if (status === 'success') void batch.ledger.release('succeeded');
		});
		const error = await runSessions(batch).catch((error: unknown) => error as Error);
		if (error instanceof CanceledError) throw await stopSessions(batch);
		if (error) failAll(batch, error);
		return await finish(batch);
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/** @throws the error that keeps all items from running, and CanceledError after Stop */
async function runSessions(batch: Batch): Promise<void> {
	const { context, items } = batch;
	const signal = context.getExecutionCancelSignal?.();
	// Retry On Fail runs the node again even after Stop.
	throwIfAborted(signal);
	if (!items.some(isOpen)) return;
	if (readHasOutputParser(context)) batch.format = await openOutputFormat(context);
	const api = await openClient(batch);
	if (api) await runAll(batch, api, signal);
	throwIfAborted(signal);
}

/** Time and wakes for which the credential may be unreadable, for example because the server that keeps it is down */
const MAX_WITHOUT_CREDENTIAL_MS = 3 * 60_000;
const MIN_WAKES_WITHOUT_CREDENTIAL = 3;

/** Wakes in a row in which the credential couldn't be read, and the time of the first */
interface CredentialState {
	withoutCredential?: { since: number; wakes: number };
}

/** Returns undefined in a wake in which the credential can't be read, and may be again in the next one. */
async function openClient({ context, engine, pauses }: Batch): Promise<ApiClient | undefined> {
	const state: CredentialState = context.getContext('node');
	const opening = createClient(context);
	if (!pauses || !engine.isAgain) return await opening;
	const opened = await opening.catch((error: Error) => error);
	if (!(opened instanceof Error)) {
		delete state.withoutCredential;
		return opened;
	}
	const now = realClock.now();
	const { since, wakes } = state.withoutCredential ?? { since: now, wakes: 0 };
	state.withoutCredential = { since, wakes: wakes + 1 };
	const isLasting =
		wakes + 1 >= MIN_WAKES_WITHOUT_CREDENTIAL && now >= since + MAX_WITHOUT_CREDENTIAL_MS;
	context.logger.warn(`The credential couldn't be read in a wake: ${opened.message}`);
	if (!isLasting) return undefined;
	throw new WorkspaceAutomationError(
		"The credential can't be read",
		`Check the credential. Then retry the execution, which waits for the session again. n8n says: ${opened.message}.`,
	);
}

const isOpen = ({ settings, error }: Item): boolean => settings !== undefined && !error;

/** Continues the sessions that haven't ended. Those that were read longest ago are first, and new ones are last. */
async function runAll(
	batch: Batch,
	api: ApiClient,
	signal: AbortSignal | undefined,
): Promise<void> {
	const { context, engine, pauses } = batch;
	const nodeContext = context.getContext('node');
	applyAnswers(context);
	const wake = new Wake({
		nowMs: api.clock.monotonicMs(),
		pauses,
		isWatched: context.getMode() === 'manual' && !engine.isWake,
		hasOpenLinks: listSessionRecords(nodeContext).some(
			(record) => record.state === 'running' && hasOpenLink(record),
		),
	});
	const due = batch.items.filter(isOpen).sort((one, other) => lastReadAt(one) - lastReadAt(other));
	// A pausing run polls sessions that have started all at once. One busy session must not delay the others.
	const onlyPolls = pauses && due.every(({ journal }) => journal.read() !== undefined);
	const concurrency = onlyPolls ? Infinity : readConcurrency(context);
	await settleConcurrently(due, concurrency, async (item) => {
		throwIfAborted(signal);
		if (wake.isLeaving && !item.journal.read()) return;
		await runItem(batch, item, api, wake);
	});
}

function lastReadAt({ journal }: Item): number {
	const record = journal.read();
	if (!record) return Number.MAX_SAFE_INTEGER;
	return record.state === 'running' ? (record.lastReadAt ?? 0) : 0;
}

async function runItem(batch: Batch, item: Item, api: ApiClient, wake: Wake): Promise<void> {
	const { context, asTool, pauses, canLeave, returnsEarly, continues } = batch;
	if (!pauses && !asTool) item.chat ??= openChatStream(context, item.itemIndex);
	const dependencies = createDependencies(batch, api, item);
	try {
		for (;;) {
			const result = await runSession(item.settings!, dependencies, wake);
			item.result = result;
			if (result.kind !== 'needsApproval' || asTool) break;
			takeAsked(batch, item, result);
			if (canLeave) return wake.leave();
		}
		endItem(batch, item);
	} catch (error) {
		failItem(item, error as Error);
		// A retry starts another session.
		if (item.result?.kind === 'failed' || error instanceof SessionAbortedError)
			await dependencies.ledger.forget('start');
	}
	const hasEnded = item.error ?? item.result?.kind !== 'stillRunning';
	if (hasEnded) item.chat?.end(item.error?.message ?? toChatText(item.result!));
	if (hasEnded && returnsEarly && (!item.error || continues)) wake.leave();
}

/** Returns the dependencies of one item. All items share one client, and with it one rate limit. */
function createDependencies(
	{ context, ledger, format }: Batch,
	api: ApiClient,
	{ itemIndex, journal, settings, chat }: Item,
): RunDependencies {
	const { policy } = settings!;
	const log: RunDependencies['log'] = (message, about) =>
		context.logger.info(message, { ...about, node: context.getNode().name, itemIndex });
	for (const decision of ['approve', 'deny'] as const)
		policy[`${decision}Values`] = readOptionWords(api, decision);
	return {
		api,
		journal,
		format,
		ledger: ledger.of(journal.key),
		random: Math.random,
		log,
		onSession: (session) => setSessionCustomData(context, session),
		onProgress: createProgressReport(log, chat),
	};
}

/** Logs a line whenever a poll shows another status or tool. A chat gets the tool's title. */
function createProgressReport(
	log: RunDependencies['log'],
	chat: Item['chat'],
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

/** Fails all items whose sessions haven't ended. */
function failAll(batch: Batch, error: Error): void {
	for (const item of batch.items) if (isOpen(item)) failItem(item, error);
}

const RETRY_CREDENTIAL_MS = 70_000;
const NEW_ANSWER_MS = 5_000;

/** Returns the outputs. While sessions go on, n8n executes the node again, and a failure waits until they have ended. */
async function finish(batch: Batch): Promise<INodeExecutionData[][] | null> {
	const { context, engine, items, asTool } = batch;
	reportToTracing(context, items.flatMap(toTraced));
	const running = items.filter((item) => isOpen(item) && !hasEnded(item));
	if (asTool || running.length === 0) {
		throwFailures(batch);
		return takeOutputs(batch, true);
	}
	const outputs = takeOutputs(batch, false);
	const now = realClock.now();
	const wakeAt = running.map(({ result }) => result?.wakeAt ?? now + RETRY_CREDENTIAL_MS);
	if (hasNewAnswers(context.getExecutionId(), now)) wakeAt.push(now + NEW_ANSWER_MS);
	return await engine.continueLater(outputs, Math.min(...wakeAt), () => batch.ledger.notePause());
}

const hasEnded = ({ journal }: Item): boolean => journal.read()?.state === 'ended';

/** Logs the sessions that run on after the execution has ended, for example because another node failed. */
function logRunning(context: IExecuteFunctions, status: string): void {
	if (status === 'success' || status === 'canceled') return;
	for (const record of listSessionRecords(context.getContext('node')))
		if (record.state === 'running')
			context.logger.warn(
				`The execution ended, and agent session ${record.sessionId} is still running. Retry the execution to wait for it`,
				{ sessionId: record.sessionId, node: context.getNode().name },
			);
}
