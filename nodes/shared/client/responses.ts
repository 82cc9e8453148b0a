import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import { MAX_PAGES, MAX_PAGE_SIZE } from '../limits';
import { excerpt, isRecord, nonEmptyText, optionalExcerpt, quote, toText } from '../values';
import { requestOverride, responseOverride } from './overrides';
import type { ApiClient, CallOptions, OperationId, Values } from './operations';
import { OPERATIONS } from './operationTable';
import type { Headers, ApiRequest, AskedResource, OperationRow } from './apiTypes';

// Reads what the API document shows: these names, this place, this type, this case.

export const isName = (value: unknown): value is string | number =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** Returns the error for a field that isn't as the API document shows it, or as we assume it. */
export function shapeError(
	field: string,
	is: string,
	value: unknown,
	advice: string,
): WorkspaceAutomationError {
	const error = new WorkspaceAutomationError(
		`"${field}" in the response isn't ${is}`,
		`${advice} The response has ${value === undefined ? 'nothing there' : quote(value)}.`,
	);
	error.kind = 'unusable';
	return error;
}

const CHECK_CACHE = 'Check the base URL in the credential, and for a cache or a proxy.';

const toKey = (id: unknown): string => String(id).toLowerCase();

/** @throws WorkspaceAutomationError that names both, if a response isn't the documented resource, or another one than was asked for */
export function requireAsked(
	{ id, shows, text }: AskedResource,
	{ effect }: Pick<ApiRequest, 'effect'>,
	values: Record<string, unknown>,
	body: unknown,
): void {
	const found = isRecord(body) ? body : {};
	const mayHave = effect === 'read' ? '' : `${effect.message}. ${effect.description} `;
	const refuse = (field: string, is: string, asked = '') =>
		shapeError(field, is, isRecord(body) ? found[field] : body, `${mayHave}${asked}${CHECK_CACHE}`);
	for (const [field, shown] of Object.entries(shows ?? {}))
		if (found[field] !== shown) throw refuse(field, JSON.stringify(shown));
	if (text !== undefined && (typeof found[text] !== 'string' || found[text] === ''))
		throw refuse(text, 'a text');
	// The document shows no fields of products.
	if (id === undefined || (!shows && found.id === undefined)) return;
	if (!isName(found.id) || toKey(found.id) !== toKey(values[id]))
		throw refuse('id', 'the one asked for', `You asked for ${quote(values[id], 100)}. `);
}

/** Reads an analytics result, and warns of another number of rows. @throws WorkspaceAutomationError if it's no such result */
export function readRows(body: unknown, warn: (message: string) => void): IDataObject[] {
	const { data, rowCount } = isRecord(body) ? body : {};
	if (!Array.isArray(data) || !data.every(isRecord))
		throw shapeError('data', 'a list of rows', isRecord(body) ? data : body, CHECK_CACHE);
	if (typeof rowCount !== 'number') throw shapeError('rowCount', 'a number', rowCount, CHECK_CACHE);
	if (rowCount !== data.length)
		warn(`The analytics query returned ${data.length} rows and says that there are ${rowCount}.`);
	return data as IDataObject[];
}

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

/** Reads the list envelope (API document, List envelope). @throws WorkspaceAutomationError that names and quotes a field of another shape */
function readEnvelope(
	api: ApiClient,
	operation: OperationId,
	body: unknown,
): { data: IDataObject[]; next: string | undefined } {
	const read = (name: string) => api.readField(operation, name, body);
	const refuse = (name: string, is: string, value: unknown) =>
		shapeError(name, is, value, responseOverride(operation, name));
	const [data, hasMore, cursor] = ['data', 'has_more', 'next_cursor'].map(read);
	if (!Array.isArray(data) || !data.every(isRecord))
		throw refuse('data', 'a list of objects', isRecord(body) ? data : body);
	if (hasMore !== undefined && typeof hasMore !== 'boolean')
		throw refuse('has_more', 'true or false', hasMore);
	const isEnd = hasMore === undefined && [undefined, null, ''].includes(cursor as null);
	if (hasMore === false || isEnd) return { data: data as IDataObject[], next: undefined };
	const next = nonEmptyText(cursor);
	if (next === undefined) throw refuse('next_cursor', 'a text', cursor);
	return { data: data as IDataObject[], next };
}

/** @throws WorkspaceAutomationError if an entry says that it's outside of the list's filter, whose name is assumed */
function checkFilter(operation: OperationId, values: Values, data: IDataObject[]): void {
	const { query = {} }: OperationRow = OPERATIONS[operation];
	for (const name of Object.keys(query).filter((each) => isName(values[each]))) {
		const asked = String(values[name]).toLowerCase();
		const isWithin = ({ [name]: found }: IDataObject) =>
			found === undefined || String(found).toLowerCase() === asked;
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

const endlessListError = (operation: OperationId, why: string) =>
	new WorkspaceAutomationError(
		'The list never ends',
		`${why} ${requestOverride(operation, 'query')}`,
	);

function assertInTime(api: ApiClient, deadline = Infinity): void {
	if (api.clock.monotonicMs() <= deadline) return;
	throw new WorkspaceAutomationError(
		'Reading the list timed out',
		"Use a smaller limit or a filter. If you chose an entry from a list, enter its ID with 'By ID' instead.",
	);
}

/**
 * Yields pages, and requests only what `limit` needs. Each page has the documented envelope, respects the filter, and has a new cursor.
 * @throws WorkspaceAutomationError if a page fails these checks, or if the list takes longer than the deadline
 */
export async function* readPages(
	api: ApiClient,
	operation: OperationId,
	values: Values,
	{ limit = Infinity, startCursor, onSetupRequired, ...options }: ListOptions = {},
): AsyncGenerator<ListPage> {
	const cursors = new Set([startCursor]);
	let cursor = startCursor;
	let count = 0;
	let first: string | undefined;
	for (;;) {
		const size = Math.min(MAX_PAGE_SIZE, limit - count);
		const { body, headers } = await api.call(
			operation,
			{ ...values, limit: size, cursor },
			options,
		);
		const { data, next } = readEnvelope(api, operation, body);
		checkFilter(operation, values, data);
		if (next !== undefined && cursors.has(next))
			throw endlessListError(operation, `The service gave the cursor ${quote(next, 50)} twice.`);
		// A service that ignores the name of the cursor sends the first page again.
		const begins = data.length > 0 ? toText(data[0].id ?? data[0]) : undefined;
		if (begins !== undefined && begins === first)
			throw endlessListError(operation, 'Two pages begin with the same entry.');
		first ??= begins;
		count += data.length;
		const setup = setupRequiredError(body);
		if (setup && onSetupRequired) onSetupRequired(setup, count === 0);
		else if (setup && count === 0) throw setup;
		cursor = count < limit ? next : undefined;
		yield { data, next: cursor, headers };
		if (cursor === undefined) return;
		if (cursors.size >= MAX_PAGES)
			throw endlessListError(operation, `It has more than ${MAX_PAGES} pages.`);
		assertInTime(api, options.deadline);
		cursors.add(cursor);
	}
}

/** Returns the ID of an entry, which only products may have in another form than a text. @throws WorkspaceAutomationError without one */
export function requireEntryId(entry: IDataObject): string {
	if (isName(entry.id)) return String(entry.id);
	throw shapeError('id', 'a text', entry.id, `Check the entry ${quote(entry)}.`);
}
