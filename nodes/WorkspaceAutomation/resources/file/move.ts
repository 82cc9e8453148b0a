import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { fileLocator, folderLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';

const showOnlyForFileMove = { resource: ['file'], operation: ['move'] };

export const operation: INodePropertyOptions = {
	name: 'Move',
	value: 'move',
	action: 'Move a file',
	description: 'Put a file or folder into another folder',
	routing: {
		request: { method: 'PATCH', url: '/files/{fileId}' },
		send: {
			paginate: true,
			preSend: [
				checked('File or Folder', 'fileId', requireId),
				checked('Parent Folder', 'parentId', requireId),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{ ...fileLocator, displayOptions: { show: showOnlyForFileMove } },
	{
		...folderLocator,
		required: true,
		description: 'The folder to move it to',
		displayOptions: { show: showOnlyForFileMove },
		routing: { send: { type: 'body', property: 'parentId' } },
	},
];
