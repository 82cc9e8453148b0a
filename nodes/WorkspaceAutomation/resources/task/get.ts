import { taskId } from '../fields';
import type { Operation } from '../resource';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get task',
	description: 'Get a recurring task; its prompt is stored but never returned',
	request: 'getTask',
	fields: [taskId],
};
