import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import { projectId } from '../fields';
import type { Operation } from '../resource';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many products',
	description: 'Get many products of a project',
	request: 'listProducts',
	fields: [projectId, ...returnAllOrLimit],
};
