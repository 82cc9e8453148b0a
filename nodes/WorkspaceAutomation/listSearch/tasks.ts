import { listSearch } from '../../shared/n8n/listSearch/listSearch';

/** Tasks, with their emoji as the product shows them. */
export const getTasks = listSearch({
	list: () => ({ operation: 'listTasks' }),
	show: ({ id, title, emoji }) => ({
		value: String(id),
		name: [emoji, title ?? id].filter(Boolean).join(' '),
	}),
});
