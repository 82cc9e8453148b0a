import { projectId } from '../fields';
import type { Operation } from '../resource';
import { productFields, sendProductFields } from './fields';

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create product',
	description: 'Create a product in a project',
	request: 'createProduct',
	fields: [projectId, productFields],
	prepare: sendProductFields,
};
