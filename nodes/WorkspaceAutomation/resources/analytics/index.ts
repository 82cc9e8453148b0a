export { query } from './query';
