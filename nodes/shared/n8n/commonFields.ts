import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodeListSearchResult,
	INodePropertyOptions,
	INodePropertyMode,
	INodePropertyModeValidation,
} from 'n8n-workflow';

import { loadCode } from '../errors';
import { optionalId, requireResourceId, requireId, requireSessionId, UUID } from '../validation';
import { entryText, listRows, readEntries, readValues } from './entries';
import { countField, showFor, textField, toggle, type Entered, type Field } from './fields';

export const UUID_EXAMPLE = 'e.g. 123e4567-e89b-12d3-a456-426614174000';

const uuidValidation = (displayName: string): INodePropertyModeValidation[] => [
	{
		type: 'regex',
		properties: {
			// An empty value passes, because an optional field may have none. The field's check refuses it elsewhere.
			regex: `^\\s*(${UUID})?\\s*$`,
			errorMessage: `Not a valid ${displayName.toLowerCase()} ID: it is a UUID`,
		},
	},
];

/** `searchListMethod` must be one of the node's `methods.listSearch`. */
const locator = <T>(
	displayName: string,
	name: string,
	searchListMethod: string,
	description: string,
	check: Field<T>['check'],
	byId: Pick<INodePropertyMode, 'placeholder' | 'validation'> = {
		placeholder: UUID_EXAMPLE,
		validation: uuidValidation(displayName),
	},
): Field<T> => ({
	displayName,
	name,
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description,
	check,
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

/** Removes the patterns, because n8n may run out of time for them on each resume of a paused execution. */
export const withoutPatterns = <T>(declared: Field<T>): Field<T> => ({
	...declared,
	modes: declared.modes?.map((mode) => ({ ...mode, validation: undefined })),
});

export const projectLocator = locator(
	'Project',
	'projectId',
	'getProjects',
	'The project to work in',
	requireId,
);
export const taskLocator = locator(
	'Task',
	'taskId',
	'getTasks',
	'A task that the service runs again and again',
	requireId,
);
export const fileLocator = locator(
	'File or Folder',
	'fileId',
	'getFiles',
	'The file or folder. To choose from a list, select a project first.',
	requireId,
);
export const folderLocator: Field<string | undefined> = {
	...locator(
		'Folder',
		'parentId',
		'getFolders',
		'The folder to put it in. Leave it empty for My Files.',
		optionalId,
	),
	required: false,
};
export const customDomainLocator = locator(
	'Custom Domain',
	'customDomainId',
	'getCustomDomains',
	'The custom domain. To choose from a list, enter a site ID first.',
	requireId,
);
export const productLocator = locator(
	'Product',
	'productId',
	'getProducts',
	'The product. To choose from a list, select a project first.',
	requireResourceId,
	{ placeholder: 'e.g. prod_123' },
);

/** The API document lists no sites, and doesn't say where the service shows their IDs. */
const FIND_SITE_ID =
	'The list has sites that the service has shown. For others, ask the service for the ID.';

/** Starts with an ID, because few services show IDs to choose from. */
export const siteLocator: Field<string> = {
	...locator('Site', 'siteId', 'getSites', FIND_SITE_ID, requireId),
	default: { mode: 'id', value: '' },
};

/** Takes an ID or a dashboard URL, because the API can't list sessions. */
export const sessionLocator: Field<string> = {
	displayName: 'Session',
	name: 'sessionId',
	type: 'resourceLocator',
	default: { mode: 'id', value: '' },
	required: true,
	description: 'The session, such as the sessionId of an earlier node',
	check: requireSessionId,
	modes: [
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_EXAMPLE,
			validation: uuidValidation('Session'),
		},
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://app.example.com/sessions/123e4567-e89b-12d3-a456-426614174000',
		},
	],
};

export const prompt = textField('Prompt', 'prompt', {
	typeOptions: { rows: 4 },
	required: true,
	placeholder: 'e.g. Check every page for broken links and fix them',
	description: 'The task for the agent, in plain words',
});

const returnAll = toggle(
	'Return All',
	'returnAll',
	false,
	'Whether to return all results or only up to a given limit',
	{ hint: 'Uses one request per 100 results' },
);

const limit = countField('Limit', 'limit', 50, 'Max number of results to return', {
	typeOptions: { minValue: 1 },
	isSetting: true,
});

export const returnAllOrLimit: Field[] = [returnAll, ...showFor({ returnAll: [false] }, limit)];

export const simplify = toggle(
	'Simplify',
	'simplify',
	true,
	'Whether to return a simplified version of the response instead of the raw data',
);

/** With Simplify on, applies `simple` to each item and removes undefined fields. */
export const simplifyOutput =
	(simple: (json: IDataObject) => IDataObject) =>
	(items: INodeExecutionData[], settings: Entered['settings']): INodeExecutionData[] => {
		if (settings.simplify !== true) return items;
		return items.map(({ json }) => {
			const definedFields = Object.entries(simple(json)).filter(([, value]) => value !== undefined);
			return { json: Object.fromEntries(definedFields) as IDataObject };
		});
	};

export const maxConcurrentRequests = countField(
	'Max Concurrent Requests',
	'maxConcurrentRequests',
	5,
	'Fewer requests in parallel leave more of the rate limit to others. Items keep their order.',
);

export const queryField = textField('Query', 'query', {
	// The package resolves expressions itself. n8n would write their values into the query as they are.
	noDataExpression: true,
	typeOptions: { editor: 'sqlEditor', sqlDialect: 'StandardSQL', rows: 6 },
	required: true,
	placeholder:
		'e.g. SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day',
	description: 'A SELECT or WITH statement in ClickHouse SQL. The service filters by project.',
	hint: "Expressions are inserted as escaped literals, so you don't need quotes. Read _state columns with a merge function.",
});

const QUERY_PARAMETER = { name: entryText(), value: (value: unknown) => value };

export const queryParameters: Field<Map<string, unknown>> = {
	displayName: 'Query Parameters',
	name: 'parameters',
	type: 'fixedCollection',
	default: {},
	typeOptions: { multipleValues: true },
	placeholder: 'Add Parameter',
	description: 'Values for the placeholders {name:Type} in the query, such as {source:String}',
	check(label, value) {
		const list = { label, noun: 'parameter', help: 'Enter the name between the braces.' };
		const parameters = readEntries(list, listRows(value, 'values'), (parameter, refuse) =>
			readValues(QUERY_PARAMETER, parameter, refuse),
		);
		return new Map(parameters.map(({ name, value }) => [name.trim(), value]));
	},
	options: [
		{
			displayName: 'Parameter',
			name: 'values',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. source',
					description: 'The name between the braces',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. newsletter',
				},
			],
		},
	],
};

const loadPickers = async () => await loadCode(async () => await import('./pickers.ts'));

type SearchName = keyof (typeof import('./pickers.ts'))['searches'];
type OptionListName = keyof (typeof import('./pickers.ts'))['optionLists'];

const lazySearch = (name: SearchName) =>
	async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		from?: string,
	): Promise<INodeListSearchResult> {
		return await (await loadPickers()).searches[name].call(this, filter, from);
	};

const lazyOptions = (name: OptionListName) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		return await (await loadPickers()).optionLists[name].call(this);
	};

export const getProjects = lazySearch('getProjects');

export const listSearch = {
	getProjects,
	getTasks: lazySearch('getTasks'),
	getFiles: lazySearch('getFiles'),
	getFolders: lazySearch('getFolders'),
	getProducts: lazySearch('getProducts'),
	getSites: lazySearch('getSites'),
	getCustomDomains: lazySearch('getCustomDomains'),
} satisfies Record<SearchName, unknown>;

export const loadOptions = {
	getProjectOptions: lazyOptions('getProjectOptions'),
	getTaskOptions: lazyOptions('getTaskOptions'),
} satisfies Record<OptionListName, unknown>;
