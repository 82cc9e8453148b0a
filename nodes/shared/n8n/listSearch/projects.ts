import { listSearch } from './listSearch';

/** Projects that the key can act on. */
export const getProjects = listSearch({
	list: () => ({ operation: 'listProjects' }),
	show: ({ id, name }) => ({ value: String(id), name: String(name ?? id) }),
});
