export { get } from './get';
export { getAll } from './getAll';
export { update } from './update';
