import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { toTitle } from '../shared/values';
import {
	collection,
	field,
	folderLocator,
	projectLocator,
	queryField,
	queryParameters,
	siteId,
} from '../shared/n8n/fields';
import { listSearch, loadOptions } from '../shared/n8n/listSearch';
import { CREDENTIAL } from '../shared/client/credential';
import { EVENTS, eventsFor, type TriggerEvent } from './events';
import { poll } from './poll';

const showForEvents = (events: TriggerEvent[], parameter = 'event') => ({
	show: { [parameter]: events.map(({ value }) => value) },
});

/** Some of the tasks or projects, or all */
const multiOptionsField = (
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

const triggerProperties: INodeProperties[] = [
	field('Trigger On', 'event', 'options', 'fileCreated', {
		noDataExpression: true,
		options: EVENTS.map(({ value, description }) => ({ name: toTitle(value), value, description })),
	}),
	{
		displayName:
			'Every poll reads what is watched from beginning to end, with a request for each project or site and each 100 entries, or runs the query. Agent sessions cannot be watched, because the service does not list them: use Run Agent Session.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	multiOptionsField('Task', showForEvents(eventsFor('task').filter(({ on }) => on !== 'added'))),
	multiOptionsField('Project', showForEvents(eventsFor('file'))),
	{
		...folderLocator,
		displayOptions: showForEvents(eventsFor('file')),
		description:
			'Watch only what is directly in this folder; goes with a single project. Leave it empty for all files.',
	},
	{
		...siteId,
		displayName: 'Site IDs',
		displayOptions: showForEvents(eventsFor('customDomain')),
		description: `${siteId.description}; several are separated by commas`,
	},
	{
		...projectLocator,
		required: false,
		displayOptions: showForEvents(eventsFor('product')),
		description: 'The project whose products are watched; leave it empty for all projects',
	},
	{ ...queryField, displayOptions: showForEvents(eventsFor('row')) },
	field('Key Columns', 'keyColumns', 'string', '', {
		placeholder: 'e.g. day, domain',
		displayOptions: showForEvents(eventsFor('row')),
		description:
			'The columns that tell one row from another, separated by commas. A row whose other columns change is not a new one. If empty, any change makes a row a new one.',
	}),
	collection('Options', 'options', 'Add Option', [
		field('Also Existing Ones', 'existing', 'boolean', false, {
			displayOptions: showForEvents(
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
		{ ...queryParameters, displayOptions: showForEvents(eventsFor('row'), '/event') },
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
		properties: triggerProperties,
	};

	methods = { listSearch, loadOptions };

	poll = poll;
}
