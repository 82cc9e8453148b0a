import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import { optionalParentId, projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const getAll: Operation = {
	description: 'Get many files and folders of a project',
	request: 'listFiles',
	fields: [
		projectId,
		...returnAllOrLimit,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{ ...optionalParentId, description: 'Return only what is directly in this folder' },
			],
		},
	],
};
