// Lists in envelopes that other services have. Where the package cannot know where the entries or the cursor are, an override says it.
import type { Dialect, DialectAnswer } from '../dialect.mts';
import { everyList, type List } from './lists.mts';

type Parts = { data: unknown[]; next: string | undefined };

/** @param answer the differences of the answer, from the entries, the next cursor (undefined at the end) and the name of the entries */
const answered = (
	summary: string,
	answer: (parts: Parts, name: string, others: object) => Partial<DialectAnswer>,
	readAt?: Record<string, string>,
): Dialect => ({
	summary,
	group: 'lists',
	answers: everyList((name) => (ours) => {
		const { object: _, has_more: __, data, next_cursor, ...others } = ours.body as List;
		return { ...ours, ...answer({ data, next: next_cursor ?? undefined }, name, others) };
	}),
	...(readAt && { readAt: everyList(() => readAt) }),
});

/** @param shape the whole body */
const shaped = (
	summary: string,
	shape: (parts: Parts, name: string) => object,
	readAt?: Record<string, string>,
): Dialect =>
	answered(
		summary,
		(parts, name, others) => ({ body: { ...others, ...shape(parts, name) } }),
		readAt,
	);

const toLink = (next: string) => `/v1/lists?cursor=${next}`;

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
		links: { next: next === undefined ? null : toLink(next) },
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
	'lists-link-header': answered(
		'A list is a bare array, and its next page a link in the header Link',
		({ data, next }) => ({
			body: data,
			...(next !== undefined && { headers: { link: `<${toLink(next)}>; rel="next"` } }),
		}),
	),
	'lists-partial-content': answered(
		'A list is a bare array, with status 206 while there are more entries',
		({ data, next }) => ({ status: next === undefined ? 200 : 206, body: data }),
	),
	'lists-links-array': shaped(
		"A list's next page is a link with rel next in links",
		({ data, next }) => ({
			data,
			links: next === undefined ? [] : [{ rel: 'next', href: toLink(next) }],
		}),
	),
	'lists-pages-next': shaped("A list's next page is a link in pages.next", ({ data, next }) => ({
		data,
		pages: { next: next === undefined ? null : toLink(next) },
	})),
	'lists-truncated': shaped(
		'A list says truncated while there are more entries, and its cursor is in marker',
		({ data, next }) => ({ data, truncated: next !== undefined, marker: next }),
		{ next_cursor: 'marker' },
	),
	'lists-last': shaped(
		'A list says last: false while there are more entries',
		({ data, next }) => ({
			data,
			last: next === undefined,
		}),
	),
} satisfies Record<string, Dialect>;
