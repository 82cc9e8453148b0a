// Lists in envelopes that other services have. Where the package cannot know where the entries or the cursor are, an override says it.
import type { Dialect, DialectAnswer } from '../dialect.mts';
import { everyList, type List } from './lists.mts';

type Parts = { data: unknown[]; next: string | undefined };

/** @param answer the differences of the answer, from the entries, the next cursor (undefined at the end) and the other fields */
const answered = (
	summary: string,
	answer: (parts: Parts, others: object) => Partial<DialectAnswer>,
	readAt?: Record<string, string>,
): Dialect => ({
	summary,
	group: 'lists',
	answers: everyList(() => (ours) => {
		const { object: _, has_more: __, data, next_cursor, ...others } = ours.body as List;
		return { ...ours, ...answer({ data, next: next_cursor ?? undefined }, others) };
	}),
	...(readAt && { readAt: everyList(() => readAt) }),
});

/** @param shape the whole body */
const shaped = (
	summary: string,
	shape: (parts: Parts) => object,
	readAt?: Record<string, string>,
): Dialect =>
	answered(summary, (parts, others) => ({ body: { ...others, ...shape(parts) } }), readAt);

const toLink = (next: string) => `/v1/lists?cursor=${next}`;

export const listShapes = {
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
} satisfies Record<string, Dialect>;
