import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import type { Operation } from '../resource';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many projects',
	description: 'Get many projects that the API key can act on',
	request: 'listProjects',
	fields: returnAllOrLimit,
};
