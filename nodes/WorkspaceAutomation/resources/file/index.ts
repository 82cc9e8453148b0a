export { create } from './create';
export { createFolder } from './createFolder';
export { get } from './get';
export { getAll } from './getAll';
export { getContent } from './getContent';
export { move } from './move';
export { rename } from './rename';
