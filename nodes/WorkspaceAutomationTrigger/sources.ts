import type { IDataObject } from 'n8n-workflow';

import { boundQuery } from '../shared/analytics/query';
import type { OperationId } from '../shared/api/operations';
import { idOf, readPages } from '../shared/api/pages';
import { rowsOf } from '../shared/api/answers';
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
	/** What reads it; a corrected override of it starts afresh */
	operation: OperationId;
	/** What is watched: another value starts afresh */
	target: unknown;
	/** A text that identifies a thing. @throws WorkspaceAutomationError where it has none */
	idOf: (thing: IDataObject, api: Api) => string;
	/** How long a poll may take where n8n does not say */
	patienceMs: number;
	read: (api: Api, reading: Reading) => Promise<Read[]>;
}

export interface Reading {
	/** Time, as the clock gives it, until which everything has to be read */
	deadline: number;
	warn: (message: string) => void;
}

/** A mistake of the user that the next poll would find again */
export class MistakeError extends WorkspaceAutomationError {}

/**
 * JSON with the keys of objects in order, at every depth: their order is not a change.
 * @throws MistakeError for what is nested too deeply
 */
export function stable(value: unknown, what: string): string {
	const sorted = (_key: string, part: unknown) =>
		isRecord(part)
			? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
			: part;
	let text: string | undefined;
	try {
		text = JSON.stringify(value, sorted);
	} catch {
		// A list within a list, thousands of times
	}
	if (text !== undefined) return text;
	throw new MistakeError(
		`The ${what} cannot be compared`,
		'Its values are nested too deeply. Watch something else, or remove it.',
	);
}

/** More than this is compared by something better than reading it all every minute. */
export const MOST_THINGS = 20_000;

const tooMany = () =>
	new MistakeError(
		`There are more than ${MOST_THINGS} entries to watch`,
		"All of them are read at every poll. Watch less: choose a folder or fewer projects, or use 'Rows Found' with a query that returns fewer rows.",
	);

/**
 * The lists that an operation gives, for each of the values.
 * @param only IDs of the things that are watched; all are without any
 */
function listSource(
	operation: OperationId,
	lists: Array<Record<string, string | undefined>> = [{}],
	only: string[] = [],
): Source {
	const entryId: Source['idOf'] = (thing, api) => idOf(api, operation, thing);

	return {
		operation,
		target: [lists, only],
		idOf: entryId,
		patienceMs: 30_000,
		async read(api, { deadline, warn }) {
			const read: Read[] = [];
			let count = 0;
			for (const values of lists) {
				const all: IDataObject[] = [];
				let isWhole = true;
				const onSetup = ({ message }: Error) => {
					isWhole = false;
					warn(`The service asks for a set-up: ${message}`);
				};
				for await (const { data } of readPages(api, { operation, values }, { deadline, onSetup })) {
					all.push(...data);
					count += data.length;
					if (count > MOST_THINGS) throw tooMany();
				}
				const isWatched = (id: string) => only.length === 0 || only.includes(id);
				const things = all.filter((thing) => isWatched(entryId(thing, api)));
				// What the key can no longer see looks like this too.
				read.push({ name: values.projectId ?? '', things, isWhole: isWhole && all.length > 0 });
			}
			return read;
		},
	};
}

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
		'listFiles',
		projectIds.map((projectId) => ({ projectId, parentId })),
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
		operation: 'queryAnalytics',
		// The service lets it run for 60 s (API document, Limits), and its rows have to arrive, too.
		patienceMs: 90_000,
		// As it was written: expressions in it may have another value at every poll.
		target: [
			panel.getNodeParameter('query'),
			panel.getNodeParameter('options.parameters', {}),
			columns,
		],
		idOf: (row) => stable(columns.length === 0 ? row : columns.map((name) => row[name]), 'row'),
		async read(api, { deadline, warn }) {
			const { body } = await api.call('queryAnalytics', { query }, { deadline });
			const things = rowsOf(api, body, warn);
			if (things.length > MOST_THINGS) throw tooMany();
			things.slice(0, 1).forEach(check);
			return [{ name: '', things, isWhole: true }];
		},
	};
}

/** What the panel asks to watch. @throws WorkspaceAutomationError for a mistake in it */
export const SOURCES: Record<Resource, (panel: Panel) => Source> = {
	customDomain: (panel) =>
		listSource('listCustomDomains', [
			{ siteId: requireId('Site ID', panel.getNodeParameter('siteId')) },
		]),
	file: fileSource,
	product: (panel) =>
		listSource('listProducts', [{ projectId: requireId('Project', located(panel, 'projectId')) }]),
	project: () => listSource('listProjects'),
	row: rowSource,
	task: (panel) => {
		const taskIds = panel.getNodeParameter('taskIds', []);
		return listSource('listTasks', [{}], requireIds('Task Names or IDs', taskIds));
	},
};
