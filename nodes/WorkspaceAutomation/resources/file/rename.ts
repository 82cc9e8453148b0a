import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { fileLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId, requireText } from '../../../shared/validate';

const showOnlyForFileRename = { resource: ['file'], operation: ['rename'] };

export const operation: INodePropertyOptions = {
	name: 'Rename',
	value: 'rename',
	action: 'Rename a file',
	description: 'Give a file or folder another name',
	routing: {
		request: { method: 'PATCH', url: '/files/{fileId}' },
		send: {
			paginate: true,
			preSend: [
				checked('File or Folder', 'fileId', requireId),
				checked('Name', 'name', requireText),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{ ...fileLocator, displayOptions: { show: showOnlyForFileRename } },
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. report-2026.md',
		description: 'The new name; it has to be unique where the file is',
		displayOptions: { show: showOnlyForFileRename },
		routing: { send: { type: 'body', property: 'name' } },
	},
];
