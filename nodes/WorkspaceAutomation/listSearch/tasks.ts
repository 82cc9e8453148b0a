import { listSearch } from '../../shared/n8n/listSearch/listSearch';

/** Tasks, with their emoji as the product shows them. */
export const getTasks = listSearch('listTasks', ({ title, emoji, id }) =>
	[emoji, title ?? id].filter(Boolean).join(' '),
);
