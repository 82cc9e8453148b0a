import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator } from '../../../shared/descriptions';
import { checked, wire } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { productFields, sendProductFields } from './fields';

const showOnlyForProductCreate = { resource: ['product'], operation: ['create'] };

export const operation: INodePropertyOptions = {
	name: 'Create',
	value: 'create',
	action: 'Create a product',
	description: 'Create a product in a project',
	routing: {
		request: { method: 'POST', url: '/products' },
		send: {
			paginate: true,
			preSend: [checked('Project', 'projectId', requireId), sendProductFields],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForProductCreate },
		routing: { send: { type: 'body', property: wire('productsProject') } },
	},
	productFields(showOnlyForProductCreate),
];
