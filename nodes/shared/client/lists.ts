import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import {
	toText,
	excerpt,
	optionalExcerpt,
	readNamedField,
	isRecord,
	quote,
	nonEmptyText,
} from '../values';
import { answerOverride, requestOverride, unreadableResponse } from './overrides';
import {
	type ApiClient,
	type CallOptions,
	type OperationId,
	operationRow,
	type Values,
} from './operations';
import type { Headers } from './types';

// Pagination. A page is yielded only after checks, so that no list ends short and none repeats itself silently.

/** The document allows at most 100 a page (API document, Limits). */
const MAX_PAGE_SIZE = 100;
/** More than any workflow could hold */
const MAX_PAGES = 10_000;
/** In a row: a service may filter a page down to nothing, but not forever */
const MAX_EMPTY_PAGES = 20;
/** Fields with cursors and counts beside a list */
const PAGINATION_KEYS = ['meta', 'page', 'pagination', 'paging', 'links', '_links'];
/** Objects beside a list that are no list */
const NO_LIST_KEYS = [...PAGINATION_KEYS, 'setup_required'];

export interface ListOptions extends CallOptions {
	/** Entries that are needed at most; all of them by default */
	limit?: number;
	/** The cursor of an earlier page to start at */
	startCursor?: string;
	/** Called if something has to be set up. By default the error is thrown, but only if there are no entries. */
	onSetupRequired?: (error: WorkspaceAutomationError, isEmpty: boolean) => void;
}

/** Returns the error for a response that asks for a setup (API document, Project), with the service's own words; else undefined. */
function setupRequiredError(body: unknown): WorkspaceAutomationError | undefined {
	if (!isRecord(body) || !isRecord(body.setup_required)) return undefined;
	const { reason, message, eligible_workspaces: workspaces } = body.setup_required;
	const names = (Array.isArray(workspaces) ? workspaces : [])
		.map(
			(workspace) =>
				isRecord(workspace) && (nonEmptyText(workspace.name) ?? nonEmptyText(workspace.id)),
		)
		.filter(Boolean);
	const where =
		names.length > 0 ? ` Workspaces that could hold one: ${excerpt(names.join(', '))}.` : '';
	return new WorkspaceAutomationError(
		optionalExcerpt(message, 500) ?? 'The API key can act on no project',
		`Create a project in the product or use the key of someone who has one.${where}`,
		{ code: optionalExcerpt(reason) },
	);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * Returns the entries of a list: at the documented place or the override's, the body itself, or its one list. For example
 * `{"data": [{"id": "a"}], "has_more": false}`, `[{"id": "a"}]` and `{"tasks": [{"id": "a"}], "meta": {}}` have the same entries.
 */
function extractItems(api: ApiClient, operation: OperationId, body: unknown): IDataObject[] {
	const named = api.readField(operation, 'data', body);
	const others = Object.entries(isRecord(body) ? body : {})
		.filter(([name, value]) => isObject(value) && !NO_LIST_KEYS.includes(name))
		.map(([, value]) => value);
	const [only] = others.length === 1 ? others : [];
	const places = api.isOverridden(operation, 'data') ? [named] : [named, body, only];
	const entries = places.find(Array.isArray);
	if (entries?.every(isRecord)) return entries as IDataObject[];
	throw unreadableResponse(operation, 'data', 'a list', body);
}

/** Returns the entries. A response without a list says what has to be set up, if anything has. */
function extractItemsOr(setup: Error | undefined, extract: () => IDataObject[]): IDataObject[] {
	try {
		return extract();
	} catch (error) {
		throw setup ?? error;
	}
}

/** Returns the name of a field that seems to say that there's more, such as `nextPage`; undefined if there's none. */
function findPaginationHint(body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const places = [body, ...PAGINATION_KEYS.map((name) => body[name]).filter(isRecord)];
	const said = places.flatMap((place) => Object.entries(place)).filter(([, value]) => value);
	return said.find(([name]) => /next|more|cursor|after/i.test(name))?.[0];
}

/**
 * Returns the cursor of the next page, for example `c2` in `{"data": [...], "has_more": true, "next_cursor": "c2"}`, or undefined at
 * the proven end.
 * @throws WorkspaceAutomationError if the end isn't proven
 */
function findNextCursor(api: ApiClient, operation: OperationId, body: unknown, isFull: boolean) {
	const given = api.readField(operation, 'next_cursor', body);
	const hasMore = api.readField(operation, 'has_more', body);
	if (hasMore === false) return undefined;
	if (typeof given === 'string' || typeof given === 'number') return String(given);
	const more = api.isOverridden(operation, 'next_cursor') ? undefined : findPaginationHint(body);
	const doubts: Array<[isDoubt: boolean, why: string]> = [
		[isObject(given), `Its cursor isn't a text: ${quote(given)}.`],
		[hasMore === true, "The service says that there's more, and gives no cursor."],
		[more !== undefined, `The service says "${excerpt(more ?? '')}", which the node doesn't know.`],
		[isFull, "The page is full, and the service doesn't say whether there's more."],
	];
	const [, why] = doubts.find(([isDoubt]) => isDoubt) ?? [];
	if (why === undefined) return undefined;
	throw new WorkspaceAutomationError(
		'The list may be incomplete',
		`${why} ${answerOverride(operation, 'next_cursor')}`,
	);
}

const endlessListError = (operation: OperationId, why: string) =>
	new WorkspaceAutomationError(
		'The list never ends',
		`${why} ${requestOverride(operation, 'query')}`,
	);

const isUsableId = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** @throws WorkspaceAutomationError if an entry says that it's outside of the list's filter */
function checkFilter(operation: OperationId, values: Values, data: IDataObject[]): void {
	const { query = {} } = operationRow(operation);
	for (const name of Object.keys(query).filter((each) => isUsableId(values[each]))) {
		const asked = String(values[name]).toLowerCase();
		const isWithin = (found: unknown) =>
			!isUsableId(found) || String(found).toLowerCase() === asked;
		if (data.every((entry) => isWithin(readNamedField(entry, name)))) continue;
		throw new WorkspaceAutomationError(
			`The service returned entries of another ${name}`,
			`It seems to ignore '${name}' in ${operation}. ${requestOverride(operation, 'query')}`,
		);
	}
}

/** A page of a list, and its place in it */
export interface ListPage {
	data: IDataObject[];
	/** The cursor of the next page; undefined at the end, and if no more entries are needed */
	next?: string;
	headers: Headers;
}

interface Progress {
	/** Pages so far, this one included */
	pages: number;
	/** Empty pages in a row */
	emptyPages: number;
	/** The cursor that this page was requested with */
	cursor: string | undefined;
	/** The ID of the first entry, or all of it */
	firstEntry: string;
}

/** @throws WorkspaceAutomationError if a page proves that the list repeats itself */
function assertProgress(
	operation: OperationId,
	previous: Progress | undefined,
	page: Progress,
	next: string | undefined,
): void {
	if (next !== undefined && next === page.cursor)
		throw endlessListError(operation, 'The service gave the same cursor twice.');
	if (previous && page.emptyPages === 0 && page.firstEntry === previous.firstEntry)
		throw endlessListError(operation, 'Two pages begin with the same entry.');
}

/** @throws WorkspaceAutomationError if the list has no end, or none in time */
function assertNextPage(
	api: ApiClient,
	operation: OperationId,
	{ emptyPages, pages }: Progress,
	deadline: number,
): void {
	if (emptyPages >= MAX_EMPTY_PAGES)
		throw endlessListError(operation, `The last ${emptyPages} pages were empty.`);
	if (pages >= MAX_PAGES) throw endlessListError(operation, `It has more than ${MAX_PAGES} pages.`);
	if (api.clock.monotonicMs() <= deadline) return;
	throw new WorkspaceAutomationError(
		'Reading the list timed out',
		"Use a smaller limit or a filter. If you chose an entry from a list, enter its ID with 'By ID' instead.",
	);
}

/**
 * Yields the pages of a list, and requests only what `limit` entries need. Before a page is yielded, it has respected the filter and
 * made progress, and it has a cursor or is provably the last.
 * @throws WorkspaceAutomationError if one of these proofs fails, or if the list takes longer than the deadline
 */
export async function* readPages(
	api: ApiClient,
	operation: OperationId,
	values: Values,
	{ limit = Infinity, startCursor, onSetupRequired, ...options }: ListOptions = {},
): AsyncGenerator<ListPage> {
	let cursor = startCursor;
	let count = 0;
	let previous: Progress | undefined;
	for (;;) {
		const size = Math.min(MAX_PAGE_SIZE, limit - count);
		const response = await api.call(operation, { ...values, limit: size, cursor }, options);
		const setup = setupRequiredError(response.body);
		const data = extractItemsOr(setup, () => extractItems(api, operation, response.body));
		checkFilter(operation, values, data);
		count += data.length;
		if (setup && onSetupRequired) onSetupRequired(setup, count === 0);
		else if (setup && count === 0) throw setup;
		// More items than requested: the service ignores `limit` and has sent everything. Only an exact match is a full page.
		const isFull = data.length === size;
		const next = count < limit ? findNextCursor(api, operation, response.body, isFull) : undefined;
		const page: Progress = {
			pages: (previous?.pages ?? 0) + 1,
			emptyPages: data.length === 0 ? (previous?.emptyPages ?? 0) + 1 : 0,
			cursor,
			firstEntry: toText(api.readField(operation, 'id', data[0]) ?? data[0]),
		};
		assertProgress(operation, previous, page, next);
		yield { data, next, headers: response.headers };
		if (next === undefined) return;
		assertNextPage(api, operation, page, options.deadline ?? Infinity);
		cursor = next;
		previous = page;
	}
}

/** Returns the ID of an entry. @throws WorkspaceAutomationError if it has none */
export function requireEntryId(api: ApiClient, operation: OperationId, entry: unknown): string {
	const id = api.readField(operation, 'id', entry);
	if (isUsableId(id)) return String(id);
	throw new WorkspaceAutomationError(
		'An entry of the list has no ID',
		`It is: ${quote(entry)}. ${answerOverride(operation, 'id')}`,
	);
}
