import {
	folderLocator,
	projectLocator,
	queryField,
	queryParameters,
	UUID_EXAMPLE,
} from '../shared/n8n/commonFields';
import {
	choice,
	collection,
	countField,
	field,
	showFor,
	toggle,
	type Choices,
	type Field,
	textField,
} from '../shared/n8n/fields';
import { requireId, requireString } from '../shared/validation';
import { splitList, toTitle } from '../shared/values';
import { EVENTS, eventsFor, type TriggerEvent } from './events';

const showForEvents = <F extends Field>(events: TriggerEvent[], declared: F, parameter = 'event') =>
	showFor({ [parameter]: events.map(({ value }) => value) }, declared);

/** Takes comma-separated texts, or one or several from an expression. */
const splitTexts = (label: string, value: unknown): string[] =>
	[value].flat().flatMap((text) => splitList(requireString(label, text)));

/** Returns unique, sorted IDs. An expression without a value is an error, because an empty list may mean everything. */
const requireIds = (label: string, value: unknown): string[] =>
	[...new Set([value].flat().map((id) => requireId(label, id)))].sort();

const multiOptionsField = (thing: 'Task' | 'Project'): Field<string[]> =>
	field(`${thing} Names or IDs`, `${thing.toLowerCase()}Ids`, 'multiOptions', [], {
		typeOptions: { loadOptionsMethod: `get${thing}Options` },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: `If you choose none, the trigger watches all ${thing.toLowerCase()}s`,
		check: requireIds,
	});

export const event = choice(
	'Trigger On',
	'event',
	'fileCreated',
	'The event to watch for',
	Object.fromEntries(
		EVENTS.map(({ value, description }) => [value, [toTitle(value), description]]),
	) as Choices,
	{ noDataExpression: true },
);

export const taskIds = multiOptionsField('Task');
export const projectIds = multiOptionsField('Project');

export const folder: Field<string | undefined> = {
	...folderLocator,
	description: 'The folder to watch, in a single project. Leave it empty for all files.',
};

export const siteIds = textField<string[]>('Site IDs', 'siteId', {
	required: true,
	placeholder: UUID_EXAMPLE,
	description: 'The IDs of the sites, separated by commas',
	hint: 'The API lists no sites, so ask the service for the IDs.',
	check(label, value) {
		const texts = splitTexts(label, value);
		return requireIds(label, texts.length > 0 ? texts : '');
	},
});

export const productProject: Field<string | undefined> = {
	...projectLocator,
	required: false,
	description: 'The project whose products are watched. Leave it empty for all projects.',
	check: folderLocator.check,
};

export const keyColumns = textField<string[]>('Key Columns', 'keyColumns', {
	placeholder: 'e.g. day, domain',
	description: 'The columns that identify a row, separated by commas. If empty, all columns do.',
	check: splitTexts,
});

export const includeExisting = toggle(
	'Include Existing Items',
	'existing',
	false,
	'Whether the first poll also emits items that already exist',
);

export const maxEvents = countField(
	'Max Events per Poll',
	'maxEvents',
	100,
	'Maximum number of items that a poll emits. The next poll emits the others.',
);

export const triggerFields: Field[] = [
	event,
	field(
		'Each poll reads the full list: one request per project or site, plus one per 100 entries. To wait for agent sessions, use the Run Agent Session node.',
		'notice',
		'notice',
		'',
		{},
	),
	...showForEvents(
		eventsFor('task').filter(({ on }) => on !== 'added'),
		taskIds,
	),
	...showForEvents(eventsFor('file'), projectIds),
	...showForEvents(eventsFor('file'), folder),
	...showForEvents(eventsFor('customDomain'), siteIds),
	...showForEvents(eventsFor('product'), productProject),
	...showForEvents(eventsFor('row'), queryField),
	...showForEvents(eventsFor('row'), keyColumns),
	collection('Options', 'options', 'Add Option', [
		...showForEvents(
			EVENTS.filter(({ on }) => on === 'added'),
			includeExisting,
			'/event',
		),
		maxEvents,
		...showForEvents(eventsFor('row'), queryParameters, '/event'),
	]),
];
