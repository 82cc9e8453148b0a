import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { returnAllOrLimit } from '../../../shared/descriptions';

const showOnlyForProjectGetMany = { resource: ['project'], operation: ['getAll'] };

export const operation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many projects',
	description: 'Get many projects that the key can act on',
	routing: {
		request: { method: 'GET', url: '/projects' },
		send: { paginate: true },
	},
};

export const fields: INodeProperties[] = returnAllOrLimit(showOnlyForProjectGetMany);
