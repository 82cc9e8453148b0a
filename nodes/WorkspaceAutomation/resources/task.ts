import { WorkspaceAutomationError } from '../../shared/errors';
import { returnAllOrLimit, taskLocator } from '../../shared/n8n/commonFields';
import { collection, textField } from '../../shared/n8n/fields';
import type { Operation } from '../../shared/n8n/sendOperation';

function requireChanges(field: string, value: unknown): void {
	if (Object.keys(value ?? {}).length > 0) return;
	throw new WorkspaceAutomationError(
		`'${field}' is empty`,
		'Add at least one of title, prompt, recurrence rule and emoji to change.',
	);
}

export const task: Record<string, Operation> = {
	get: {
		description: 'Get a recurring task. The service never returns its prompt.',
		request: 'getTask',
		fields: [taskLocator],
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
			taskLocator,
			{
				...collection('Update Fields', 'updateFields', 'Add Field', [
					textField('Emoji', 'emoji', {
						placeholder: 'e.g. 🧹',
						description: 'Shown beside the title',
					}),
					textField('Prompt', 'prompt', {
						typeOptions: { rows: 4 },
						placeholder: 'e.g. Check every page for broken links',
						description: 'The task for the agent at each run',
					}),
					textField('Recurrence Rule', 'rrule', {
						typeOptions: { rows: 2 },
						placeholder: 'e.g. FREQ=DAILY;BYHOUR=7',
						description: 'When it runs, as an iCalendar recurrence rule',
					}),
					textField('Title', 'title', {
						placeholder: 'e.g. Nightly link check',
						description: 'The name of the task',
					}),
				]),
				check: requireChanges,
			},
		],
	},
};
