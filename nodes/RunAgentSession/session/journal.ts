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

// The journal of Run Agent Session: one record per item, and the search for an item's record. Item JSON is trusted only for the ID of a
// session that this node itself started in this execution.

/** The messages that a run may send: the item's message, a comment from the approval page, and a request for another answer */
export type MessageStep = 'message' | 'comment' | 'repair';

export interface SessionRecord {
	/** `starting` from before the start request until the session's ID is known */
	intent?: 'starting' | 'started';
	/** `sending` from before the request until the response */
	messages?: Partial<Record<MessageStep, 'sending' | 'sent'>>;
	/** The number of messages that provably weren't sent. It distinguishes the attempts (`marks.ts`). */
	unsentMessages?: number;
	/** Fingerprint of the item's message, which shows that another message is a new one */
	messageFingerprint?: string;
	sessionId?: string;
	dashboardUrl?: string;
	/** The latest message, until its turn is proven */
	turn?: Turn;
	/** `lastActivityAt` of the latest reading, and the time of the reading */
	lastActivityAt?: string | number;
	lastReadAt?: number;
	ledger: Ledger;
	wait?: WaitState;
	pollCount?: number;
	/** The facts of the approval request besides the requests, from the start */
	origin?: Omit<RequestOrigin, 'sessionId'>;
	page?: PageRecord;
	/** The number of attempts to send the comment of `page` */
	commentAttempts?: number;
	/** Sentences for the item's `warnings` that later wakes must not lose */
	warnings?: string[];
	/** The run of the node that returned the session as completed */
	completedIn?: number;
	/** The item of an outcome that waits for the other items (Return Items Together) */
	outcome?: IDataObject;
	/** A failure that waits for the other items */
	failure?: { message: string; description: string; context: ErrorContext };
	/** True if the service reported the session as failed, so that a retry starts another one */
	hasFailed?: boolean;
	/** True if the session has completed, and its answer doesn't fit the required format (`repair.ts`) */
	hasMisfit?: boolean;
}

export type SessionJournal = ItemJournal<SessionRecord>;

const SESSION_RECORDS = 'sessions';

/** Returns the records of all items of all runs, as the context has them. */
export const listSessionRecords = (nodeContext: IDataObject): SessionRecord[] =>
	listRecords<SessionRecord>(nodeContext, SESSION_RECORDS);

/**
 * Key that marks an item on Still Running with its record. The mark is beside the item's JSON, so no parameter or node reads it by
 * accident.
 */
export const SESSION_KEY = 'sessionKey';

/** Finds the record at a key. Also finds a cleared record, whose session failed. */
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

/** @throws WorkspaceAutomationError that names the sessions */
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

/** Returns a fingerprint of the parameters that start or send. A retry with other parameters is another request. */
function fingerprintItem(context: IExecuteFunctions, itemIndex: number): string {
	const { operation, projectId, prompt, sessionId, message, options } = context.getNode()
		.parameters as IDataObject;
	const { body } = (options ?? {}) as IDataObject;
	const asked = { operation, projectId, prompt, sessionId, message, body };
	return fingerprintRequest(asked, context.getInputData()[itemIndex].json);
}

const describeEarlierStart = ({ sessionId, dashboardUrl }: SessionRecord) => ({
	message:
		sessionId === undefined
			? 'An earlier attempt may have started a session for this item'
			: `An earlier attempt started session ${sessionId} for this item`,
	description: `It had a different prompt, session or input, so nothing was started now.${dashboardUrl ? ` The session: ${dashboardUrl}.` : ''} To wait for that session, restore the parameters and retry, or use 'Continue a Session' with its ID. To start another one, run the workflow again from the start.`,
});

/**
 * Finds the record of an item, or opens a new one.
 * 1. An item from Still Running has its key.
 * 2. A retry finds the record of the same run and item.
 * 3. An item that descends from a session of this node, or carries its ID, continues that session.
 * @returns undefined for an item from Still Running without a record: it starts nothing
 * @throws WorkspaceAutomationError if the item belongs to several sessions, or if a retry asks for something else
 */
export function matchItem(
	context: IExecuteFunctions,
	itemIndex: number,
	messageFingerprint: () => string,
): SessionJournal | undefined {
	const nodeContext = context.getContext('node');
	const returned = findByKey(nodeContext, context.getInputData()[itemIndex][SESSION_KEY]);
	if (returned) return returned;
	if (isFromOwnOutput(context)) return undefined;
	const own = openRecord<SessionRecord>(nodeContext, SESSION_RECORDS, itemKey(context, itemIndex));
	if (!own.read()) {
		const carried = findCarried(context, itemIndex, messageFingerprint);
		if (carried) return carried;
	}
	const request = fingerprintItem(context, itemIndex);
	acceptRecord(context, SESSION_RECORDS, own, request, describeEarlierStart);
	return own;
}

/** Finds the session that an item continues because it descends from it or carries its ID. */
function findCarried(
	context: IExecuteFunctions,
	itemIndex: number,
	messageFingerprint: () => string,
): SessionJournal | undefined {
	const carried = listCarriedSessions(context, itemIndex);
	if (carried.length > 1) throw severalSessionsError(carried);
	const [journal] = carried;
	if (!journal) return undefined;
	if (context.getNodeParameter('operation', itemIndex) === 'start') return journal;
	// Another turn of a completed session, or another message, has a separate record.
	const record = journal.read()!;
	const isSame =
		record.completedIn === undefined && record.messageFingerprint === messageFingerprint();
	return isSame ? journal : undefined;
}

/** Returns whether an item comes from the node that asks for approval, while this node already waits for its session. */
export function isAwaitingApproval(context: IExecuteFunctions, journal: SessionJournal): boolean {
	const { page, completedIn } = journal.read() ?? {};
	return page !== undefined && completedIn === undefined && !isFromOwnOutput(context);
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
