import { taskId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const get: Operation = {
	description: 'Get a recurring task; its prompt is stored but never returned',
	request: 'getTask',
	fields: [taskId],
};
