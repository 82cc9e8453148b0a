// Lists of files and products, of which the document shows no envelope, and the names in the query of each list.
import type { ListEnvelope } from '../../paging.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';

/** A table with an entry for every list. */
export const everyList = <T,>(entry: T): Partial<Record<OperationId, T>> => ({
	listProjects: entry,
	listTasks: entry,
	listFiles: entry,
	listCustomDomains: entry,
	listProducts: entry,
});

const renamed = body<ListEnvelope<unknown>>(({ data, has_more, next_cursor, ...list }) => ({
	...list,
	items: data,
	page: { more: has_more, next: next_cursor },
}));
const places = { data: 'items', has_more: 'page.more', next_cursor: 'page.next' };

export const listForms = {
	'lists-under-other-keys': {
		summary: 'Files and products are in items, and the cursor in page.next',
		answers: { listFiles: renamed, listProducts: renamed },
		readAt: { listFiles: places, listProducts: places },
	},
	'other-paging-names': {
		summary: 'Pages need page_size and after',
		group: 'paging names',
		requests: everyList({ query: { page_size: '{limit}', after: '{cursor}' } }),
	},
} satisfies Record<string, Dialect>;
