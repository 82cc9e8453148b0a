// Lists in pages. Cursors hold sequence numbers, so they stay valid if earlier entries are deleted.
import { createHash } from 'node:crypto';
import type { Stored } from './collection.mts';
import { ApiError } from './errors.mts';

export const defaultLimit = 20;

interface PageQuery {
	cursor?: string;
	limit?: number;
}

export interface ListEnvelope<T> {
	object: 'list';
	data: T[];
	has_more: boolean;
	next_cursor: string | null;
}

/** A short tag for a list and its filters: a cursor is valid for one list only. */
const getTag = (list: string) => createHash('sha256').update(list).digest('base64url').slice(0, 8);

/** Opaque to callers, and well below the 200 characters that the API document allows. */
function encodeCursor(list: string, sequence: number): string {
	return Buffer.from(`${getTag(list)}:${sequence}`).toString('base64url');
}

/** @throws ApiError `invalid_request` for anything but a cursor of this list */
function decodeCursor(list: string, cursor: string): number {
	const [tag, sequence] = Buffer.from(cursor, 'base64url').toString().split(':');
	if (tag !== getTag(list) || !/^\d{1,15}$/.test(sequence ?? '')) {
		throw new ApiError('invalid_request', 'query/cursor is not a cursor of this list');
	}
	return Number(sequence);
}

/**
 * One page of a list.
 * @param list names the list and its filters
 * @param itemsAfter yields what comes after a sequence number, in order
 * @param keep which of the items belong to the list
 */
export function page<T>(
	list: string,
	query: PageQuery,
	itemsAfter: (sequence: number) => Iterable<Stored<T>>,
	keep: (item: T) => boolean = () => true,
): ListEnvelope<T> {
	const limit = query.limit ?? defaultLimit;
	const start = query.cursor === undefined ? 0 : decodeCursor(list, query.cursor);
	const found: Array<Stored<T>> = [];
	for (const stored of itemsAfter(start)) {
		if (!keep(stored.item)) continue;
		found.push(stored);
		// One more than requested tells whether more remain
		if (found.length > limit) break;
	}
	const has_more = found.length > limit;
	const shown = found.slice(0, limit);
	return {
		object: 'list',
		data: shown.map(({ item }) => item),
		has_more,
		next_cursor: has_more ? encodeCursor(list, shown[shown.length - 1].sequence) : null,
	};
}

/** The same page with each item as the API shows it. */
export const mapPage = <T, U>(from: ListEnvelope<T>, show: (item: T) => U): ListEnvelope<U> => ({
	...from,
	data: from.data.map(show),
});
