import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { titleOf } from '../shared/base/values';
import {
	collection,
	field,
	folderLocator,
	projectLocator,
	queryField,
	queryParameters,
	siteId,
} from '../shared/n8n/descriptions';
import { listSearch, loadOptions } from '../shared/n8n/listSearch';
import { CREDENTIAL } from '../shared/transport/credential';
import { EVENTS, eventsOf, type TriggerEvent } from './events';
import { poll } from './poll';

const showWhere = (events: TriggerEvent[], parameter = 'event') => ({
	show: { [parameter]: events.map(({ value }) => value) },
});

/** Some of the tasks or projects, or all */
const several = (
	thing: 'Task' | 'Project',
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties =>
	field(`${thing} Names or IDs`, `${thing.toLowerCase()}Ids`, 'multiOptions', [], {
		typeOptions: { loadOptionsMethod: `get${thing}Options` },
		displayOptions,
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: `All ${thing.toLowerCase()}s are watched where none is chosen`,
	});

const properties: INodeProperties[] = [
	field('Trigger On', 'event', 'options', 'fileCreated', {
		noDataExpression: true,
		options: EVENTS.map(({ value, description }) => ({ name: titleOf(value), value, description })),
	}),
	{
		displayName:
			'Every poll reads what is watched from beginning to end, with a request for each project or site and each 100 entries, or runs the query. Agent sessions cannot be watched, because the service does not list them: use Run Agent Session.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	several('Task', showWhere(eventsOf('task').filter(({ on }) => on !== 'added'))),
	several('Project', showWhere(eventsOf('file'))),
	{
		...folderLocator,
		displayOptions: showWhere(eventsOf('file')),
		description:
			'Watch only what is directly in this folder; goes with a single project. Leave it empty for all files.',
	},
	{
		...siteId,
		displayName: 'Site IDs',
		displayOptions: showWhere(eventsOf('customDomain')),
		description: `${siteId.description}; several are separated by commas`,
	},
	{
		...projectLocator,
		required: false,
		displayOptions: showWhere(eventsOf('product')),
		description: 'The project whose products are watched; leave it empty for all projects',
	},
	{ ...queryField, displayOptions: showWhere(eventsOf('row')) },
	field('Key Columns', 'keyColumns', 'string', '', {
		placeholder: 'e.g. day, domain',
		displayOptions: showWhere(eventsOf('row')),
		description:
			'The columns that tell one row from another, separated by commas. A row whose other columns change is not a new one. If empty, any change makes a row a new one.',
	}),
	collection('Options', 'options', 'Add Option', [
		field('Also Existing Ones', 'existing', 'boolean', false, {
			displayOptions: showWhere(
				EVENTS.filter(({ on }) => on === 'added'),
				'/event',
			),
			description:
				'Whether the first poll also emits what exists already, instead of only what comes after it',
		}),
		field('Max Events per Poll', 'maxEvents', 'number', 100, {
			typeOptions: { minValue: 1, numberPrecision: 0 },
			description: 'How many items a poll emits at most; the next poll emits the others',
		}),
		{ ...queryParameters, displayOptions: showWhere(eventsOf('row'), '/event') },
	]),
];

export class WorkspaceAutomationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Automation Trigger',
		name: 'workspaceAutomationTrigger',
		icon: {
			light: 'file:workspaceAutomationTrigger.svg',
			dark: 'file:workspaceAutomationTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ $parameter["event"].replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) }}',
		description:
			'Starts a workflow when a project, task, file, custom domain or product is added, changed or removed, or when an analytics query finds a row',
		defaults: { name: 'Workspace Automation Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties,
	};

	methods = { listSearch, loadOptions };

	poll = poll;
}
