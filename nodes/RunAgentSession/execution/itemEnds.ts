import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	CanceledError,
	errorJson,
	IndeterminateError,
	SessionOverError,
	StillRunningError,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { quote } from '../../shared/values';
import { OUTPUTS } from '../panel/properties';
import {
	RECORD_VERSION,
	type Course,
	type Failure,
	type RunningRecord,
	type SessionEnd,
	type SessionRecord,
	type Tries,
} from '../session/record';
import type { AskedSession } from '../requests/ballots';
import { wasAborted } from '../requests/quietRequest';
import { endRequests } from '../requests/requestRecord';
import { listRequests } from '../session/finish';
import { readCourse, SessionRun, type SessionOutcome } from '../session/run';
import { addRecord, readItems, readSettings, type Batch, type Item, type Wake } from './batch';
import { findStanding, listSessionRecords, noteRefusedItem, sessionOf } from './itemRecords';
import {
	combineFailures,
	nameEarlier,
	sessionFailedError,
	toItemJson,
	toJson,
	toWorkJson,
	type NamedSession,
	type Traced,
} from './itemJson';

const COMPLETED = 0;
const NEEDS_APPROVAL = 1;

export const noItems = (): INodeExecutionData[][] => OUTPUTS.map(() => []);

/** Keeps the items with which a session asks approvers, until they leave in this run. */
export function keepApproverItems(
	{ context, couldNotPause }: Batch,
	item: Item,
	outcome: SessionOutcome,
): void {
	const asked = (outcome.asked ?? []).map((each) =>
		toItemJson(context, item.itemIndex, item.run!, outcome, each),
	);
	if (couldNotPause !== undefined)
		for (const json of asked) {
			const without = `There is no approval page, because ${couldNotPause}. Decide in the dashboard, or with the operation Apply an Answer.`;
			json.message = json.question = `${String(json.question)}\n${without}`;
			json.warnings = [...((json.warnings ?? []) as string[]), without];
		}
	for (const { sessionId, message, approvalUrl: link } of asked)
		// A reader of the log must not be able to answer.
		context.logger.info(
			`An approver is asked: ${String(message).replace(String(link), '').trim()}`,
			{
				sessionId,
				node: context.getNode().name,
			},
		);
	item.asked.push(...asked);
}

function writeEnd({ journal }: Item, end: SessionEnd): void {
	const record = journal.read();
	journal.write({ ...readCourse(record), v: RECORD_VERSION, state: 'ended', end } as SessionRecord);
}

/** Records the end of a session, with the item that leaves when all sessions have ended. */
export function endItem(batch: Batch, item: Item, outcome: SessionOutcome): void {
	const { context, asTool, couldNotPause } = batch;
	const run = item.run!;
	if (outcome.kind === 'failed' || outcome.kind === 'completed')
		run.save({ requests: endRequests(run.record.requests) });
	if (outcome.kind === 'failed' && !asTool) throw sessionFailedError(run);
	const json = toItemJson(context, item.itemIndex, run, outcome);
	if (couldNotPause !== undefined)
		json.warnings = [
			...((json.warnings ?? []) as string[]),
			`The execution kept running, because ${couldNotPause}.`,
		];
	writeEnd(item, { kind: 'completed', items: [json] });
	item.run = item.settings = undefined;
	item.chat?.end(toChatText(run, outcome));
}

/** Returns true if a session from the parameters was neither read nor sent anything, so a retry may continue another one. */
const isUntouched = ({ isGiven, lastReadAt }: Partial<Course>): boolean =>
	isGiven === true && lastReadAt === undefined;

function chooseNext(thrown: Error, record: SessionRecord | undefined): Failure['next'] {
	if (thrown instanceof SessionOverError)
		return wasAborted(readCourse(record).requests ?? []) ? 'nothing' : 'start';
	if (!record || record.state === 'waiting')
		return thrown instanceof IndeterminateError ? 'nothing' : 'start';
	return isUntouched(record) ? 'start' : 'continue';
}

const MIN_TRIES = 2;
const MAX_TRIES = 5;
const DEFAULT_TRIES = 3;
const DEFAULT_TRY_WAIT_MS = 1_000;

const toTried = (record: RunningRecord): AskedSession => {
	const { sessionId, dashboardUrl, origin, requests, ballots } = record;
	return { sessionId, dashboardUrl, origin, requests: endRequests(requests), ballots };
};

/** Returns the tries after this one, if Retry On Fail allows another. n8n counts anew after a pause, so the record counts. */
function nextTries(
	context: IExecuteFunctions,
	record: SessionRecord | undefined,
	next: 'start' | 'continue',
): Tries | undefined {
	const { retryOnFail, maxTries } = context.getNode();
	const execution = context.getExecutionId();
	const known = record?.tries?.execution === execution ? record.tries : undefined;
	const { count, sessions } = known ?? { count: 1, sessions: [] };
	// n8n's own limits
	const max = Math.min(MAX_TRIES, Math.max(MIN_TRIES, maxTries || DEFAULT_TRIES));
	if (!retryOnFail || count >= max) return undefined;
	const isReplaced = next === 'start' && record?.state === 'running';
	return {
		execution,
		count: count + 1,
		sessions: isReplaced ? [...sessions, toTried(record)] : sessions,
	};
}

/** Makes the item's next try, which starts another session or reads the same one again. Returns false if there's none. */
function tryAgain(batch: Batch, item: Item, next: Failure['next'], now: number): boolean {
	const { context } = batch;
	const { journal, run } = item;
	const record = journal.read();
	if (next !== 'start' && next !== 'continue') return false;
	const tries = nextTries(context, record, next);
	if (!tries || !run) return false;
	const { waitBetweenTries } = context.getNode();
	if (next === 'start') {
		const at = now + (waitBetweenTries ?? DEFAULT_TRY_WAIT_MS);
		const start = { since: now, at, failures: 0 };
		journal.write({ v: RECORD_VERSION, state: 'waiting', start, tries });
	} else {
		const { wait } = record as Partial<Course>;
		const again = { since: wait?.since ?? now, triedAt: now, failures: 1 };
		journal.write({ ...record, state: 'running', wait: again, tries } as SessionRecord);
	}
	item.settings = readSettings(batch, item);
	item.run = new SessionRun(item.settings, run.dependencies);
	return true;
}

/** Records a failure, and what a retry does about it, unless the item is tried again. */
export function failItem(batch: Batch, item: Item, thrown: Error): void {
	const { context } = batch;
	const record = item.journal.read();
	item.error = addRecord(record, describeTries(record, thrown));
	if (thrown instanceof CanceledError) return;
	const next = chooseNext(thrown, record);
	const { message } = thrown;
	const { description, context: facts } =
		item.error instanceof WorkspaceAutomationError
			? item.error
			: { description: '', context: sessionOf(record) };
	const isOver = thrown instanceof StillRunningError;
	if (item.run && !isOver && tryAgain(batch, item, next, item.run.wallTime)) {
		context.logger.info(`Retry On Fail tries again: ${message}`, { ...sessionOf(record) });
		item.error = undefined;
		return;
	}
	const execution = context.getExecutionId();
	const work = readWork(batch, item);
	const lastWords =
		work?.text && !batch.continues
			? ` The agent's last words: ${quote(work.text, MAX_LAST_WORDS)}.`
			: '';
	if (item.error instanceof WorkspaceAutomationError) item.error.description += lastWords;
	const failure = {
		message,
		description: description + lastWords,
		context: facts,
		...(work && { work }),
		next,
		execution,
	};
	writeEnd(item, { kind: 'failed', failure });
	item.run = item.settings = undefined;
	item.chat?.end(message);
}

const MAX_LAST_WORDS = 300;

/** Returns what an item's session did until the item failed. */
function readWork({ context }: Batch, { itemIndex, run }: Item): IDataObject | undefined {
	return run?.record.sessionId === undefined ? undefined : toWorkJson(context, itemIndex, run);
}

/** Adds what Retry On Fail has tried to an error. */
function describeTries(record: SessionRecord | undefined, error: Error): Error {
	const { count = 1, sessions = [] } = record?.tries ?? {};
	if (count === 1 || !(error instanceof WorkspaceAutomationError)) return error;
	error.context.earlierSessions = sessions.map(({ sessionId }) => sessionId);
	error.description += ` Retry On Fail made ${count} tries.${nameEarlier(error.context)}`;
	return error;
}

export const listFailures = (items: readonly Item[]) =>
	items.flatMap(({ itemIndex, error }) => (error ? [{ itemIndex, error }] : []));

/** Returns the failures of all items together, once all sessions have ended. A retry runs these items again. */
export function findFailure(batch: Batch): (() => Error) | undefined {
	const failures = listFailures(batch.items);
	if (failures.length === 0 || batch.continues) return undefined;
	return () => combineErrors(batch, failures);
}

const MAX_ELSEWHERE = 50;

function listStanding(record: SessionRecord | undefined, of: NamedSession['of']): NamedSession[] {
	const standing = findStanding(record);
	return standing ? [{ ...standing, of }] : [];
}

/** Returns the sessions of other entries and nodes: an error ends their wait, too. */
function listElsewhere({ engine, items }: Batch): NamedSession[] {
	const own = new Set(items.map(({ journal }) => sessionOf(journal.read()).sessionId));
	return Object.entries(engine.contexts)
		.flatMap(([key, nodeContext]) =>
			listSessionRecords(nodeContext).flatMap((record) =>
				listStanding(record, key.replace(/^node:/, '')),
			),
		)
		.filter(({ sessionId }) => !own.has(sessionId));
}

/** Returns the error of all items that failed, which names the sessions of the others. */
export const combineErrors = (batch: Batch, failures: ReturnType<typeof listFailures>): Error =>
	combineFailures(
		batch.context,
		failures,
		batch.items.flatMap(({ itemIndex, error, journal }) =>
			error ? [] : listStanding(journal.read(), itemIndex),
		),
		listElsewhere(batch).slice(0, MAX_ELSEWHERE),
	);

/** Returns whether a completed session has items that can leave. Those of a refused item stay. */
const hasItems = ({ journal, error }: Item): boolean =>
	!error && findStanding(journal.read())?.state === 'completed';

/** Returns what leaves before an error ends a retry, which might otherwise happen in each: own items, and the nodes of other entries with items. */
export function takeLeavingBefore(batch: Batch): {
	outputs: INodeExecutionData[][] | null;
	nodes: string[];
} {
	if (batch.context.getMode() !== 'retry' || !batch.canLeave) return { outputs: null, nodes: [] };
	const completed = listElsewhere(batch).filter(({ state }) => state === 'completed');
	return {
		outputs: batch.items.some(hasItems) ? takeOutputs(batch, true) : null,
		nodes: completed.map(({ of }) => String(of)),
	};
}

/** Returns whether items can leave before the other sessions have ended. */
export const hasLeaving = ({ items }: Batch, { isFailing }: Wake): boolean =>
	items.some((item) => item.asked.length > 0 || (isFailing && hasItems(item)));

/** Reads the items, and ends refused ones with On Error. Returns their errors together otherwise, before anything is sent. */
export function refuseItems(batch: Batch): (() => Error) | undefined {
	const { context, engine, continues } = batch;
	const items = (batch.items = readItems(batch));
	const refused = items.filter(
		({ refusal }) => refusal === 'request' || (refusal && (continues || !engine.isAgain)),
	);
	if (refused.length === 0) return undefined;
	if (!continues) return () => combineErrors(batch, listFailures(refused));
	for (const item of refused) {
		if (item.refusal === 'request') noteRefusedItem(context, item.journal);
		failItem(batch, item, item.error!);
	}
	return undefined;
}

/** Returns the JSON of the items with which a session that has ended leaves. */
function readEnd(
	{ context, continues }: Batch,
	{ itemIndex, journal, error }: Item,
): IDataObject[] {
	const node = context.getNode();
	const record = journal.read();
	if (record?.state !== 'ended') return [];
	const { end } = record;
	if (end.kind === 'completed') return error ? [] : ((end.items ?? []) as IDataObject[]);
	if (!error || !end.failure || !continues) return [];
	const errorFields = errorJson(node, toNodeError(node, error, itemIndex), true);
	return [{ ...errorFields, ...(end.failure.work as IDataObject | undefined) }];
}

/** Returns what tracing gets about an item until it has left, also if its session ended in an earlier run of the node. */
export function toTraced({ run, journal }: Item): Traced[] {
	const record = journal.read();
	const standing = findStanding(record);
	if (!standing) return [];
	const { sessionId, state } = standing;
	const decided = listRequests(record).filter(({ decision }) => decision);
	return [{ sessionId, status: run?.session?.status ?? state, decisions: decided.length }];
}

/** Removes from the record what has left the node. */
function forgetEnd({ journal }: Item): void {
	const record = journal.read();
	if (record?.state !== 'ended') return;
	journal.write({ ...record, end: { kind: record.end.kind } });
}

/**
 * Makes n8n put an item on the error output. It looks for `error` there, copies what can be enumerated,
 * and replaces the JSON of an item that still has the error.
 */
const toErrorOutput = (item: INodeExecutionData, error: Error): void =>
	void Object.defineProperty(item, 'error', { value: error });

/** Returns the items that leave now. As a tool, all of them are on the first output, because the model sees no other. */
export function takeOutputs(batch: Batch, isEnd: boolean): INodeExecutionData[][] {
	const { items } = batch;
	const outputs = noItems();
	const { onError } = batch.context.getNode();
	for (const item of items) {
		const put = (output: number, json: IDataObject) =>
			outputs[output].push({ json, pairedItem: { item: item.itemIndex } });
		for (const json of item.asked) put(NEEDS_APPROVAL, json);
		item.asked = [];
		if (!isEnd) continue;
		const ended = readEnd(batch, item);
		for (const json of ended) put(COMPLETED, json);
		if (item.error && ended.length > 0 && onError === 'continueErrorOutput')
			toErrorOutput(outputs[COMPLETED].slice(-1)[0], item.error);
		if (ended.length > 0) forgetEnd(item);
	}
	return outputs;
}

function toChatText(run: SessionRun, outcome: SessionOutcome): string {
	const { question, text } = toJson(run, outcome, true, false, outcome.asked?.[0]);
	return String(question ?? text);
}
