import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { OLDER_VERSION, VERSION_HEADER } from '../../../shared/connection';
import { taskLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';

const showOnlyForTaskGet = { resource: ['task'], operation: ['get'] };

export const operation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get a task',
	description: 'Get a recurring task; its prompt is stored but never returned',
	routing: {
		// The only version that this endpoint allows (API document, Versioning).
		request: {
			method: 'GET',
			url: '/tasks/{taskId}',
			headers: { [VERSION_HEADER]: OLDER_VERSION },
		},
		send: { paginate: true, preSend: [checked('Task', 'taskId', requireId)] },
	},
};

export const fields: INodeProperties[] = [
	{ ...taskLocator, displayOptions: { show: showOnlyForTaskGet } },
];
