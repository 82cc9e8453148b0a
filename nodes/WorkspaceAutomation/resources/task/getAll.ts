import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { returnAllOrLimit } from '../../../shared/descriptions';

const showOnlyForTaskGetMany = { resource: ['task'], operation: ['getAll'] };

export const operation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many tasks',
	description: 'Get many recurring tasks',
	routing: {
		request: { method: 'GET', url: '/tasks' },
		send: { paginate: true },
	},
};

export const fields: INodeProperties[] = returnAllOrLimit(showOnlyForTaskGetMany);
