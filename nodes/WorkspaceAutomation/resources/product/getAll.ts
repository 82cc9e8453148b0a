import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import { projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const getAll: Operation = {
	description: 'Get many products of a project',
	request: 'listProducts',
	fields: [projectId, ...returnAllOrLimit],
};
