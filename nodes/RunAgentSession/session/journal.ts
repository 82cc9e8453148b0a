import type { IExecuteFunctions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import { fingerprintRequest, openRecord, itemKey, findRecord } from '../../shared/n8n/journal';
import { findAncestor, isFromOwnOutput } from './pause';
import type { SessionRecord, ItemSettings, SessionJournal } from './run';

// The record of an item: what a retry goes on with, and an item that comes back to the node that started its session.

/** Where the node's context keeps the records of its sessions */
export const SESSION_RECORDS = 'sessions';

/**
 * The record of the session that an item carries, itself or as what it descends from, where this node started it in this execution: however
 * the node is wired into itself, it starts no second one. One that n8n parks goes on without its message, too.
 */
export function findItemRecord(
	context: IExecuteFunctions,
	itemIndex: number,
): SessionJournal | undefined {
	const starts = context.getNodeParameter('operation', itemIndex) === 'start';
	for (const item of [context.getInputData()[itemIndex], findAncestor(context, itemIndex)]) {
		const sessionId = item?.json.sessionId;
		const isIt = (entry: SessionRecord) =>
			entry.sessionId === sessionId &&
			(starts || (entry.parked !== undefined && entry.completedIn === undefined));
		const record =
			typeof sessionId === 'string' &&
			findRecord(context.getContext('node'), SESSION_RECORDS, isIt);
		if (record) return record;
	}
	return undefined;
}

/** Whether an item comes from where people are asked about its session, which is waited for all the while. */
export function isAwaitingApproval(
	context: IExecuteFunctions,
	carried: SessionJournal | undefined,
): boolean {
	const { page, completedIn } = carried?.read() ?? {};
	return page !== undefined && completedIn === undefined && !isFromOwnOutput(context);
}

/** An item's own record; where it comes back by Still Running, that of the message which it would send again, whose turn goes on. */
export function openItemRecord(
	context: IExecuteFunctions,
	itemIndex: number,
	{ target }: ItemSettings,
): SessionJournal {
	const fingerprint = fingerprintRequest(target.operation, target);
	const isIt = ({ sessionId, state, completedIn }: SessionRecord, asked: string) =>
		asked === fingerprint &&
		sessionId === before?.sessionId &&
		state === 'sent' &&
		completedIn === undefined;
	const before = findAncestor(context, itemIndex)?.json;
	const goesOn = target.operation === 'continue' && before && !before.pendingInteractions;
	const nodeContext = context.getContext('node');
	const earlier = goesOn ? findRecord(nodeContext, SESSION_RECORDS, isIt) : undefined;
	return (
		earlier ?? openRecord(nodeContext, SESSION_RECORDS, itemKey(context, itemIndex), fingerprint)
	);
}

/**
 * The session of a record, to go on with.
 * @throws WorkspaceAutomationError where an earlier run handed it on as completed: a loop would go round for ever
 */
export function requireOpenSession(record: SessionJournal, runIndex: number): string | undefined {
	const { sessionId, dashboardUrl, completedIn = runIndex } = record.read()!;
	if (completedIn >= runIndex) return sessionId;
	throw new WorkspaceAutomationError(
		'The session of this item has completed, and was handed on before',
		"What follows 'Completed' leads back into the node that started the session. To give the session another turn, lead it into a Run Agent Session that continues it with a message; for another session, into a node of its own.",
		{ sessionId, dashboardUrl },
	);
}
