import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { optionalId, requireId, requireText } from '../../../shared/validate';
import { optionalParent } from './parentId';

const showOnlyForCreateFolder = { resource: ['file'], operation: ['createFolder'] };

export const operation: INodePropertyOptions = {
	name: 'Create Folder',
	value: 'createFolder',
	action: 'Create a folder',
	description: 'Create a folder; an existing one of that name is left alone and reported',
	routing: {
		request: { method: 'POST', url: '/files', body: { kind: 'folder' } },
		send: {
			paginate: true,
			preSend: [
				checked('Project', 'projectId', requireId),
				checked('Name', 'name', requireText),
				checked('Parent Folder', 'parentId', optionalId),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForCreateFolder },
		routing: { send: { type: 'body', property: 'projectId' } },
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Reports',
		description: 'What the folder is called; it has to be unique where it is put',
		displayOptions: { show: showOnlyForCreateFolder },
		routing: { send: { type: 'body', property: 'name' } },
	},
	optionalParent(showOnlyForCreateFolder),
];
