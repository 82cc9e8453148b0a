import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { WorkspaceAutomationError, type ErrorContext } from '../../shared/errors';
import {
	acceptRecord,
	findRecord,
	fingerprintRequest,
	itemKey,
	listRecords,
	openRecord,
	readRunIndex,
	type ItemJournal,
} from '../../shared/n8n/journal';
import { nonEmptyText } from '../../shared/values';
import type { PageRecord } from '../approval/page/view';
import type { RequestOrigin } from '../approval/request';
import { isFromOwnOutput, listAncestors } from './ancestors';
import type { Ledger } from './ledger';
import type { WaitState } from './schedule';
import type { Turn } from './turn';

// Item JSON is trusted only for the ID of a session that this node itself started in this execution.

export type MessageStep = 'message' | 'comment' | 'repair';

export interface SessionRecord {
	/** `starting` from before the start request until the session's ID is known */
	intent?: 'starting' | 'started';
	/** `sending` from before the request until the response */
	messages?: Partial<Record<MessageStep, 'sending' | 'sent'>>;
	/** Number of messages that provably weren't sent. It distinguishes the attempts (`marks.ts`). */
	unsentMessages?: number;
	messageFingerprint?: string;
	sessionId?: string;
	dashboardUrl?: string;
	turn?: Turn;
	lastActivityAt?: string | number;
	lastReadAt?: number;
	ledger: Ledger;
	wait?: WaitState;
	pollCount?: number;
	origin?: Omit<RequestOrigin, 'sessionId'>;
	page?: PageRecord;
	commentAttempts?: number;
	/** Sentences for the item's `warnings` that later wakes must not lose */
	warnings?: string[];
	/** The run of the node that returned the session as completed */
	completedIn?: number;
	/** The item of an outcome that waits for the other items (Return Items Together) */
	outcome?: IDataObject;
	failure?: { message: string; description: string; context: ErrorContext };
	/** True if the service reported the session as failed, so that a retry starts another one */
	hasFailed?: boolean;
	/** True if the session has completed, and its answer doesn't fit the required format (`repair.ts`) */
	hasMisfit?: boolean;
}

export type SessionJournal = ItemJournal<SessionRecord>;

const SESSION_RECORDS = 'sessions';

export const listSessionRecords = (nodeContext: IDataObject): SessionRecord[] =>
	listRecords<SessionRecord>(nodeContext, SESSION_RECORDS);

/** Marks an item on Still Running with its record, beside its JSON, so that no parameter or node reads it by accident. */
export const SESSION_KEY = 'sessionKey';

/** Also finds a cleared record, whose session failed. */
const findByKey = (nodeContext: IDataObject, key: unknown): SessionJournal | undefined => {
	if (typeof key !== 'string') return undefined;
	const journal = openRecord<SessionRecord>(nodeContext, SESSION_RECORDS, key);
	return journal.read() || journal.clearedCount > 0 ? journal : undefined;
};

const findBySession = (nodeContext: IDataObject, sessionId: unknown): SessionJournal | undefined =>
	nonEmptyText(sessionId) === undefined
		? undefined
		: findRecord<SessionRecord>(
				nodeContext,
				SESSION_RECORDS,
				(record) => record.sessionId === sessionId,
			);

/** Returns the sessions of this node that an item descends from or carries, each once. */
function listCarriedSessions(context: IExecuteFunctions, itemIndex: number): SessionJournal[] {
	const nodeContext = context.getContext('node');
	const items = [...listAncestors(context, itemIndex), context.getInputData()[itemIndex]];
	const found = new Map<string, SessionJournal>();
	for (const { json, [SESSION_KEY]: key } of items as INodeExecutionData[]) {
		const journal = findByKey(nodeContext, key) ?? findBySession(nodeContext, json?.sessionId);
		const sessionId = journal?.read()?.sessionId;
		if (journal && sessionId !== undefined) found.set(sessionId, journal);
	}
	return [...found.values()];
}

function severalSessionsError(journals: readonly SessionJournal[]): WorkspaceAutomationError {
	const sessions = journals.map((journal) => {
		const { sessionId, dashboardUrl } = journal.read()!;
		return [sessionId, dashboardUrl].filter(Boolean).join(', ');
	});
	return new WorkspaceAutomationError(
		'This item belongs to several sessions of this node',
		`Nothing was started. The item comes from these sessions: ${sessions.join('; ')}. Connect the outputs back to this node without a node that combines items, such as Aggregate or Merge.`,
	);
}

/** Fingerprints the parameters that start or send. A retry with other parameters is another request. */
function fingerprintItem(context: IExecuteFunctions, itemIndex: number): string {
	const { operation, projectId, prompt, sessionId, message, options } = context.getNode()
		.parameters as IDataObject;
	const { body } = (options ?? {}) as IDataObject;
	const asked = { operation, projectId, prompt, sessionId, message, body };
	return fingerprintRequest(asked, context.getInputData()[itemIndex].json);
}

const describeEarlierStart = ({ sessionId }: SessionRecord) => ({
	message:
		sessionId === undefined
			? 'An earlier attempt may have started a session for this item'
			: `An earlier attempt started session ${sessionId} for this item`,
	description:
		"It had a different prompt, session or input, so nothing was started now. To wait for that session, restore the parameters and retry, or use 'Continue a Session' with its ID. To start another one, run the workflow again from the start.",
});

export const openOwnRecord = (context: IExecuteFunctions, itemIndex: number): SessionJournal =>
	openRecord(context.getContext('node'), SESSION_RECORDS, itemKey(context, itemIndex));

/**
 * Finds the item's record by its key, by run and place (for a retry), or by a session that it descends from or carries. Or opens one.
 * @returns undefined for an item that starts nothing: from Still Running without a record, or from approvers while this node waits
 * @throws WorkspaceAutomationError if the item belongs to several sessions, or if a retry asks for something else
 */
export function matchItem(
	context: IExecuteFunctions,
	itemIndex: number,
	messageFingerprint: () => string,
): SessionJournal | undefined {
	const key = context.getInputData()[itemIndex][SESSION_KEY];
	const returned = findByKey(context.getContext('node'), key);
	if (returned) return returned;
	if (isFromOwnOutput(context)) return undefined;
	const own = openOwnRecord(context, itemIndex);
	if (!own.read()) {
		const carried = listCarriedSessions(context, itemIndex);
		if (carried.length > 0 && carried.every(isAwaitingApproval)) return undefined;
		if (carried.length > 1) throw severalSessionsError(carried);
		const [journal] = carried;
		if (journal && isContinued(context, itemIndex, journal, messageFingerprint)) return journal;
	}
	const request = fingerprintItem(context, itemIndex);
	acceptRecord(context, SESSION_RECORDS, own, request, describeEarlierStart);
	return own;
}

function isAwaitingApproval(journal: SessionJournal): boolean {
	const { page, completedIn } = journal.read()!;
	return page !== undefined && completedIn === undefined;
}

function isContinued(
	context: IExecuteFunctions,
	itemIndex: number,
	journal: SessionJournal,
	messageFingerprint: () => string,
): boolean {
	if (context.getNodeParameter('operation', itemIndex) === 'start') return true;
	// Another turn of a completed session, or another message, has a separate record.
	const record = journal.read()!;
	return record.completedIn === undefined && record.messageFingerprint === messageFingerprint();
}

/** @throws WorkspaceAutomationError if an earlier run returned the session as completed: the loop would never end */
export function requireOpenSession(context: IExecuteFunctions, journal: SessionJournal): void {
	const { sessionId, dashboardUrl, completedIn } = journal.read() ?? {};
	if (completedIn === undefined || completedIn >= readRunIndex(context, 0)) return;
	throw new WorkspaceAutomationError(
		"This item's session has already completed",
		"A connection leads from 'Completed' back to the node that started the session. To send the session another message, connect to a second Run Agent Session node with 'Continue a Session'. For another session, use another node.",
		{ sessionId, dashboardUrl },
	);
}
