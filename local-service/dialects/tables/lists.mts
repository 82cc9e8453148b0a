// Forms of lists. The document shows an envelope and does not say which lists have one.
import type { ListEnvelope } from '../../paging.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { ChangeAnswer, Dialect } from '../dialect.mts';
import { body } from './answers.mts';

export type List = ListEnvelope<unknown>;

/** Every list, with the name that its entries have */
const lists = {
	listProjects: 'projects',
	listTasks: 'tasks',
	listFiles: 'files',
	listCustomDomains: 'custom_domains',
	listProducts: 'products',
} satisfies Partial<Record<OperationId, string>>;

/** A table with an entry for every list, made from the name of its entries. */
export const everyList = <T,>(make: (name: string) => T): Record<keyof typeof lists, T> =>
	Object.fromEntries(
		Object.entries(lists).map(([operationId, name]) => [operationId, make(name)]),
		// `fromEntries` forgets the names of the keys
	) as Record<keyof typeof lists, T>;

/** Three forms of the last page without has_more. */
const lastCursors: Record<keyof typeof lists, null | '' | undefined> = {
	listProjects: undefined,
	listTasks: null,
	listFiles: '',
	listCustomDomains: undefined,
	listProducts: null,
};

const withoutHasMore = (last: null | '' | undefined): ChangeAnswer =>
	body<List>(({ has_more: _, next_cursor, ...list }) => ({
		...list,
		next_cursor: next_cursor ?? last,
	}));

export const listForms = {
	'bare-lists': {
		summary: 'A list is a bare array with every entry',
		group: 'lists',
		paging: { whole: true },
		answers: everyList(() => body<List>(({ data }) => data)),
	},
	'lists-under-other-keys': {
		summary: 'A list is named after its entries, and its cursor is in page.next',
		group: 'lists',
		answers: everyList((name) =>
			body<List>(({ object: _, has_more: __, data, next_cursor, ...others }) => ({
				...others,
				[name]: data,
				page: { next: next_cursor },
			})),
		),
		readAt: everyList((name) => ({ data: name, next_cursor: 'page.next' })),
	},
	'cursors-without-has-more': {
		summary: 'A list has a cursor while there are more entries, and no has_more',
		group: 'lists',
		answers: {
			listProjects: withoutHasMore(lastCursors.listProjects),
			listTasks: withoutHasMore(lastCursors.listTasks),
			listFiles: withoutHasMore(lastCursors.listFiles),
			listCustomDomains: withoutHasMore(lastCursors.listCustomDomains),
			listProducts: withoutHasMore(lastCursors.listProducts),
		},
	},
	'other-paging-names': {
		summary: 'Pages need page_size and after',
		group: 'paging names',
		requests: everyList(() => ({ query: { page_size: '{limit}', after: '{cursor}' } })),
	},
} satisfies Record<string, Dialect>;
