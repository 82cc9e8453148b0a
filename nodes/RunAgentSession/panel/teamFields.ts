import {
	countField,
	field,
	numberField,
	textField,
	toProperties,
	type Field,
} from '../../shared/n8n/fields';
import { requireNumber } from '../../shared/validation';
import type { Approver } from '../requests/ballots';

// The checks are in readLists.ts, which n8n doesn't need to show the panel.

const approverFields: Field[] = [
	textField('Name', 'name', {
		placeholder: 'e.g. Anna',
		description: 'The name that the approval page and the decision show',
	}),
	textField('Contact', 'contact', {
		placeholder: 'e.g. anna@example.com',
		description: 'Where your workflow sends the link, such as an email address or a Slack ID',
	}),
	field('Backup', 'isBackup', 'boolean', false, {
		description: "Whether to ask this approver only after the time of 'Ask Backups After'",
	}),
];

const approverListField = field('Approvers', 'approvers', 'json', '[]', {
	description: 'A JSON list, usually an expression. An entry is {"name", "contact", "isBackup"}.',
	placeholder: 'e.g. [{"name": "Anna", "contact": "anna@example.com"}]',
});

export const approvers: Field<Approver[]> = {
	displayName: 'Approvers',
	name: 'approvers',
	type: 'fixedCollection',
	default: {},
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Approver',
	description:
		'The people who approve. The output To Approve has an item for each of them, with a separate link.',
	isPolicy: true,
	options: [
		{ displayName: 'Approver', name: 'approver', values: toProperties(approverFields) },
		{ displayName: 'List of Approvers', name: 'list', values: toProperties([approverListField]) },
	],
};

export const approvalsNeeded = countField(
	'Approvals Needed',
	'approvalsNeeded',
	1,
	'How many approvers have to approve a request. One denial denies it.',
	{
		isPolicy: true,
		// Rounding a fraction down would need fewer approvals than were asked for.
		check: (label, number) => Math.ceil(requireNumber(label, number, 1)),
	},
);

export const remindAfter = numberField(
	'Remind After (Hours)',
	'remindAfter',
	24,
	0,
	"When to send approvers who haven't answered another item with their link",
	{ isPolicy: true },
);

export const maxReminders = countField(
	'Reminders',
	'maxReminders',
	1,
	'How often to remind each approver, each time after the time of Remind After',
	{ isPolicy: true },
);

export const askBackupsAfter = numberField(
	'Ask Backups After (Hours)',
	'askBackupsAfter',
	24,
	0,
	'When to also ask the approvers who are backups',
	{ isPolicy: true },
);

export const teamOptions: Field[] = [
	approvers,
	approvalsNeeded,
	remindAfter,
	maxReminders,
	askBackupsAfter,
];
