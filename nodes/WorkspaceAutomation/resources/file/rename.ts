import { requireText } from '../../../shared/base/validation';
import { fileId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const rename: Operation = {
	description: 'Give a file or folder another name',
	request: 'renameFile',
	fields: [
		fileId,
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. report-2026.md',
			description: 'The new name; it has to be unique where the file is',
			check: requireText,
		},
	],
};
