// Entries of lists, and rows, that lack what the package goes by.
import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';
import { everyList, type List } from './lists.mts';

/** The id of each entry under another name. */
const findIds = (name: string) =>
	body<List>(({ data, ...list }) => ({
		...list,
		data: data.map((entry) => {
			if (!isObject(entry)) return entry;
			const { id, ...others } = entry;
			return { [name]: id, ...others };
		}),
	}));

export const entryForms = {
	'products-without-ids': {
		summary: 'Products in a list have their id in sku',
		group: 'ids of entries',
		answers: { listProducts: findIds('sku') },
		readAt: { listProducts: { id: 'sku' } },
	},
	'entries-without-ids': {
		summary: 'Entries of all lists have their id in uuid',
		group: 'ids of entries',
		answers: everyList(() => findIds('uuid')),
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
