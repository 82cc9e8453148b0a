import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { folderLocator, projectLocator, returnAllOrLimit } from '../../../shared/descriptions';
import { checked, checkedIfAdded, wire } from '../../../shared/routed';
import { optionalId, requireId } from '../../../shared/validate';

const showOnlyForFileGetMany = { resource: ['file'], operation: ['getAll'] };

export const operation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many files',
	description: 'Get many files and folders of a project',
	routing: {
		request: { method: 'GET', url: '/files' },
		send: {
			paginate: true,
			preSend: [
				checked('Project', 'projectId', requireId),
				checkedIfAdded('Parent Folder', 'filters', 'parentId', optionalId),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForFileGetMany },
		routing: { send: { type: 'query', property: wire('filesProject') } },
	},
	...returnAllOrLimit(showOnlyForFileGetMany),
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: { show: showOnlyForFileGetMany },
		options: [
			{
				...folderLocator,
				description: 'Return only what is directly in this folder',
				routing: {
					send: {
						type: 'query',
						property: wire('filesParent'),
						value: '={{ $value || undefined }}',
					},
				},
			},
		],
	},
];
