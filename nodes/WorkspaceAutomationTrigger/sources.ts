import type { IDataObject } from 'n8n-workflow';

import { boundQuery } from '../shared/analytics/query';
import { unreadableResponse } from '../shared/api/answers';
import type { OperationId } from '../shared/api/operations';
import { readPages, type ListRequest } from '../shared/api/pages';
import type { Api } from '../shared/api/types';
import { WorkspaceAutomationError } from '../shared/base/errors';
import { optionalId, requireId } from '../shared/base/validation';
import { isRecord } from '../shared/base/values';
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
	/** What is watched: another value starts afresh */
	target: unknown;
	/** A text that identifies a thing */
	idOf: (thing: IDataObject) => string;
	read: (api: Api, reading: Reading) => Promise<Read[]>;
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

interface NamedList extends ListRequest {
	/** Tells the lists of a poll apart; empty where there is one */
	name: string;
}

/** Reads the lists to their ends, one after the other. */
async function readLists(
	api: Api,
	lists: NamedList[],
	{ deadline, warn }: Reading,
	isWatched: (thing: IDataObject) => boolean,
): Promise<Read[]> {
	const read: Read[] = [];
	let count = 0;
	for (const list of lists) {
		const things: IDataObject[] = [];
		let hasEntries = false;
		let needsSetup = false;
		const onSetup = (error: Error) => {
			warn(`The service asks for a set-up: ${error.message}`);
			needsSetup = true;
		};
		for await (const { data } of readPages(api, list, { deadline, onSetup })) {
			hasEntries ||= data.length > 0;
			for (const thing of data) if (isWatched(thing)) things.push(thing);
			count += data.length;
			if (count > MOST_THINGS) throw tooMany();
			if (api.clock.now() > deadline) throw outOfTime();
		}
		// What the key can no longer see looks like this too.
		read.push({ name: list.name, things, isWhole: hasEntries && !needsSetup });
	}
	return read;
}

const listSource = (
	noun: string,
	lists: NamedList[],
	target: unknown = lists,
	isWatched: (thing: IDataObject) => boolean = () => true,
): Source => ({
	noun,
	target,
	idOf: ({ id }) => String(id),
	read: async (api, reading) => await readLists(api, lists, reading, isWatched),
});

/** The list of what belongs to one site or project. */
const listOf = (noun: string, operation: OperationId, values: Record<string, string>): Source =>
	listSource(noun, [{ name: '', operation, values }]);

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
	return listSource(
		'file',
		projectIds.map((projectId) => ({
			name: projectId,
			operation: 'listFiles',
			values: { projectId, parentId },
		})),
	);
}

function taskSource(panel: Panel): Source {
	const taskIds = requireIds('Task Names or IDs', panel.getNodeParameter('taskIds', []));
	return listSource(
		'task',
		[{ name: '', operation: 'listTasks' }],
		taskIds,
		({ id }) => taskIds.length === 0 || taskIds.includes(String(id)),
	);
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
		// As it was written: expressions in it may have another value at every poll.
		target: [
			panel.getNodeParameter('query'),
			panel.getNodeParameter('options.parameters', {}),
			columns,
		],
		idOf: (row) => JSON.stringify(columns.length === 0 ? row : columns.map((name) => row[name])),
		async read(api, { deadline }) {
			const { body } = await api.call('queryAnalytics', { query }, { deadline });
			const rows = isRecord(body) ? body.data : body;
			if (!Array.isArray(rows) || !rows.every(isRecord))
				throw unreadableResponse('queryAnalytics', 'data', 'rows', body);
			if (rows.length > MOST_THINGS) throw tooMany();
			const things = rows as IDataObject[];
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
	project: () => listSource('project', [{ name: '', operation: 'listProjects' }]),
	row: rowSource,
	task: taskSource,
};
