import { listSearch } from './search';

/** Projects that the key can act on. */
export const getProjects = listSearch({
	request: () => ({ path: '/projects' }),
	show: ({ id, name }) => ({ value: String(id), name: String(name ?? id) }),
});
