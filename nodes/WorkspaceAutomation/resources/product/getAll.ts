import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator, returnAllOrLimit } from '../../../shared/descriptions';
import { checked, wire } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';

const showOnlyForProductGetMany = { resource: ['product'], operation: ['getAll'] };

export const operation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many products',
	description: 'Get many products of a project',
	routing: {
		request: { method: 'GET', url: '/products' },
		send: { paginate: true, preSend: [checked('Project', 'projectId', requireId)] },
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForProductGetMany },
		routing: { send: { type: 'query', property: wire('productsProject') } },
	},
	...returnAllOrLimit(showOnlyForProductGetMany),
];
