import type { INodeProperties } from 'n8n-workflow';

// Fields that more than one node shows.

const UUID_PATTERN = '^\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*$';

/** A project, from the list or by ID. Needs `methods.listSearch.getProjects` in the node. */
export const projectLocator = {
	displayName: 'Project',
	name: 'projectId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The project to work in',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a project...',
			typeOptions: { searchListMethod: 'getProjects', searchable: true, searchFilterRequired: false },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
			validation: [{ type: 'regex', properties: { regex: UUID_PATTERN, errorMessage: 'Not a valid project ID: it is a UUID' } }],
		},
	],
} satisfies INodeProperties;
