// Entries of lists, and rows, that lack what the package goes by.
import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';
import { everyList, type List } from './lists.mts';

/** The id of each entry under another name. */
const underUuid = body<List>(({ data, ...list }) => ({
	...list,
	data: data.map((entry) => {
		if (!isObject(entry)) return entry;
		const { id, ...others } = entry;
		return { uuid: id, ...others };
	}),
}));

export const entryForms = {
	'entries-without-ids': {
		summary: 'Entries of all lists have their id in uuid',
		answers: everyList(() => underUuid),
		readAt: everyList(() => ({ id: 'uuid' })),
	},
	'analytics-rows': {
		summary: 'The rows of a query are in rows',
		answers: {
			queryAnalytics: body<{ data: unknown[] }>(({ data, ...result }) => ({
				...result,
				rows: data,
			})),
		},
		readAt: { queryAnalytics: { data: 'rows' } },
	},
} satisfies Record<string, Dialect>;
