import { WorkspaceAutomationError } from '../../shared/base/errors';
import { requireId, requireString } from '../../shared/base/validation';
import { returnAllOrLimit, taskLocator } from '../../shared/n8n/descriptions';
import type { Field, Operation } from '../../shared/n8n/operation';

const taskId: Field = { ...taskLocator, check: requireId };

function requireSome(field: string, value: unknown): void {
	if (Object.keys(value ?? {}).length > 0) return;
	throw new WorkspaceAutomationError(
		`'${field}' is empty`,
		'Add at least one of title, prompt, recurrence rule and emoji to change.',
	);
}

export const task: Record<string, Operation> = {
	get: {
		description: 'Get a recurring task; its prompt is stored but never returned',
		request: 'getTask',
		fields: [taskId],
	},
	getAll: {
		description: 'Get many recurring tasks',
		request: 'listTasks',
		fields: returnAllOrLimit,
	},
	update: {
		description: 'Change the title, prompt, recurrence or emoji of a task',
		request: 'updateTask',
		fields: [
			taskId,
			{
				displayName: 'Update Fields',
				name: 'updateFields',
				type: 'collection',
				placeholder: 'Add Field',
				default: {},
				check: requireSome,
				options: [
					{
						displayName: 'Emoji',
						name: 'emoji',
						type: 'string',
						default: '',
						placeholder: 'e.g. 🧹',
						description: 'Shown beside the title',
						check: requireString,
					},
					{
						displayName: 'Prompt',
						name: 'prompt',
						type: 'string',
						typeOptions: { rows: 4 },
						default: '',
						placeholder: 'e.g. Check every page for broken links',
						description: 'What the agent should do each time',
						check: requireString,
					},
					{
						displayName: 'Recurrence Rule',
						name: 'rrule',
						type: 'string',
						default: '',
						placeholder: 'e.g. FREQ=DAILY;BYHOUR=7',
						description: 'When it runs, as an iCalendar recurrence rule',
						check: requireString,
					},
					{
						displayName: 'Title',
						name: 'title',
						type: 'string',
						default: '',
						placeholder: 'e.g. Nightly link check',
						description: 'The name of the task',
						check: requireString,
					},
				],
			},
		],
	},
};
