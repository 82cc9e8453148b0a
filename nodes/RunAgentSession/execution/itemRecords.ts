import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
	IRunExecutionData,
	ISourceData,
	ITaskData,
} from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import {
	acceptRecord,
	fingerprintRequest,
	listRecordKeys,
	listRecords,
	noteRefused,
	openRecord,
	type ItemJournal,
} from '../../shared/n8n/journal';
import { RECORD_VERSION, type KnownRecord, type SessionRecord } from '../session/record';
import { readCourse } from '../session/run';
import {
	hasOpenLink,
	latestAnswerAt,
	type AskedSession,
	type LinkAnswer,
	mergeAnswers,
} from '../requests/ballots';

// Finds the record of an item by the entry that n8n executes, and its index. Nothing is read from the item's JSON.

export type SessionJournal = ItemJournal<SessionRecord>;

const SESSION_RECORDS = 'sessions';

const isKnownVersion = ({ v }: SessionRecord): boolean => v === RECORD_VERSION;

export const listSessionRecords = (nodeContext: IDataObject): SessionRecord[] =>
	listRecords<SessionRecord>(nodeContext, SESSION_RECORDS).filter(isKnownVersion);

/** Returns whether another version of this package has left a record in a node's context. */
export const hasOtherVersion = (nodeContext: IDataObject): boolean =>
	!listRecords<SessionRecord>(nodeContext, SESSION_RECORDS).every(isKnownVersion);

export const listCourses = (nodeContext: IDataObject): KnownRecord[] =>
	listSessionRecords(nodeContext).filter(
		(record): record is KnownRecord => record.state !== 'waiting' && record.sessionId !== undefined,
	);

/** Returns whether a session of a node has an answer that no reading came after. */
export const hasUnheard = (nodeContext: IDataObject, answers: readonly LinkAnswer[]): boolean =>
	listCourses(nodeContext).some(
		({ state, ballots, heardAt = 0 }) =>
			state === 'running' && latestAnswerAt({ ballots, answers }) > heardAt,
	);

/** Returns whether an approver of a node's sessions has a link whose answer hasn't been sent. */
export const hasOpenLinks = (nodeContext: IDataObject): boolean =>
	listCourses(nodeContext).some(
		({ state, requests, ballots }) => state === 'running' && hasOpenLink(requests, ballots),
	);

/** Returns the sessions that Retry On Fail has replaced. */
export const listTriedSessions = (nodeContext: IDataObject): AskedSession[] =>
	listSessionRecords(nodeContext).flatMap(({ tries }) => tries?.sessions ?? []);

export const listSessionJournals = (nodeContext: IDataObject): SessionJournal[] =>
	listRecordKeys(nodeContext, SESSION_RECORDS).map((key) =>
		openRecord<SessionRecord>(nodeContext, SESSION_RECORDS, key),
	);

/** Returns what an error says of a record's session. */
export function sessionOf(record: SessionRecord | undefined) {
	const { sessionId, dashboardUrl } = readCourse(record);
	return { sessionId, dashboardUrl };
}

/** A session whose outcome hasn't left the node */
export interface StandingSession {
	sessionId: string;
	dashboardUrl?: string;
	state: 'running' | 'completed' | 'failed';
}

/** Returns undefined for an item without a session, and once its outcome has left. */
export function findStanding(record: SessionRecord | undefined): StandingSession | undefined {
	const { sessionId, dashboardUrl } = readCourse(record);
	const end = record?.state === 'ended' ? record.end : undefined;
	const hasLeft = end && (end.kind === 'failed' ? !end.failure : !end.items);
	if (sessionId === undefined || hasLeft) return undefined;
	return { sessionId, dashboardUrl, state: end?.kind ?? 'running' };
}

/** Fingerprints the parameters that start or send. A retry with other parameters is another request. */
function fingerprintItem(context: IExecuteFunctions, itemIndex: number): string {
	const { operation, projectId, prompt, sessionId, message, options } = context.getNode()
		.parameters as IDataObject;
	const { body } = (options ?? {}) as IDataObject;
	const requestFields = { operation, projectId, prompt, sessionId, message, body };
	return fingerprintRequest(requestFields, context.getInputData()[itemIndex].json);
}

function describeEarlierStart(record: SessionRecord): { message: string; description: string } {
	const { sessionId } = sessionOf(record);
	return {
		message:
			sessionId === undefined
				? 'An earlier attempt may have started a session for this item'
				: `An earlier attempt started session ${sessionId} for this item`,
		description:
			"It had a different prompt, session or input, so nothing was started now. To wait for that session, restore the parameters and retry, or use 'Continue a Session' with its ID. To start another one, run the workflow again from the start.",
	};
}

function requireKnownVersion(record: SessionRecord | undefined): void {
	if (record === undefined || isKnownVersion(record)) return;
	const { sessionId = 'unknown' } = record as Partial<{ sessionId: string }>;
	throw new WorkspaceAutomationError(
		'Another version of this package has left a record of this item',
		`Nothing was started. To wait for the session, use 'Continue a Session' with its ID: ${sessionId}. To start another one, run the workflow again from the start.`,
		{ sessionId: (record as Partial<{ sessionId: string }>).sessionId },
	);
}

export const openItemRecord = (
	context: IExecuteFunctions,
	entryKey: number,
	itemIndex: number,
): SessionJournal =>
	openRecord(context.getContext('node'), SESSION_RECORDS, `${entryKey}.${itemIndex}`);

/** A failure of an earlier execution doesn't count in a retry. After some of them, a retry may ask for something else. */
function reopenFailed(journal: SessionJournal, executionId: string): void {
	const record = journal.read();
	if (record?.state !== 'ended' || record.end.kind !== 'failed') return;
	const { end, ...course } = record;
	if (!end.failure || end.failure.execution === executionId) return;
	const { next } = end.failure;
	if (next === 'nothing') return;
	if (next === 'start') return journal.write(undefined);
	// A retry waits as long as the first attempt.
	const wait = { since: Date.now() };
	journal.write({ ...course, wait, state: 'running' } as SessionRecord);
}

/** Notes that an item's request was refused. With On Error, its error leaves the node only once. */
export const noteRefusedItem = (context: IExecuteFunctions, journal: SessionJournal): void =>
	noteRefused(context, SESSION_RECORDS, journal);

/**
 * Checks that an item may use its record. A retry finds the record of the earlier attempt.
 * @throws WorkspaceAutomationError if a retry asks for something else
 */
export function acceptItem(
	context: IExecuteFunctions,
	itemIndex: number,
	journal: SessionJournal,
): void {
	requireKnownVersion(journal.read());
	reopenFailed(journal, context.getExecutionId());
	const request = fingerprintItem(context, itemIndex);
	acceptRecord(context, SESSION_RECORDS, journal, request, describeEarlierStart);
}

type WithRunData = { runExecutionData?: IRunExecutionData | null };

const toPairedItems = (pairedItem: INodeExecutionData['pairedItem']): IPairedItemData[] =>
	[pairedItem ?? []].flat().map((each) => (typeof each === 'number' ? { item: each } : each));

/**
 * Returns the item of an earlier run of this node that an input item descends from, if there is one. Follows paired items. An item without
 * them descends from all items that its node got. n8n's own $getPairedItem throws if an item has several ancestors.
 */
function findOwnAncestor(
	context: IExecuteFunctions,
	itemIndex: number,
): INodeExecutionData | undefined {
	const runData = (context as WithRunData).runExecutionData?.resultData.runData ?? {};
	const { name } = context.getNode();
	const visited = new Set<string>();
	const read = ({ previousNode, previousNodeRun = 0, previousNodeOutput = 0 }: ISourceData) => {
		const task = runData[previousNode]?.[previousNodeRun] as ITaskData | undefined;
		return { task, items: task?.data?.main?.[previousNodeOutput] ?? [] };
	};
	const listAll = (source: ISourceData | null, input: number): IPairedItemData[] =>
		source ? read(source).items.map((_, item) => ({ item, input })) : [];
	const pending: Array<{ item: INodeExecutionData; sources: Array<ISourceData | null> }> = [
		{
			item: context.getInputData()[itemIndex],
			sources: context.getExecuteData().source?.main ?? [],
		},
	];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const { item, sources } = next;
		const paired = toPairedItems(item.pairedItem);
		for (const origin of paired.length > 0 ? paired : sources.flatMap(listAll)) {
			const source = origin.sourceOverwrite ?? sources[origin.input ?? 0];
			if (!source) continue;
			const { previousNode, previousNodeRun, previousNodeOutput } = source;
			const place = [previousNode, previousNodeRun, previousNodeOutput, origin.item].join(' ');
			if (visited.has(place)) continue;
			visited.add(place);
			const { task, items } = read(source);
			const previous = items[origin.item];
			if (previous && previousNode === name) return previous;
			if (previous) pending.push({ item: previous, sources: task!.source });
		}
	}
	return undefined;
}

/** Returns the error for an item that this node has returned: a connection returns it. */
export function findOwnItem(
	context: IExecuteFunctions,
	entryKey: number,
): WorkspaceAutomationError | undefined {
	for (const itemIndex of context.getInputData().keys()) {
		if (openItemRecord(context, entryKey, itemIndex).read()) continue;
		const ancestor = findOwnAncestor(context, itemIndex);
		if (ancestor) return ownItemError(ancestor.json);
	}
	return undefined;
}

function ownItemError(json: IDataObject): WorkspaceAutomationError {
	const { sessionId, dashboardUrl } = json as { sessionId?: string; dashboardUrl?: string };
	return new WorkspaceAutomationError(
		'This item comes from an output of the same node',
		`Nothing was started. Remove the connection back to the node: it keeps waiting by itself, so nothing has to be connected back. To send the session another message, use a second Run Agent Session node with 'Continue a Session'. Session ${sessionId ?? 'unknown'}${dashboardUrl ? `, ${dashboardUrl}` : ''}.`,
		{ sessionId, dashboardUrl },
	);
}

// The answers of an execution's links. Each copy that n8n has of the execution may have others, so copies are merged, and nothing is removed.

/** The data that n8n saves of an execution's nodes, and of the execution itself as `flow` */
type Contexts = Record<string, IDataObject>;

const ANSWERS_KEY = 'workspaceAutomationAnswers';

export const listAnswers = ({ flow }: Contexts): LinkAnswer[] =>
	(flow?.[ANSWERS_KEY] ?? []) as unknown as LinkAnswer[];

/** Adds answers to a copy of an execution. Returns whether there were any that it doesn't have. */
export function addAnswers(contexts: Contexts, answers: readonly LinkAnswer[]): boolean {
	const before = listAnswers(contexts);
	const after = mergeAnswers(before, answers);
	const isNew = after.some((answer) => !before.includes(answer));
	if (isNew) (contexts.flow ??= {})[ANSWERS_KEY] = after as unknown as IDataObject[];
	return isNew;
}

/** Longer than the longest pause */
const ACCEPTED_MS = 15 * 60_000;

/** What this process has accepted. Spares approvers another answer: n8n 1 confirms one before it saves it, and may save an older copy after it. */
const accepted = new Map<string, { at: number; answers: LinkAnswer[] }>();

export function acceptAnswers(
	executionId: string,
	answers: readonly LinkAnswer[],
	now: number,
): void {
	for (const [id, { at }] of accepted) if (now > at + ACCEPTED_MS) accepted.delete(id);
	const before = accepted.get(executionId)?.answers ?? [];
	accepted.set(executionId, { at: now, answers: mergeAnswers(before, answers) });
}

/** Adds what this process has accepted to a copy of an execution. Returns whether there was anything new. */
export function recallAnswers(executionId: string, contexts: Contexts): boolean {
	const known = accepted.get(executionId);
	return known !== undefined && addAnswers(contexts, known.answers);
}
