export { deleteDomain as delete } from './delete';
export { getAll } from './getAll';
