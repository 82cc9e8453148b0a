import type { IExecuteFunctions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../shared/base/errors';
import { fingerprintOf, itemRecord, placeOf, recordOf } from '../shared/n8n/executionJournal';
import { ancestorOf, comesFromItself } from '../shared/n8n/parking';
import type { Entry, Job, Journal } from './run';

// The record of an item: what a retry goes on with, and an item that comes back to the node that started its session.

/** Where the node's context keeps the records of its sessions */
export const SESSIONS = 'sessions';

/**
 * The record of the session that an item carries, itself or as what it descends from, where this node started it in this execution: however
 * the node is wired into itself, it starts no second one. One that n8n parks goes on without its message, too.
 */
export function carriedBy(context: IExecuteFunctions, itemIndex: number): Journal | undefined {
	const starts = context.getNodeParameter('operation', itemIndex) === 'start';
	for (const item of [context.getInputData()[itemIndex], ancestorOf(context, itemIndex)]) {
		const sessionId = item?.json.sessionId;
		const isIt = (entry: Entry) =>
			entry.sessionId === sessionId &&
			(starts || (entry.parked !== undefined && entry.completedIn === undefined));
		const record =
			typeof sessionId === 'string' && recordOf(context.getContext('node'), SESSIONS, isIt);
		if (record) return record;
	}
	return undefined;
}

/** Whether an item comes from where people are asked about its session, which is waited for all the while. */
export function isWaitedFor(context: IExecuteFunctions, carried: Journal | undefined): boolean {
	const { page, completedIn } = carried?.read() ?? {};
	return page !== undefined && completedIn === undefined && !comesFromItself(context);
}

/** An item's own record; where it comes back by Still Running, that of the message which it would send again, whose turn goes on. */
export function ownRecord(context: IExecuteFunctions, itemIndex: number, { target }: Job): Journal {
	const fingerprint = fingerprintOf(target.operation, target);
	const isIt = ({ sessionId, state, completedIn }: Entry, asked: string) =>
		asked === fingerprint &&
		sessionId === before?.sessionId &&
		state === 'sent' &&
		completedIn === undefined;
	const before = ancestorOf(context, itemIndex)?.json;
	const goesOn = target.operation === 'continue' && before && !before.pendingInteractions;
	const nodeContext = context.getContext('node');
	const earlier = goesOn ? recordOf(nodeContext, SESSIONS, isIt) : undefined;
	return earlier ?? itemRecord(nodeContext, SESSIONS, placeOf(context, itemIndex), fingerprint);
}

/**
 * The session of a record, to go on with.
 * @throws WorkspaceAutomationError where an earlier run handed it on as completed: a loop would go round for ever
 */
export function sessionOf(record: Journal, runIndex: number): string | undefined {
	const { sessionId, dashboardUrl, completedIn = runIndex } = record.read()!;
	if (completedIn >= runIndex) return sessionId;
	throw new WorkspaceAutomationError(
		'The session of this item has completed, and was handed on before',
		"What follows 'Completed' leads back into the node that started the session. To give the session another turn, lead it into a Run Agent Session that continues it with a message; for another session, into a node of its own.",
		{ sessionId, dashboardUrl },
	);
}
