import type { IDataObject } from 'n8n-workflow';

import { assumedRequest, type OperationId } from './assumedRequests';
import type { components } from '../base/contract';
import { WorkspaceAutomationError } from '../base/errors';
import { LIMITS } from '../base/limits';
import type { ApiClient, SendOptions } from '../transport/apiClient';
import { isRecord } from '../base/values';
import { createRequest, readAnswer, unreadableResponse, type Values } from './operations';

/** The document allows at most 100 a page (API document, Limits). */
export const LARGEST_PAGE = 100;

type SetupRequired = components['schemas']['SetupRequired'];

export interface Page {
	data: IDataObject[];
	/** Cursor of the page after this one; undefined at the end */
	next?: string;
	/** Whether the service says that there is more, without a cursor for it */
	isIncomplete?: boolean;
	setupRequired?: SetupRequired;
}

/** A list by its operation and the values of its request */
export interface ListRequest {
	operation: OperationId;
	values?: Values;
}

/** The entries of a list: under the name the document or the override gives, the body itself, or the one array there is. */
function entriesOf(operation: OperationId, body: unknown, { overrides }: ApiClient): IDataObject[] {
	const named = readAnswer(operation, 'data', body, overrides);
	const isMoved = overrides[operation]?.answer?.data !== undefined;
	const arrays = isRecord(body) ? Object.values(body).filter(Array.isArray) : [];
	const entries = [
		named,
		...(isMoved ? [] : [body, arrays.length === 1 ? arrays[0] : undefined]),
	].find(Array.isArray);
	if (entries?.every(isRecord)) return entries as IDataObject[];
	throw unreadableResponse(operation, 'data', 'a list', body);
}

/** One page of a list. @throws WorkspaceAutomationError where the response is not a list */
export async function readPage(
	client: ApiClient,
	{ operation, values }: ListRequest,
	{ size = LARGEST_PAGE, cursor }: { size?: number; cursor?: string } = {},
	options?: SendOptions,
): Promise<Page> {
	const { overrides } = client;
	const request = createRequest(operation, { ...values, limit: size, cursor }, overrides);
	const { body } = await client.send(request, options);
	const data = entriesOf(operation, body, client);
	const answer = (name: string) => readAnswer(operation, name, body, overrides);
	const [given, hasMore] = [answer('next_cursor'), answer('has_more')];
	const next = typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
	const setupRequired =
		isRecord(body) && isRecord(body.setup_required) ? body.setup_required : undefined;
	return {
		data,
		next: hasMore === false ? undefined : next,
		isIncomplete: hasMore === true && next === undefined,
		setupRequired,
	};
}

const missingCursor = (operation: OperationId) =>
	new WorkspaceAutomationError(
		'The list is incomplete',
		`The service says that there are more entries and gives no cursor for them. If its documentation names the cursor differently, enter it under 'Overrides' in the credential: {"${operation}": {"answer": {"next_cursor": "path.to.it"}}}.`,
	);

const endless = (why: string) =>
	new WorkspaceAutomationError(
		'The list does not come to an end',
		`${why} Try again later, or with a limit.`,
	);

/** The cursor of the page after this one. @throws WorkspaceAutomationError where there is more and no cursor for it */
export function cursorAfter({ operation }: ListRequest, page: Page): string | undefined {
	if (page.isIncomplete) throw missingCursor(operation);
	return page.next;
}

/**
 * The pages of a list, no more of them than `most` entries need: each asks only for what is missing, and none is asked for
 * after the last one that is needed.
 * @throws WorkspaceAutomationError rather than end a list before its end
 */
export async function* readPages(
	client: ApiClient,
	list: ListRequest,
	most = Infinity,
	options?: SendOptions,
): AsyncGenerator<Page> {
	const seen = new Set<string>();
	let empty = 0;
	let cursor: string | undefined;
	for (let missing = most; missing > 0;) {
		const size = Math.min(LARGEST_PAGE, missing);
		const page = await readPage(client, list, { size, cursor }, options);
		missing -= page.data.length;
		yield page;
		if (missing <= 0) return;
		cursor = cursorAfter(list, page);
		if (cursor === undefined) return;
		empty = page.data.length === 0 ? empty + 1 : 0;
		if (seen.has(cursor)) throw endless('The service gave the same cursor twice.');
		if (empty >= LIMITS.emptyPages) throw endless(`The last ${empty} pages were empty.`);
		seen.add(cursor);
		if (seen.size >= LIMITS.listPages) throw endless(`It has more than ${LIMITS.listPages} pages.`);
	}
}

/** Whether the contract gives an operation a list as its response. */
export const isList = (operation: OperationId): boolean =>
	assumedRequest(operation).answer?.next_cursor !== undefined;
