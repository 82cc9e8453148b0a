import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import type { ApiClient } from '../../shared/client/operations';
import { createFactLookup } from '../session/facts';
import type { Session } from '../../shared/client/session';
import {
	CanceledError,
	throwIfAborted,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { openChatStream, setSessionCustomData } from '../../shared/n8n/executionDisplay';
import { nonEmptyText, quote } from '../../shared/values';
import { readHasOutputParser } from '../panel/readSettings';
import { MIN_PAUSE_MS, type Others } from '../plan/plan';
import { reopenSession } from '../session/begin';
import { SessionRun, type RunDependencies } from '../session/run';
import { realClock } from '../../shared/client/clock';
import {
	addRecord,
	closeBatch,
	landFlights,
	openBatch,
	openWake,
	type Batch,
	type Item,
	type Wake,
} from './batch';
import {
	listAnswers,
	recallAnswers,
	listCourses,
	listSessionRecords,
	findOwnItem,
} from './itemRecords';
import { Engine } from './engine';
import { reportToTracing } from './itemJson';
import { openOutputFormat } from './outputParser';
import {
	combineErrors,
	failItem,
	listFailures,
	noItems,
	refuseItems,
	takeLeavingBefore,
	takeOutputs,
	findFailure,
	toTraced,
} from './itemEnds';
import { stopSessions } from './stop';
import { runTurn, takeAnswers, type TurnEnd } from './turn';

/**
 * Runs the node once. n8n calls it for new items, after a pause, and after the nodes behind its outputs, until all sessions have ended.
 * @throws the first failed item's error, with the others in its description
 */
export async function runNode(context: IExecuteFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getInputData().length === 0) return noItems();
	const engine = new Engine(context);
	const outcome = engine.readOutcome() ?? (await engine.followFirstWake());
	if (outcome) return outcome.outputs;
	const wake = openWake(engine.wakeKey, (now) => {
		recallAnswers(context.getExecutionId(), engine.contexts);
		return takeAnswers(engine, now);
	});
	try {
		await engine.waitForRecovery();
		return await runBatch(engine, wake, context);
	} catch (error) {
		if (!(error instanceof CanceledError)) throw toNodeError(context.getNode(), error, 0);
		throw toNodeError(context.getNode(), await stopSessions(context, engine, wake), 0);
	}
}

async function runBatch(
	engine: Engine,
	wake: Wake,
	context: IExecuteFunctions,
): Promise<INodeExecutionData[][] | null> {
	const { batch, isNew } = openBatch(context, engine, wake);
	if (isNew) {
		const refusal = refuseOwnItems(batch) ?? refuseItems(batch);
		if (refusal) return await fail(batch, wake, refusal);
		engine.onEnd(async (status) => {
			logRunning(context, status);
			if (status === 'success') await batch.ledger.release();
		});
	}
	const turn = await takeTurn(batch, wake);
	reportToTracing(context, batch.items.flatMap(toTraced));
	return await finish(batch, wake, turn);
}

/** Returns the error of an item of this node's own, which ends the execution: On Error would repeat it forever. */
function refuseOwnItems({ context, engine }: Batch): (() => Error) | undefined {
	const error = engine.isAgain ? undefined : findOwnItem(context, engine.entryKey);
	if (!error) return undefined;
	engine.endExecutionOnError();
	return () => error;
}

async function takeTurn(batch: Batch, wake: Wake): Promise<TurnEnd> {
	const { context } = batch;
	// Retry On Fail runs the node again even after Stop.
	throwIfAborted(context.getExecutionCancelSignal?.());
	if (!batch.items.some(isUnfinished)) return { kind: 'ended' };
	const opened = await openSessions(batch, wake).catch((error: unknown) => error as Error);
	if (opened instanceof CanceledError) throw opened;
	if (opened === false) return waitForCredential(batch, wake);
	if (opened === true) return await runTurn(batch, wake);
	failAll(batch, wake, opened);
	return { kind: 'ended' };
}

const isUnfinished = ({ settings, error }: Item): boolean => settings !== undefined && !error;

/** Fails all items whose sessions haven't ended, with On Error. @throws their error otherwise: a retry continues the sessions, which it names */
function failAll(batch: Batch, wake: Wake, error: Error): void {
	const waiting = batch.items.filter(isUnfinished);
	const hasSession = waiting.some(({ journal }) => journal.read() !== undefined);
	const namedError =
		hasSession && !(error instanceof WorkspaceAutomationError) ? credentialError(error) : error;
	if (batch.continues) return waiting.forEach((item) => failItem(batch, item, namedError));
	closeBatch(wake, batch);
	for (const item of waiting) item.error = addRecord(item.journal.read(), namedError);
	throw combineErrors(batch, listFailures(batch.items));
}

/** Opens the client and the sessions of a batch. Returns false if the credential can't be read in this wake. */
async function openSessions(batch: Batch, wake: Wake): Promise<boolean> {
	const { context } = batch;
	if (!batch.format && readHasOutputParser(context)) batch.format = await openOutputFormat(context);
	batch.api ??= await openClient(batch, wake);
	if (!batch.api) return false;
	for (const item of batch.items) if (isUnfinished(item) && !item.run) openRun(batch, wake, item);
	return true;
}

/** Time and wakes for which the credential may be unreadable, for example because the server that keeps it is down */
const MAX_WITHOUT_CREDENTIAL_MS = 3 * 60_000;
const MIN_WAKES_WITHOUT_CREDENTIAL = 3;

/** Returns undefined in a wake in which the credential can't be read, and may be again in the next one. */
async function openClient(
	{ context, engine, pauses }: Batch,
	wake: Wake,
): Promise<ApiClient | undefined> {
	/** Of a credential that can't be read: the time and number of wakes in a row */
	const state: { withoutCredential?: { since: number; wakes: number } } =
		context.getContext('node');
	const opening = createClient(context);
	if (!pauses || !engine.isAgain) return await opening;
	const opened = await opening.catch((error: Error) => error);
	if (!(opened instanceof Error)) {
		delete state.withoutCredential;
		return opened;
	}
	const now = wake.now();
	const { since, wakes } = state.withoutCredential ?? { since: now, wakes: 0 };
	state.withoutCredential = { since, wakes: wakes + 1 };
	const isLasting =
		wakes + 1 >= MIN_WAKES_WITHOUT_CREDENTIAL && now >= since + MAX_WITHOUT_CREDENTIAL_MS;
	context.logger.warn(`The credential couldn't be read in a wake: ${opened.message}`);
	if (!isLasting) return undefined;
	throw credentialError(opened);
}

const credentialError = ({ message }: Error): WorkspaceAutomationError =>
	new WorkspaceAutomationError(
		"The credential can't be read",
		`Check the credential. Then retry the execution, which waits for the session again. n8n says: ${message}.`,
	);

/** Lets others go first, and pauses after them. */
function waitForCredential({ engine }: Batch, wake: Wake): TurnEnd {
	const now = wake.now();
	const others = engine.readOthers(now);
	const plan = { dueAt: now + MIN_PAUSE_MS };
	const isNext = others.dueAt > now && !others.keeps;
	const at = Math.min(plan.dueAt, others.dueAt);
	return isNext ? { kind: 'pause', plan, at } : { kind: 'yield', plan };
}

/** Prepares the session of an item. */
function openRun(batch: Batch, wake: Wake, item: Item): void {
	if (!batch.pauses && !batch.asTool) item.chat ??= openChatStream(batch.context, item.itemIndex);
	item.run = new SessionRun(item.settings!, createDependencies(batch, wake, item));
	reopenSession(item.run);
}

/** Returns the dependencies of one item. All items share one client, and with it one rate limit. */
function createDependencies(batch: Batch, wake: Wake, item: Item): RunDependencies {
	const { context, ledger, format, polls } = batch;
	const { itemIndex, journal, chat } = item;
	const api = batch.api!;
	const log: RunDependencies['log'] = (message, about) =>
		context.logger.info(message, { ...about, node: context.getNode().name, itemIndex });
	return {
		api,
		journal,
		format,
		polls,
		ledger: ledger.of(journal.key),
		execution: context.getExecutionId(),
		listAnswers: () => listAnswers(batch.engine.contexts),
		hasReached: () =>
			listCourses(context.getContext('node')).some(({ lastReadAt }) => lastReadAt !== undefined),
		wallTime: () => wake.now(),
		log,
		onSession: (session) => setSessionCustomData(context, session),
		// n8n saves the context of the execution when it pauses.
		findFacts: createFactLookup(api, context.getContext('flow')),
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
		if (latest === `${sessionId} ${state}`) return;
		log(`Agent session is ${state}`, { sessionId });
		if (title !== undefined && title !== latestTitle) chat?.write(`${quote(title)}\n\n`);
		latest = `${sessionId} ${state}`;
		latestTitle = title;
	};
}

/** Returns the outputs. While sessions run, n8n executes the node again, and a failure waits until they have ended. */
async function finish(
	batch: Batch,
	wake: Wake,
	turn: TurnEnd,
): Promise<INodeExecutionData[][] | null> {
	const { engine } = batch;
	if (turn.kind === 'ended') return await end(batch, wake);
	if (turn.kind === 'leave')
		return engine.continueLater(takeOutputs(batch, wake.isFailing === true), turn.plan);
	if (turn.kind === 'yield') return engine.continueLater(null, turn.plan);
	batch.ledger.notePause();
	return await engine.pause(turn.plan, turn.at - wake.now() + realClock.now());
}

async function end(batch: Batch, wake: Wake): Promise<INodeExecutionData[][] | null> {
	const { engine } = batch;
	const failure = findFailure(batch);
	if (failure) return await fail(batch, wake, failure);
	const outputs = takeOutputs(batch, true);
	engine.keepOutcome({ outputs });
	return outputs;
}

/** The next run throws the error of a retry. */
const FAILING: Others = { dueAt: 0, isFailing: true };

/**
 * Ends the execution with an error, once what has completed has left.
 * @param describe makes the error, which names what other entries have begun meanwhile
 */
async function fail(
	batch: Batch,
	wake: Wake,
	describe: () => Error,
): Promise<INodeExecutionData[][] | null> {
	const { engine } = batch;
	await landFlights(wake);
	const { outputs, nodes } = takeLeavingBefore(batch);
	if (outputs || (nodes.length > 0 && !wake.isFailing)) {
		wake.isFailing = true;
		closeBatch(wake, batch);
		for (const node of nodes) engine.makeDue(node, FAILING.dueAt - 1);
		return engine.continueLater(outputs, FAILING);
	}
	const error = describe();
	engine.keepOutcome({ error });
	throw error;
}

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
