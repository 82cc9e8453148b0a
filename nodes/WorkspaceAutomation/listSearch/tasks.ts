import { listSearch } from '../../shared/listSearch/search';

/** Tasks, with their emoji as the product shows them. */
export const getTasks = listSearch({
	request: () => ({ path: '/tasks' }),
	show: ({ id, title, emoji }) => ({
		value: String(id),
		name: [emoji, title ?? id].filter(Boolean).join(' '),
	}),
});
