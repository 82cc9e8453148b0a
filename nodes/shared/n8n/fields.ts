import type {
	INodeProperties,
	INodePropertyMode,
	INodePropertyModeValidation,
	NodePropertyTypes,
} from 'n8n-workflow';

import { DASHBOARD_URL_PATTERN } from '../client/session';
import { UUID } from '../validation';

// How a field of a panel is written, and fields that more than one operation or node shows.

/** A field has a label, the name under which workflows keep it, a type, a default, and what it is for. */
export const field = (
	displayName: string,
	name: string,
	type: NodePropertyTypes,
	value: INodeProperties['default'],
	more: Partial<INodeProperties>,
): INodeProperties => ({ displayName, name, type, default: value, ...more });

/** Fields that people add one by one; those of a request have checks. */
export const collection = <F>(
	displayName: string,
	name: string,
	placeholder: string,
	options: F[],
) => ({ displayName, name, type: 'collection' as const, placeholder, default: {}, options });

/** What a choice is called and what it does, by the value that workflows keep */
export type Choices = Record<string, [name: string, description?: string, action?: string]>;

export const choice = (
	displayName: string,
	name: string,
	value: string,
	description: string,
	choices: Choices,
): INodeProperties =>
	field(displayName, name, 'options', value, {
		options: Object.entries(choices).map(([choice, [name, description, action]]) => ({
			name,
			value: choice,
			...(description && { description }),
			...(action && { action }),
		})),
		description,
	});

export const UUID_EXAMPLE = 'e.g. 123e4567-e89b-12d3-a456-426614174000';

/** What the editor checks of a field by a pattern */
const regexValidation = (regex: string, errorMessage: string): INodePropertyModeValidation[] => [
	{ type: 'regex', properties: { regex, errorMessage } },
];

const uuidValidation = (displayName: string) =>
	regexValidation(`^\\s*${UUID}\\s*$`, `Not a valid ${displayName.toLowerCase()} ID: it is a UUID`);

/** A resource from a searchable list or by ID. `searchListMethod` has to be among the node's `methods.listSearch`. */
const locator = (
	displayName: string,
	name: string,
	searchListMethod: string,
	description: string,
	byId: Pick<INodePropertyMode, 'placeholder' | 'validation'> = {
		placeholder: UUID_EXAMPLE,
		validation: uuidValidation(displayName),
	},
): INodeProperties => ({
	displayName,
	name,
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: `Select a ${displayName.toLowerCase()}...`,
			typeOptions: { searchListMethod, searchable: true, searchFilterRequired: false },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', ...byId },
	],
});

export const projectLocator = locator(
	'Project',
	'projectId',
	'getProjects',
	'The project to work in',
);
export const taskLocator = locator('Task', 'taskId', 'getTasks', 'The recurring task');
export const fileLocator = locator(
	'File or Folder',
	'fileId',
	'getFiles',
	'The file or folder; choose the project above to choose from a list',
);
export const folderLocator: INodeProperties = {
	...locator(
		'Folder',
		'parentId',
		'getFolders',
		'The folder to put it in; leave it empty for My Files',
	),
	required: false,
};
export const customDomainLocator = locator(
	'Custom Domain',
	'customDomainId',
	'getCustomDomains',
	'The custom domain; enter the site above to choose from a list',
);
export const productLocator = locator(
	'Product',
	'productId',
	'getProducts',
	'The product; choose the project above to choose from a list',
	{ placeholder: 'e.g. prod_123' },
);

/** Sessions cannot be listed: they are given by their ID or by the URL of their page in the dashboard. */
export const sessionLocator: INodeProperties = {
	displayName: 'Session',
	name: 'sessionId',
	type: 'resourceLocator',
	default: { mode: 'id', value: '' },
	required: true,
	description: 'The session, such as the sessionId of an earlier node',
	modes: [
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_EXAMPLE,
			validation: uuidValidation('Session'),
		},
		{
			displayName: 'From Dashboard URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://app.example.com/sessions/123e4567-e89b-12d3-a456-426614174000',
			extractValue: { type: 'regex', regex: DASHBOARD_URL_PATTERN },
			validation: regexValidation(
				`${DASHBOARD_URL_PATTERN}.*`,
				'Not the dashboard URL of a session: there is no ID in it',
			),
		},
	],
};

export const prompt = field('Prompt', 'prompt', 'string', '', {
	typeOptions: { rows: 4 },
	required: true,
	placeholder: 'e.g. Check every page for broken links and fix them',
	description: 'What the agent should do, in plain words',
});

/** Sites cannot be listed, so they are given by their ID. */
export const siteId = field('Site ID', 'siteId', 'string', '', {
	required: true,
	placeholder: UUID_EXAMPLE,
	description:
		"The site, by the ID that the service's dashboard shows in the address of its settings",
});

/** Return All and Limit, for a list. */
export const returnAllOrLimit: INodeProperties[] = [
	field('Return All', 'returnAll', 'boolean', false, {
		description: 'Whether to return all results or only up to a given limit',
		hint: 'A list is read with a request for each 100 entries',
	}),
	field('Limit', 'limit', 'number', 50, {
		typeOptions: { minValue: 1 },
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	}),
];

export const simplify = field('Simplify', 'simplify', 'boolean', true, {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

export const queryField = field('Query', 'query', 'string', '', {
	// Expressions are resolved here and not by n8n, which would write what they say into the query as it is.
	noDataExpression: true,
	typeOptions: { editor: 'sqlEditor', sqlDialect: 'StandardSQL', rows: 6 },
	required: true,
	placeholder:
		'e.g. SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day',
	description:
		'A SELECT or WITH statement in ClickHouse SQL. The service filters by project. Values of expressions are inserted as escaped literals, so they cannot change the query.',
	hint: 'Read columns that end in _state with a merge function. Expressions need no quotes around them.',
});

/** An entry of Options: the values of the query's placeholders */
export const queryParameters: INodeProperties = {
	displayName: 'Query Parameters',
	name: 'parameters',
	type: 'fixedCollection',
	default: {},
	typeOptions: { multipleValues: true },
	placeholder: 'Add Parameter',
	description:
		'Values for the placeholders {name:Type} in the query, where Type is a ClickHouse type such as String, UInt32, Date or Array(String). They cannot change the query.',
	options: [
		{
			displayName: 'Parameter',
			name: 'values',
			values: [
				field('Name', 'name', 'string', '', {
					placeholder: 'e.g. source',
					description: 'The name between the braces',
				}),
				field('Value', 'value', 'string', '', { placeholder: 'e.g. newsletter' }),
			],
		},
	],
};
