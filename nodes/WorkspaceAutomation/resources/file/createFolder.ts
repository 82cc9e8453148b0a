import { requireText } from '../../../shared/base/validation';
import { optionalParentId, projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';
import { createdFile, existingFile, ifExists } from './ifExists';

export const createFolder: Operation = {
	action: 'Create folder',
	description: 'Create a folder; an existing one of that name is never overwritten',
	request: 'createFile',
	fields: [
		projectId,
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. Reports',
			description: 'The name of the folder; it has to be unique among its siblings',
			check: requireText,
		},
		optionalParentId,
		ifExists,
	],
	prepare: () => ({ kind: 'folder' }),
	result: createdFile,
	recover: existingFile,
};
