import { boundQuery } from '../shared/analytics/query';
import type { ApiClient, OperationId, Values } from '../shared/client/operations';
import { requireEntryId, readPages, warnOfSetup, readRows } from '../shared/client/responses';
import { MAX_WATCHED_ENTRIES } from '../shared/limits';
import { queryField, queryParameters } from '../shared/n8n/commonFields';
import { createEvaluator, readParameter, type Panel } from '../shared/n8n/fields';
import type { WatchedEntry, WatchedList } from './compare';
import type { WatchedResource, TriggerEvent } from './events';
import { folder, keyColumns, productProject, projectIds, siteIds, taskIds } from './panel';
import { ConfigurationError, requireSortedJson, toEntry } from './state';

interface Watched {
	api: ApiClient;
	event: TriggerEvent;
	scope: string;
	/** On the monotonic clock */
	deadline: number;
	warn: (message: string) => void;
}

interface Source {
	/** The operation that reads it. A changed override starts a new state. */
	operation: OperationId;
	/** The watched thing. Another value starts a new state. */
	target: unknown;
	/** Time for a poll if n8n doesn't set one */
	patienceMs: number;
	read: (watched: Watched) => Promise<WatchedList[]>;
}

function requireEntryCount(count: number): void {
	if (count <= MAX_WATCHED_ENTRIES) return;
	throw new ConfigurationError(
		`There are more than ${MAX_WATCHED_ENTRIES} entries to watch`,
		"All of them are read at every poll. Watch less: choose a folder or fewer projects, or use 'Rows Found' with a query that returns fewer rows.",
	);
}

const ALL_PROJECTS = 'all projects';

async function allProjects({ api, deadline, warn }: Watched): Promise<Values[]> {
	const projects: Values[] = [];
	const options = { deadline, onSetupRequired: warnOfSetup(warn) };
	for await (const { data } of readPages(api, 'listProjects', {}, options))
		projects.push(...data.map((project) => ({ projectId: requireEntryId(project) })));
	return projects;
}

/** Reads an operation's list for each filter. `only` contains the watched IDs. If it's empty, all are watched. */
function listSource(
	operation: OperationId,
	filters: Values[] | typeof ALL_PROJECTS = [{}],
	only: string[] = [],
): Source {
	return {
		operation,
		target: [filters, only],
		patienceMs: 30_000,
		async read(watched) {
			const { api, deadline, warn, event, scope } = watched;
			const lists: WatchedList[] = [];
			let count = 0;
			for (const values of filters === ALL_PROJECTS ? await allProjects(watched) : filters) {
				const entries: WatchedEntry[] = [];
				const countBefore = count;
				let isWhole = true;
				const onSetup = ({ message }: Error) => {
					isWhole = false;
					warn(`The service asks for a set-up: ${message}`);
				};
				for await (const { data } of readPages(api, operation, values, {
					deadline,
					onSetupRequired: onSetup,
				})) {
					requireEntryCount((count += data.length));
					for (const thing of data) {
						const id = requireEntryId(thing);
						if (only.length === 0 || only.includes(id.toLowerCase()))
							entries.push(toEntry(thing, id, event, scope));
					}
				}
				const name = String(values.projectId ?? values.siteId ?? '');
				// A list is also empty if the key can no longer see it.
				lists.push({ name, entries, isWhole: isWhole && count > countBefore });
			}
			return lists;
		},
	};
}

const RESERVED_COLUMNS = ['event', 'eventId'];

export const SOURCES: Record<WatchedResource, (panel: Panel) => Source> = {
	customDomain(panel) {
		const sites = readParameter(panel, siteIds);
		return listSource(
			'listCustomDomains',
			sites.map((siteId) => ({ siteId })),
		);
	},
	file(panel) {
		const projects = readParameter(panel, projectIds);
		const parentId = readParameter(panel, folder);
		if (parentId !== undefined && projects.length !== 1)
			throw new ConfigurationError(
				"'Folder' goes with a single project",
				`A folder is in one project: choose that one under '${projectIds.displayName}', or leave 'Folder' empty.`,
			);
		const filters = projects.map((projectId) => ({ projectId, parentId }));
		return listSource('listFiles', filters.length > 0 ? filters : ALL_PROJECTS);
	},
	product(panel) {
		const projectId = readParameter(panel, productProject);
		return listSource('listProducts', projectId === undefined ? ALL_PROJECTS : [{ projectId }]);
	},
	project: () => listSource('listProjects'),
	row(panel) {
		const columns = readParameter(panel, keyColumns);
		const sql = readParameter(panel, queryField);
		const parameters = readParameter(panel, queryParameters, 'options.');
		const query = boundQuery(sql, parameters, createEvaluator(panel));
		return {
			operation: 'queryAnalytics',
			// The service lets it run for 60 s (API document, Limits), and its rows have to arrive, too.
			patienceMs: 90_000,
			// The text as written, because expressions in it may have another value at every poll.
			target: [sql, [...parameters], columns],
			async read({ api, deadline, warn, event, scope }) {
				const { body } = await api.call('queryAnalytics', { query }, { deadline });
				const rows = readRows(body, warn);
				requireEntryCount(rows.length);
				const names = Object.keys(rows[0] ?? {});
				const reservedColumn = RESERVED_COLUMNS.find((name) => names.includes(name));
				if (reservedColumn !== undefined)
					throw new ConfigurationError(
						`'Query' returns a column named ${reservedColumn}`,
						`The trigger adds a field of that name to each row. Give the column another name with AS.`,
					);
				const missing = columns.find((name) => !names.includes(name));
				if (missing !== undefined && rows.length > 0)
					throw new ConfigurationError(
						`'Key Columns' names a column that the query doesn't return: ${missing}`,
						`It returns: ${names.join(', ')}.`,
					);
				const entries = rows.map((row) => {
					const key = columns.length === 0 ? row : columns.map((name) => row[name]);
					return toEntry(row, requireSortedJson(key, 'row'), event, scope);
				});
				return [{ name: '', entries, isWhole: true }];
			},
		};
	},
	task: (panel) => listSource('listTasks', [{}], readParameter(panel, taskIds)),
};
