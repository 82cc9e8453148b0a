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
import { responseOverride, requestOverride, unreadableResponse } from './overrides';
import { findSignOfMore, type ArrivedPage } from './signsOfMore';
import {
	type ApiClient,
	type CallOptions,
	type OperationId,
	operationRow,
	type Values,
} from './operations';
import { isName } from './resource';
import type { Headers } from './types';

/** API document, Limits */
const MAX_PAGE_SIZE = 100;
const MAX_PAGES = 10_000;
/** In a row, because a service may filter out whole pages, but not forever */
const MAX_EMPTY_PAGES = 20;
const PAGINATION_KEYS = ['meta', 'page', 'pagination', 'paging', 'links', '_links'];
const NO_LIST_KEYS = [...PAGINATION_KEYS, 'setup_required'];

export interface ListOptions extends CallOptions {
	limit?: number;
	startCursor?: string;
	/** By default, the error is thrown, but only if there are no entries. */
	onSetupRequired?: (error: WorkspaceAutomationError, isEmpty: boolean) => void;
}

/** Describes a workspace by its name and its ID, which a key for it needs. */
function describeWorkspace(workspace: unknown): string | undefined {
	const { name, id } = isRecord(workspace) ? workspace : {};
	const [named, identified] = [name, id].map(nonEmptyText);
	return named && identified ? `${named} (${identified})` : (named ?? identified);
}

const MAX_WORKSPACES_LENGTH = 2_000;

/** Returns the error for a response that asks for a setup (API document, Project). */
function setupRequiredError(body: unknown): WorkspaceAutomationError | undefined {
	if (!isRecord(body) || !isRecord(body.setup_required)) return undefined;
	const { reason, message, eligible_workspaces: given } = body.setup_required;
	const workspaces = Array.isArray(given) ? given.map(describeWorkspace).filter(Boolean) : [];
	const where =
		workspaces.length > 0
			? ` Workspaces that could hold one: ${excerpt(workspaces.join(', '), MAX_WORKSPACES_LENGTH)}.`
			: '';
	return new WorkspaceAutomationError(
		optionalExcerpt(message, 500) ?? 'The API key can act on no project',
		`Create a project in the product or use the key of someone who has one.${where}`,
		{ code: optionalExcerpt(reason) },
	);
}

/** Returns a handler that throws if there are no entries, and warns otherwise. */
export const warnOfSetup =
	(warn: (text: string, message: string) => void): NonNullable<ListOptions['onSetupRequired']> =>
	(error, isEmpty) => {
		if (isEmpty) throw error;
		const message = `${error.message.replace(/\.$/, '')}. ${error.description}`;
		warn(`The service asks for a set-up: ${message}`, message);
	};

const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isYes = (value: unknown) => value === 1 || /^true$/i.test(String(value));
/** Includes a cursor of 0, which would be the beginning. */
const isNo = (value: unknown) => value === 0 || /^(?:false|0)$/i.test(String(value));

/** Returns the entries: at the documented or overridden place, the body itself, or its one list, such as `{"tasks": [...], "meta": {}}`. */
function extractItems(api: ApiClient, operation: OperationId, body: unknown): IDataObject[] {
	const named = api.readField(operation, 'data', body);
	const isOverridden = api.isOverridden(operation, 'data');
	const inBody = Object.entries(isRecord(body) ? body : {})
		.filter(([name, value]) => isObject(value) && !NO_LIST_KEYS.includes(name))
		.map(([, value]) => value);
	const [only] = inBody.length === 1 ? inBody : [];
	const places = isOverridden ? [named] : [named, body, only];
	const entries = places.find(Array.isArray);
	// Beside an empty list, another field could hold the entries.
	const isDoubtful = !isOverridden && entries?.length === 0 && inBody.length > 1;
	if (entries?.every(isRecord) && !isDoubtful) return entries as IDataObject[];
	throw unreadableResponse(operation, 'data', 'a list', body);
}

/** Throws the setup error instead if the response has no list. */
function extractItemsOr(setup: Error | undefined, extract: () => IDataObject[]): IDataObject[] {
	try {
		return extract();
	} catch (error) {
		throw setup ?? error;
	}
}

const isLink = (cursor: unknown): boolean => /^(?:https?:\/)?\/.*[?/]/.test(String(cursor));

/** Returns undefined at the proven end. @throws WorkspaceAutomationError if the end isn't proven */
function findNextCursor(api: ApiClient, operation: OperationId, page: ArrivedPage) {
	const { body, entries, size } = page;
	const given = api.readField(operation, 'next_cursor', body);
	const hasMore = api.readField(operation, 'has_more', body);
	const isOverridden = api.isOverridden(operation, 'next_cursor');
	if (isNo(hasMore) || (isOverridden && [null, ''].includes(given as null))) return undefined;
	const isUnreadable = isObject(given) || (!isOverridden && isLink(given));
	if (isName(given) && !isUnreadable && !isNo(given)) return String(given);
	// More than requested is everything, unless its number looks like a page's.
	const isFull = entries.length === size || (entries.length > size && entries.length % 50 === 0);
	const doubts: Array<[isDoubt: boolean, why: string]> = [
		[isUnreadable, `Its cursor isn't a text for the next request: ${quote(given)}.`],
		[isYes(hasMore), "The service says that there's more, and gives no cursor."],
		[isFull, "The page is full, and the service doesn't say whether there's more."],
	];
	const [, doubt] = doubts.find(([isDoubt]) => isDoubt) ?? [];
	const why = doubt ?? (isOverridden ? undefined : findSignOfMore(page));
	if (why === undefined) return undefined;
	throw new WorkspaceAutomationError(
		'The list may be incomplete',
		`${why} ${responseOverride(operation, 'next_cursor')}`,
	);
}

const endlessListError = (operation: OperationId, why: string) =>
	new WorkspaceAutomationError(
		'The list never ends',
		`${why} ${requestOverride(operation, 'query')}`,
	);

/** @throws WorkspaceAutomationError if an entry says that it's outside of the list's filter */
function checkFilter(operation: OperationId, values: Values, data: IDataObject[]): void {
	const { query = {} } = operationRow(operation);
	for (const name of Object.keys(query).filter((each) => isName(values[each]))) {
		const asked = String(values[name]).toLowerCase();
		const isWithin = (entry: IDataObject) => {
			const found = readNamedField(entry, name);
			if (found === values[name]) return true;
			// An entry that says `null` is in no folder, so it's outside of the requested one.
			return isName(found) ? String(found).toLowerCase() === asked : entry[name] !== null;
		};
		if (data.every(isWithin)) continue;
		throw new WorkspaceAutomationError(
			`The service returned entries of another ${name}`,
			`It seems to ignore '${name}' in ${operation}. ${requestOverride(operation, 'query')}`,
		);
	}
}

interface ListPage {
	data: IDataObject[];
	/** Undefined at the end, and if no more entries are needed */
	next?: string;
	headers: Headers;
}

interface Progress {
	pages: number;
	length: number;
	emptyPages: number;
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
 * Yields pages, and requests only what `limit` needs. Each page respects the filter, makes progress, and has a cursor or is provably the last.
 * @throws WorkspaceAutomationError if a page fails these checks, or if the list takes longer than the deadline
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
		const pages = (previous?.pages ?? 0) + 1;
		const whole = startCursor === undefined && { arrived: count, pages };
		const arrived = {
			...response,
			entries: data,
			size,
			previousLength: previous?.length,
			...whole,
		};
		const next = count < limit ? findNextCursor(api, operation, arrived) : undefined;
		const page: Progress = {
			pages,
			length: data.length,
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

/** @throws WorkspaceAutomationError if the entry has no ID */
export function requireEntryId(api: ApiClient, operation: OperationId, entry: unknown): string {
	const id = api.readField(operation, 'id', entry);
	if (isName(id)) return String(id);
	throw new WorkspaceAutomationError(
		'An entry of the list has no ID',
		`It is: ${quote(entry)}. ${responseOverride(operation, 'id')}`,
	);
}
