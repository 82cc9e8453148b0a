// Lists in envelopes that other services have. Where the package cannot know where the entries or the cursor are, an override says it.
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';
import { everyList, type List } from './lists.mts';

type Parts = { data: unknown[]; next: string | undefined };

/** @param shape the whole answer, from the entries, the next cursor (undefined at the end) and the name of the entries */
const shaped = (
	summary: string,
	shape: (parts: Parts, name: string) => object,
	readAt?: Record<string, string>,
): Dialect => ({
	summary,
	group: 'lists',
	answers: everyList((name) =>
		body<List>(({ object: _, has_more: __, data, next_cursor, ...others }) => ({
			...others,
			...shape({ data, next: next_cursor ?? undefined }, name),
		})),
	),
	...(readAt && { readAt: everyList(() => readAt) }),
});

export const listShapes = {
	'lists-next-cursor': shaped(
		'A list is named after its entries, and its cursor is in nextCursor',
		({ data, next }, name) => ({ [name]: data, nextCursor: next }),
	),
	'lists-items': shaped('A list is in items, and its cursor in page.next', ({ data, next }) => ({
		items: data,
		page: { next },
	})),
	'lists-meta': shaped("A list's cursor is in meta.next_cursor", ({ data, next }) => ({
		data,
		meta: { next_cursor: next },
	})),
	'lists-links': shaped("A list's next page is a link in links.next", ({ data, next }) => ({
		data,
		links: { next: next === undefined ? null : `/v1/lists?cursor=${next}` },
	})),
	'lists-cursor-object': shaped(
		"A list's cursor is in cursors.forward",
		({ data, next }) => ({ data, cursors: { forward: next ?? null } }),
		{ next_cursor: 'cursors.forward' },
	),
	'lists-below-data': shaped(
		'A list is in data.items, beside a list of errors',
		({ data, next }) => ({ data: { items: data, next_cursor: next }, errors: [] }),
		{ data: 'data.items', next_cursor: 'data.next_cursor' },
	),
} satisfies Record<string, Dialect>;
