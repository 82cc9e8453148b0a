import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { taskLocator } from '../../../shared/descriptions';
import { Problem } from '../../../shared/problem';
import { checked, checkedIfAdded } from '../../../shared/routed';
import { requireId, requireString } from '../../../shared/validate';

const showOnlyForTaskUpdate = { resource: ['task'], operation: ['update'] };

function requireSome(field: string, value: unknown): void {
	if (Object.keys(value ?? {}).length > 0) return;
	throw new Problem(
		`${field} is empty`,
		'Add at least one of title, prompt, recurrence rule and emoji to change.',
	);
}

export const operation: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	action: 'Update a task',
	description: 'Change the title, prompt, recurrence or emoji of a task',
	routing: {
		request: { method: 'PATCH', url: '/tasks/{taskId}' },
		send: {
			paginate: true,
			preSend: [
				checked('Task', 'taskId', requireId),
				checked('Update Fields', 'updateFields', requireSome),
				checkedIfAdded('Title', 'updateFields', 'title', requireString),
				checkedIfAdded('Prompt', 'updateFields', 'prompt', requireString),
				checkedIfAdded('Recurrence Rule', 'updateFields', 'rrule', requireString),
				checkedIfAdded('Emoji', 'updateFields', 'emoji', requireString),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{ ...taskLocator, displayOptions: { show: showOnlyForTaskUpdate } },
	{
		displayName: 'Update Fields',
		name: 'updateFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: { show: showOnlyForTaskUpdate },
		options: [
			{
				displayName: 'Emoji',
				name: 'emoji',
				type: 'string',
				default: '',
				placeholder: 'e.g. 🧹',
				description: 'Shown beside the title',
				routing: { send: { type: 'body', property: 'emoji' } },
			},
			{
				displayName: 'Prompt',
				name: 'prompt',
				type: 'string',
				typeOptions: { rows: 4 },
				default: '',
				placeholder: 'e.g. Check every page for broken links',
				description: 'What the agent should do each time',
				routing: { send: { type: 'body', property: 'prompt' } },
			},
			{
				displayName: 'Recurrence Rule',
				name: 'rrule',
				type: 'string',
				default: '',
				placeholder: 'e.g. FREQ=DAILY;BYHOUR=7',
				description: 'When it runs, as an iCalendar recurrence rule',
				routing: { send: { type: 'body', property: 'rrule' } },
			},
			{
				displayName: 'Title',
				name: 'title',
				type: 'string',
				default: '',
				placeholder: 'e.g. Nightly link check',
				description: 'What the task is called',
				routing: { send: { type: 'body', property: 'title' } },
			},
		],
	},
];
