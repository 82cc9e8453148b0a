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

// Lists. What a page proves decides how it goes on: its end, its progress and its filter are proven before anything of it is handed
// on, so that no list ends short and none repeats itself in silence.

/** The document allows at most 100 a page (API document, Limits). */
const MAX_PAGE_SIZE = 100;
/** More than any workflow could hold */
const MAX_PAGES = 10_000;
/** In a row: a service may filter a page down to nothing, but not for ever */
const MAX_EMPTY_PAGES = 20;
/** What holds cursors and counts beside a list, and is no list itself */
const PAGINATION_KEYS = ['meta', 'page', 'pagination', 'paging', 'links', '_links'];

export interface ListOptions extends CallOptions {
	/** How many entries are needed at most; all of them by default */
	limit?: number;
	/** Where to begin: the cursor of an earlier page */
	startCursor?: string;
	/** Told where something has to be set up, and whether there are no entries; by default it is thrown where there are none. */
	onSetupRequired?: (error: WorkspaceAutomationError, isEmpty: boolean) => void;
}

/** The service's own words on what has to be set up (API document, Project), whatever of them there is; undefined where nothing has. */
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
		`Create a project in the product or use a key of somebody who has one.${where}`,
		{ code: optionalExcerpt(reason) },
	);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** The entries of a list: where the document or the override says, the body itself, or the one list beside no other. */
function extractItems(api: ApiClient, operation: OperationId, body: unknown): IDataObject[] {
	const named = api.readField(operation, 'data', body);
	const others = Object.entries(isRecord(body) ? body : {})
		.filter(([name, value]) => isObject(value) && !PAGINATION_KEYS.includes(name))
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

/** What else beside a list seems to say that there is more, by its name */
function findPaginationHint(body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const places = [body, ...PAGINATION_KEYS.map((name) => body[name]).filter(isRecord)];
	const said = places.flatMap((place) => Object.entries(place)).filter(([, value]) => value);
	return said.find(([name]) => /next|more|cursor|after/i.test(name))?.[0];
}

/** The cursor of the page after one, undefined at the proven end. @throws WorkspaceAutomationError where the end is not proven */
function findNextCursor(api: ApiClient, operation: OperationId, body: unknown, isFull: boolean) {
	const given = api.readField(operation, 'next_cursor', body);
	const hasMore = api.readField(operation, 'has_more', body);
	if (hasMore === false) return undefined;
	if (typeof given === 'string' || typeof given === 'number') return String(given);
	const more = api.isOverridden(operation, 'next_cursor') ? undefined : findPaginationHint(body);
	const doubts: Array<[isOne: boolean, why: string]> = [
		[isObject(given), `Its cursor is no text: ${quote(given)}.`],
		[hasMore === true, 'The service says that there is more, and gives no cursor for it.'],
		[more !== undefined, `The service says "${excerpt(more ?? '')}", which is not understood.`],
		[isFull, 'The page is full, and the service does not say whether there is more.'],
	];
	const [, why] = doubts.find(([isOne]) => isOne) ?? [];
	if (why === undefined) return undefined;
	throw new WorkspaceAutomationError(
		'The list may be incomplete',
		`${why} ${answerOverride(operation, 'next_cursor')}`,
	);
}

const endlessListError = (operation: OperationId, why: string) =>
	new WorkspaceAutomationError(
		'The list does not come to an end',
		`${why} ${requestOverride(operation, 'query')}`,
	);

const isUsableId = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** Refuses entries that say of themselves that they are not within the list's filter. */
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

/**
 * The pages of a list, no more of them than `most` entries need: each asks only for what is missing, and none is asked for
 * after the last one that is needed. `next` is the cursor of the page after it, undefined at the end.
 * @throws WorkspaceAutomationError rather than end a list before its end, repeat a part of it, or take longer than the deadline
 */
export async function* readPages(
	api: ApiClient,
	operation: OperationId,
	values: Values,
	{
		limit: most = Infinity,
		startCursor: from,
		onSetupRequired: onSetup,
		...options
	}: ListOptions = {},
): AsyncGenerator<{ data: IDataObject[]; next?: string }> {
	const { deadline = Infinity } = options;
	let [cursor, count, empty, first] = [from, 0, 0, ''];
	for (let pages = 1; ; pages++) {
		const size = Math.min(MAX_PAGE_SIZE, most - count);
		const { body } = await api.call(operation, { ...values, limit: size, cursor }, options);
		const setup = setupRequiredError(body);
		const data = extractItemsOr(setup, () => extractItems(api, operation, body));
		checkFilter(operation, values, data);
		count += data.length;
		if (setup && onSetup) onSetup(setup, count === 0);
		else if (setup && count === 0) throw setup;
		// A page of more than was asked for is no page: such a service gives all at once.
		const next =
			count < most ? findNextCursor(api, operation, body, data.length === size) : undefined;
		const start = toText(api.readField(operation, 'id', data[0]) ?? data[0]);
		if (next !== undefined && next === cursor)
			throw endlessListError(operation, 'The service gave the same cursor twice.');
		if (pages > 1 && data.length > 0 && start === first)
			throw endlessListError(operation, 'Two pages begin with the same entry.');
		yield { data, next };
		if (next === undefined) return;
		empty = data.length === 0 ? empty + 1 : 0;
		if (empty >= MAX_EMPTY_PAGES)
			throw endlessListError(operation, `The last ${empty} pages were empty.`);
		if (pages >= MAX_PAGES)
			throw endlessListError(operation, `It has more than ${MAX_PAGES} pages.`);
		if (api.clock.now() > deadline)
			throw new WorkspaceAutomationError(
				'The list takes too long to read',
				"It was not read to its end in its time. Ask for less of it, or enter an ID with 'By ID' instead of choosing it.",
			);
		cursor = next;
		first = start;
	}
}

/** The ID of an entry, for what depends on one. @throws WorkspaceAutomationError where it has none */
export function requireEntryId(api: ApiClient, operation: OperationId, entry: unknown): string {
	const id = api.readField(operation, 'id', entry);
	if (isUsableId(id)) return String(id);
	throw new WorkspaceAutomationError(
		'An entry of the list has no ID',
		`It is: ${quote(entry)}. ${answerOverride(operation, 'id')}`,
	);
}

/** The files and folders of a name that a folder lists or, without one, the project. */
export async function findFilesByName(
	api: ApiClient,
	{ projectId, parentId, name }: Values,
	options?: CallOptions,
): Promise<IDataObject[]> {
	const found: IDataObject[] = [];
	for await (const { data } of readPages(api, 'listFiles', { projectId, parentId }, options))
		found.push(...data.filter((file) => file.name === name));
	return found;
}
