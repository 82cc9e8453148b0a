export { create } from './create';
