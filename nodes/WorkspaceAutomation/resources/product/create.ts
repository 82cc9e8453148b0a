import { projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';
import { productFields } from './fields';

export const create: Operation = {
	description: 'Create a product in a project',
	request: 'createProduct',
	fields: [projectId, productFields],
};
