import { productLocator, projectLocator } from '../../../shared/n8n/descriptions';
import { optionalId, requireAnyId } from '../../../shared/base/validation';
import type { Operation } from '../../../shared/n8n/operation';
import { productFields } from './fields';

export const update: Operation = {
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
};
