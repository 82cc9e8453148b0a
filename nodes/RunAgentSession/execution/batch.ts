import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import type { ApiClient } from '../../shared/client/operations';
import { Semaphore } from '../../shared/client/rateLimiter';
import { addSession, WorkspaceAutomationError } from '../../shared/errors';
import { continuesOnError, isTool } from '../../shared/n8n/aiTool';
import type { ChatStream } from '../../shared/n8n/executionDisplay';
import { ExecutionLedger } from '../../shared/n8n/ledger';
import { getOrAdd } from '../../shared/values';
import { readItemSettings, readPauses } from '../panel/readSettings';
import type { PlannedSession, SessionLimits } from '../plan/plan';
import type { Failure, SessionRecord } from '../session/record';
import type { SessionRun, ItemSettings, OutputFormat } from '../session/run';
import { returnsAfterPause, type Engine } from './engine';
import { acceptItem, openItemRecord, sessionOf, type SessionJournal } from './itemRecords';

export interface Item {
	itemIndex: number;
	journal: SessionJournal;
	/** Missing if the session has ended, or if the settings are invalid */
	settings?: ItemSettings;
	/** The session's state in this wake, until it has ended */
	run?: SessionRun;
	/** What the plan knows of it, until that changes */
	known?: PlannedSession;
	/** The chat of the user, if n8n streams */
	chat?: ChatStream;
	error?: Error;
	/** What is wrong with an item that can't be run: it asks for something else than an earlier attempt, or its settings are invalid */
	refusal?: 'request' | 'settings';
	/** The JSON of items that ask approvers */
	asked: IDataObject[];
}

/** The items of one entry, for all runs of the node in a wake. */
export interface Batch {
	/** Of the latest run */
	context: IExecuteFunctions;
	engine: Engine;
	asTool: boolean;
	/** True if the execution pauses while sessions run */
	pauses: boolean;
	/** Why it keeps running although it should pause */
	couldNotPause?: string;
	/** True if items can leave while sessions run */
	canLeave: boolean;
	/** True if an item that fails becomes an item with its error */
	continues: boolean;
	items: Item[];
	/** Read in the first turn of a wake */
	limits?: SessionLimits;
	ledger: ExecutionLedger;
	api?: ApiClient;
	format?: OutputFormat;
	flights: Map<Item, Promise<void>>;
	/** Called when a request has ended */
	onLanding?: () => void;
	polls: Semaphore;
}

/** What the node remembers from one pause to the next, for all entries and nodes of the execution. */
export interface Wake {
	/** Wall-clock time by the monotonic clock, so that setting the system clock meanwhile changes nothing */
	now(): number;
	/** True if an answer on the approval page caused it */
	isByAnswer: boolean;
	batches: Map<string, Batch>;
	/** True once an error is about to end a retry: what has completed leaves before it */
	isFailing?: true;
}

/** Spares the runs of a wake reading their items, fields and records again. */
const wakeByRun = new WeakMap<object, Wake>();

/** Returns the wake of a run. @param isByAnswer is called for the first run of a wake */
export function openWake(key: object, isByAnswer: (now: number) => boolean): Wake {
	const known = wakeByRun.get(key);
	if (known) return known;
	const wallMs = realClock.now();
	const monotonicMs = realClock.monotonicMs();
	const wake = {
		now: () => wallMs + realClock.monotonicMs() - monotonicMs,
		isByAnswer: isByAnswer(wallMs),
		batches: new Map<string, Batch>(),
	};
	wakeByRun.set(key, wake);
	return wake;
}

/** Requests that a key may have in flight. More polls at once would only wait, and miss their time. */
const MAX_POLLS_AT_ONCE = 25;

function findPauseObstacle(context: IExecuteFunctions, engine: Engine): string | undefined {
	if (!engine.canContinue) return "this n8n can't pause it";
	if (context.getMode() === 'integrated' && !returnsAfterPause(context))
		return "this n8n can't pause a sub-workflow";
	if (engine.respondsAtEnd)
		return "its caller waits for a response, which n8n can't send after a pause";
	return undefined;
}

/** Returns the batch of a run, and true if it's the first one of this wake. */
export function openBatch(
	context: IExecuteFunctions,
	engine: Engine,
	wake: Wake,
): { batch: Batch; isNew: boolean } {
	const { name } = context.getNode();
	const key = `${name} ${engine.entryKey}`;
	const known = wake.batches.get(key);
	if (known) return { batch: Object.assign(known, { context, engine }), isNew: false };
	const asTool = isTool(context);
	const wantsPause = !asTool && readPauses(context);
	const couldNotPause = wantsPause ? findPauseObstacle(context, engine) : undefined;
	if (couldNotPause !== undefined)
		context.logger.warn(`${name} keeps the execution running, because ${couldNotPause}`);
	const batch: Batch = {
		context,
		engine,
		asTool,
		pauses: wantsPause && couldNotPause === undefined,
		couldNotPause,
		canLeave: engine.canContinue && !asTool,
		continues: continuesOnError(context),
		ledger: new ExecutionLedger(context),
		items: [],
		flights: new Map(),
		polls: new Semaphore(MAX_POLLS_AT_ONCE),
	};
	wake.batches.set(key, batch);
	return { batch, isNew: true };
}

/** Waits for the steps under way in all entries. None is cut off: a start may leave a session running. */
export async function landFlights({ batches }: Wake): Promise<void> {
	await Promise.allSettled([...batches.values()].flatMap(({ flights }) => [...flights.values()]));
}

/** Makes the next run of an entry read its items again. */
export function closeBatch({ batches }: Wake, batch: Batch): void {
	for (const [key, each] of batches) if (each === batch) batches.delete(key);
}

/** Reads all items with their records. An item that can't be run has an error. */
export function readItems(batch: Batch): Item[] {
	const items = batch.context
		.getInputData()
		.map((_, itemIndex): Item => readBatchItem(batch, itemIndex));
	refuseSharedSessions(items);
	return items;
}

function readBatchItem(batch: Batch, itemIndex: number): Item {
	const { context, engine } = batch;
	const journal = openItemRecord(context, engine.entryKey, itemIndex);
	const item: Item = { itemIndex, journal, asked: [] };
	let refusal: Item['refusal'] = 'request';
	try {
		acceptItem(context, itemIndex, journal);
		refusal = 'settings';
		const record = journal.read();
		if (record?.state !== 'ended') item.settings = readSettings(batch, item);
		else if (record.end.kind === 'failed' && record.end.failure)
			item.error = toError(record.end.failure);
	} catch (error) {
		refuse(item, refusal, addRecord(journal.read(), error as Error));
	}
	return item;
}

const refuse = (item: Item, refusal: Item['refusal'], error: Error) =>
	Object.assign(item, { refusal, error });

const toError = ({
	message,
	description,
	context,
}: Pick<Failure, 'message' | 'description' | 'context'>): WorkspaceAutomationError =>
	new WorkspaceAutomationError(message, description, context);

/** Reads the parameters. A session of an earlier attempt or run of the node continues. */
export function readSettings(
	{ context, pauses, asTool }: Batch,
	{ itemIndex, journal }: Item,
): ItemSettings {
	const record = journal.read();
	const earlier =
		record?.state === 'running'
			? { sessionId: record.sessionId, isMessageSent: record.startedAt !== undefined }
			: undefined;
	return readItemSettings(context, itemIndex, { pauses, asTool, earlier });
}

/** Adds the item's session to an error. */
export function addRecord(record: SessionRecord | undefined, error: Error): Error {
	const { sessionId, dashboardUrl } = sessionOf(record);
	const hasSession = error instanceof WorkspaceAutomationError && sessionId !== undefined;
	return hasSession ? addSession(error, { sessionId, dashboardUrl }) : error;
}

/** Refuses items of this run that continue the same session, because each would decide its requests. */
function refuseSharedSessions(items: Item[]): void {
	const bySession = new Map<string, Item[]>();
	for (const item of items) {
		const { target } = item.settings ?? {};
		if (target?.operation !== 'continue') continue;
		getOrAdd(bySession, target.sessionId, () => []).push(item);
	}
	for (const [sessionId, sharing] of bySession) {
		if (sharing.length < 2) continue;
		const names = sharing.map(({ itemIndex }) => itemIndex).join(' and ');
		for (const item of sharing)
			refuse(
				item,
				'settings',
				new WorkspaceAutomationError(
					'Several items continue the same session',
					`Nothing was sent. Items ${names} continue session ${sessionId}. Keep one of them, for example with Remove Duplicates.`,
					{ sessionId },
				),
			);
	}
}
