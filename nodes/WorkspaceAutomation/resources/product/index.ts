export { create } from './create';
export { getAll } from './getAll';
export { update } from './update';
