import type { IDataObject } from 'n8n-workflow';

import { boundQuery } from '../shared/analytics/query';
import type { OperationId } from '../shared/api/assumedRequests';
import { entryId } from '../shared/api/entryId';
import { callOperation } from '../shared/api/nonIdempotent';
import type { Values } from '../shared/api/operations';
import { readPages } from '../shared/api/pages';
import { QUERY_MS, rowsOf } from '../shared/api/rows';
import { setupMessage } from '../shared/api/setupRequired';
import { WorkspaceAutomationError } from '../shared/base/errors';
import type { ApiClient } from '../shared/transport/apiClient';
import { optionalId, requireId } from '../shared/base/validation';
import type { Resource } from './events';

// Where the things are read that are watched: what the panel says, and then all of it from the service.

/** n8n's poll context, as far as the panel is read */
export interface Panel {
	getNodeParameter(name: string, fallback?: unknown, options?: { extractValue?: boolean }): unknown;
	evaluateExpression(expression: string): unknown;
}

/** A list as it was read */
export interface Read {
	name: string;
	things: IDataObject[];
	isWhole: boolean;
}

export interface Source {
	/** What a thing is called in messages */
	noun: string;
	/** What reads it; a corrected override of it starts afresh */
	operation: OperationId;
	/** What is watched: another value starts afresh */
	target: unknown;
	/** A text that identifies a thing. @throws WorkspaceAutomationError where it has none */
	idOf: (thing: IDataObject, client: ApiClient) => string;
	/** How long a poll may take where n8n does not say */
	patienceMs: number;
	read: (client: ApiClient, reading: Reading) => Promise<Read[]>;
}

export interface Reading {
	/** Time, as the clock gives it, until which everything has to be read */
	deadline: number;
	warn: (message: string) => void;
}

/** A mistake of the user that the next poll would find again */
export class MistakeError extends WorkspaceAutomationError {}

/** More than this is compared by something better than reading it all every minute. */
export const MOST_THINGS = 20_000;

const tooMany = () =>
	new MistakeError(
		`There are more than ${MOST_THINGS} entries to watch`,
		"All of them are read at every poll. Watch less: choose a folder or fewer projects, or use 'Rows Found' with a query that returns fewer rows.",
	);

const outOfTime = () =>
	new WorkspaceAutomationError(
		'The lists could not be read in the time that a poll has',
		'The next poll starts again. If that happens often, watch less: choose a folder or fewer projects.',
	);

/** A list to read */
interface Part {
	/** Tells the lists of a poll apart; empty where there is one */
	name: string;
	values?: Values;
}

/** Things that an operation lists: all of them, or those that are watched. */
function listSource(
	noun: string,
	operation: OperationId,
	parts: Part[],
	target: unknown = parts,
	isWatched = (_id: string) => true,
): Source {
	const idOf: Source['idOf'] = (thing, client) => entryId(client, operation, thing);

	/** Reads a list to its end. */
	async function readPart(
		{ name, values }: Part,
		client: ApiClient,
		{ deadline, warn }: Reading,
		most: number,
	): Promise<Read> {
		const all: IDataObject[] = [];
		let needsSetup = false;
		const request = { operation, values };
		for await (const { data, setupRequired } of readPages(client, request, Infinity, {
			deadline,
		})) {
			if (setupRequired) warn(`The service asks for a set-up: ${setupMessage(setupRequired)}`);
			needsSetup ||= setupRequired !== undefined;
			all.push(...data);
			if (all.length > most) throw tooMany();
			if (client.clock.now() > deadline) throw outOfTime();
		}
		const things = all.filter((thing) => isWatched(idOf(thing, client)));
		// What the key can no longer see looks like this too.
		return { name, things, isWhole: all.length > 0 && !needsSetup };
	}

	return {
		noun,
		operation,
		target,
		idOf,
		patienceMs: 30_000,
		async read(client, reading) {
			const read: Read[] = [];
			let left = MOST_THINGS;
			for (const part of parts) {
				const list = await readPart(part, client, reading, left);
				left -= list.things.length;
				read.push(list);
			}
			return read;
		},
	};
}

/** The list of what belongs to one site or project. */
const listOf = (noun: string, operation: OperationId, values: Record<string, string>): Source =>
	listSource(noun, operation, [{ name: '', values }]);

const located = (panel: Panel, name: string): unknown =>
	panel.getNodeParameter(name, undefined, { extractValue: true });

/** IDs that were chosen from a list, or come as one or several from an expression. */
function requireIds(field: string, value: unknown): string[] {
	const ids = [value ?? []].flat().map((id) => requireId(field, id));
	return [...new Set(ids)].sort();
}

function fileSource(panel: Panel): Source {
	const field = 'Project Names or IDs';
	const projectIds = requireIds(field, panel.getNodeParameter('projectIds'));
	const parentId = optionalId('Folder', located(panel, 'parentId'));
	if (projectIds.length === 0)
		throw new MistakeError(`'${field}' is empty`, 'Choose the projects whose files are watched.');
	if (parentId !== undefined && projectIds.length > 1)
		throw new MistakeError(
			"'Folder' goes with a single project",
			`A folder is in one project: choose that one under '${field}', or leave 'Folder' empty.`,
		);
	const parts = projectIds.map((projectId) => ({
		name: projectId,
		values: { projectId, parentId },
	}));
	return listSource('file', 'listFiles', parts);
}

function taskSource(panel: Panel): Source {
	const taskIds = requireIds('Task Names or IDs', panel.getNodeParameter('taskIds', []));
	const isWatched = (id: string) => taskIds.length === 0 || taskIds.includes(id);
	return listSource('task', 'listTasks', [{ name: '' }], taskIds, isWatched);
}

/** Columns that the trigger adds to a row */
const OWN_COLUMNS = ['event', 'eventId'];

function rowSource(panel: Panel): Source {
	const written = panel.getNodeParameter('keyColumns', '');
	const columns = [written ?? []]
		.flat()
		.flatMap((names) => String(names).split(','))
		.map((name) => name.trim())
		.filter(Boolean);
	const query = boundQuery(panel, (expression) => panel.evaluateExpression(expression));

	function check(row: IDataObject): void {
		const own = OWN_COLUMNS.find((name) => name in row);
		if (own !== undefined)
			throw new MistakeError(
				`'Query' returns a column named ${own}`,
				`The trigger adds a field of that name to each row. Give the column another name with AS.`,
			);
		const missing = columns.find((name) => !(name in row));
		if (missing !== undefined)
			throw new MistakeError(
				`'Key Columns' names a column that the query does not return: ${missing}`,
				`It returns: ${Object.keys(row).join(', ')}.`,
			);
	}

	return {
		noun: 'row',
		operation: 'queryAnalytics',
		patienceMs: QUERY_MS,
		// As it was written: expressions in it may have another value at every poll.
		target: [
			panel.getNodeParameter('query'),
			panel.getNodeParameter('options.parameters', {}),
			columns,
		],
		idOf: (row) => JSON.stringify(columns.length === 0 ? row : columns.map((name) => row[name])),
		async read(client, { deadline, warn }) {
			const options = { deadline, timeoutMs: QUERY_MS };
			const { body } = await callOperation(client, 'queryAnalytics', { query }, options);
			const things = rowsOf(client, body, warn);
			if (things.length > MOST_THINGS) throw tooMany();
			things.slice(0, 1).forEach(check);
			return [{ name: '', things, isWhole: true }];
		},
	};
}

/** What the panel asks to watch. @throws WorkspaceAutomationError for a mistake in it */
export const SOURCES: Record<Resource, (panel: Panel) => Source> = {
	customDomain: (panel) =>
		listOf('custom domain', 'listCustomDomains', {
			siteId: requireId('Site ID', panel.getNodeParameter('siteId')),
		}),
	file: fileSource,
	product: (panel) =>
		listOf('product', 'listProducts', {
			projectId: requireId('Project', located(panel, 'projectId')),
		}),
	project: () => listSource('project', 'listProjects', [{ name: '' }]),
	row: rowSource,
	task: taskSource,
};
