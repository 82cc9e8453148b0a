import { listSearch } from './listSearch';

/** Projects that the key can act on. */
export const getProjects = listSearch('listProjects', ({ name }) => name);
