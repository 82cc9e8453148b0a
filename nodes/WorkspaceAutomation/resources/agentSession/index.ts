export { abort } from './abort';
export { create } from './create';
export { get } from './get';
export { resolveInteraction } from './resolveInteraction';
export { sendMessage } from './sendMessage';
