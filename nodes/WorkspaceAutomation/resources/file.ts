import { returnAllOrLimit } from '../../shared/n8n/descriptions';
import type { Operation } from '../../shared/n8n/operation';
import { fileInProject, parentId, projectId, textField } from '../fields';
import { create, createFolder } from './file/create';
import { getContent } from './file/getContent';

export const file: Record<string, Operation> = {
	create,
	createFolder,
	get: {
		description:
			'Get the metadata of a file or folder, such as its name and size. The service calls this beta: it may change.',
		request: 'getFile',
		fields: fileInProject,
	},
	getAll: {
		description: 'Get many files and folders of a project',
		request: 'listFiles',
		fields: [
			projectId,
			...returnAllOrLimit,
			{
				displayName: 'Filters',
				name: 'filters',
				type: 'collection',
				placeholder: 'Add Filter',
				default: {},
				options: [{ ...parentId, description: 'Return only what is directly in this folder' }],
			},
		],
	},
	getContent,
	move: {
		description: 'Move a file or folder to another folder, or to My Files',
		request: 'moveFile',
		fields: [
			...fileInProject,
			{
				...parentId,
				description: 'The folder to move it to; leave it empty for My Files',
			},
		],
		// `null` says My Files, where nothing would say to leave it where it is.
		prepare: ({ values }, api) => ({
			parentId: values.parentId ?? api.word('moveFile', 'myFiles') ?? null,
		}),
	},
	rename: {
		description: 'Give a file or folder another name',
		request: 'renameFile',
		fields: [
			...fileInProject,
			textField('Name', 'name', {
				required: true,
				placeholder: 'e.g. report-2026.md',
				description: 'The new name; it has to be unique where the file is',
			}),
		],
	},
};
