import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import type { Operation } from '../../../shared/n8n/operation';

export const getAll: Operation = {
	description: 'Get many recurring tasks',
	request: 'listTasks',
	fields: returnAllOrLimit,
};
