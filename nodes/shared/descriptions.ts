import type { INodeProperties } from 'n8n-workflow';

// Fields that more than one operation or node shows.

const UUID_PATTERN = '^\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*$';
export const UUID_EXAMPLE = 'e.g. 123e4567-e89b-12d3-a456-426614174000';

/** A resource from a searchable list or by ID. `searchListMethod` has to be among the node's `methods.listSearch`. */
const locator = (displayName: string, name: string, searchListMethod: string) =>
	({
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select a ${displayName.toLowerCase()}...`,
				typeOptions: { searchListMethod, searchable: true, searchFilterRequired: false },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: UUID_EXAMPLE,
				validation: [
					{
						type: 'regex',
						properties: {
							regex: UUID_PATTERN,
							errorMessage: `Not a valid ${displayName.toLowerCase()} ID: it is a UUID`,
						},
					},
				],
			},
		],
	}) satisfies INodeProperties;

export const projectLocator: INodeProperties = {
	...locator('Project', 'projectId', 'getProjects'),
	description: 'The project to work in',
};

export const taskLocator: INodeProperties = {
	...locator('Task', 'taskId', 'getTasks'),
	description: 'The recurring task',
};

export const fileLocator: INodeProperties = {
	...locator('File or Folder', 'fileId', 'getFiles'),
	description: 'The file or folder, named with its project in the list',
};

export const folderLocator: INodeProperties = {
	...locator('Parent Folder', 'parentId', 'getFolders'),
	required: false,
	description: 'The folder to put it in; leave it empty for My Files',
};

export const customDomainLocator: INodeProperties = {
	...locator('Custom Domain', 'customDomainId', 'getCustomDomains'),
	description: 'The custom domain; enter the site below to choose from a list',
};

/** Return All and Limit, for a list. */
export const returnAllOrLimit = (show: Record<string, string[]>): INodeProperties[] => [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { show },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { ...show, returnAll: [false] } },
	},
];

export const simplify = (show: Record<string, string[]>): INodeProperties => ({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	displayOptions: { show },
});
