import { returnAllOrLimit } from '../../../shared/n8n/descriptions';
import { optionalParentId, projectId } from '../fields';
import type { Operation } from '../resource';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many files',
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
