import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import type { Operation } from '../resource';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many tasks',
	description: 'Get many recurring tasks',
	request: 'listTasks',
	fields: returnAllOrLimit,
};
