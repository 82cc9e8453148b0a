import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { productFields, sendProductFields } from './fields';

const showOnlyForProductUpdate = { resource: ['product'], operation: ['update'] };

export const operation: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	action: 'Update a product',
	description: 'Change fields of a product',
	routing: {
		request: { method: 'PATCH', url: '/products/{productId}' },
		send: {
			paginate: true,
			preSend: [checked('Product ID', 'productId', requireId), sendProductFields],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		displayName: 'Product ID',
		name: 'productId',
		type: 'string',
		default: '',
		required: true,
		placeholder: UUID_EXAMPLE,
		description: 'The product to change',
		displayOptions: { show: showOnlyForProductUpdate },
	},
	productFields(showOnlyForProductUpdate),
];
