import { productLocator, projectLocator } from '../../../shared/n8n/descriptions';
import { optionalId, requireAnyId } from '../../../shared/base/validation';
import type { Operation } from '../resource';
import { productFields, sendProductFields } from './fields';

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update product',
	description: 'Change fields of a product',
	request: 'updateProduct',
	fields: [
		{
			...projectLocator,
			required: false,
			description: 'The project of the product; fills the list of products',
			check: optionalId,
		},
		{ ...productLocator, check: requireAnyId },
		productFields,
	],
	prepare: sendProductFields,
};
