import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addSession, WorkspaceAutomationError } from '../../shared/errors';
import type { ChatStream } from '../../shared/n8n/chatStream';
import type { ExecutionLedger } from '../../shared/n8n/ledger';
import { readItemSettings } from '../panel/read';
import type { Failure, SessionRecord } from '../session/record';
import type { ItemSettings, OutputFormat, RunResult } from '../session/types';
import type { Engine } from './engine';
import { acceptItem, openItemRecord, sessionOf, type SessionJournal } from './journal';

export interface Item {
	itemIndex: number;
	journal: SessionJournal;
	/** Missing if the session has ended, or if the settings are invalid */
	settings?: ItemSettings;
	/** The chat of the user, if n8n streams */
	chat?: ChatStream;
	error?: Error;
	/** What is wrong with an item that can't be run: it asks for something else than an earlier attempt, or its settings are invalid */
	refusal?: 'request' | 'settings';
	/** How far the session came in this run of the node */
	result?: RunResult;
	/** The JSON of items that ask approvers */
	asked: IDataObject[];
}

/** The items of one entry, from the first run of the node to the last. */
export interface Batch {
	context: IExecuteFunctions;
	engine: Engine;
	asTool: boolean;
	/** True if the execution pauses while sessions run */
	pauses: boolean;
	/** True if it should, and this n8n can't */
	couldNotPause: boolean;
	/** True if items can leave while sessions run */
	canLeave: boolean;
	/** True if completed items leave before the others have ended */
	returnsEarly: boolean;
	/** True if an item that fails becomes an item with its error */
	continues: boolean;
	items: Item[];
	ledger: ExecutionLedger;
	format?: OutputFormat;
}

/** Reads all items with their records. An item that can't be run has an error. */
export function readItems(batch: Batch): Item[] {
	const items = batch.context
		.getInputData()
		.map((_, itemIndex): Item => readItem(batch, itemIndex));
	refuseSharedSessions(items);
	return items;
}

function readItem(batch: Batch, itemIndex: number): Item {
	const { context, engine } = batch;
	const journal = openItemRecord(context, engine, itemIndex);
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

const toError = ({ message, description, context }: Failure): WorkspaceAutomationError =>
	new WorkspaceAutomationError(message, description, context);

/** Reads the parameters. A session of an earlier attempt or run of the node continues. */
function readSettings(
	{ context, pauses, asTool }: Batch,
	{ itemIndex, journal }: Item,
): ItemSettings {
	const record = journal.read();
	const earlier =
		record?.state === 'running'
			? { sessionId: record.sessionId, isMessageSent: record.messages?.message === 'sent' }
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
		bySession.set(target.sessionId, [...(bySession.get(target.sessionId) ?? []), item]);
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
