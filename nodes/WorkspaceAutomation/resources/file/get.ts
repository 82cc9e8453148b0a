import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { fileLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';

const showOnlyForFileGet = { resource: ['file'], operation: ['get'] };

export const operation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get a file',
	description: 'Get what is known of a file or folder, such as its name and size',
	routing: {
		request: { method: 'GET', url: '/files/{fileId}' },
		send: { paginate: true, preSend: [checked('File or Folder', 'fileId', requireId)] },
	},
};

export const fields: INodeProperties[] = [
	{ ...fileLocator, displayOptions: { show: showOnlyForFileGet } },
];
