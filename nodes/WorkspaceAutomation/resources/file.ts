import type { Values } from '../../shared/api/types';
import {
	optionalId,
	requireAnyId,
	requireId,
	requireOneOf,
	requireText,
} from '../../shared/base/validation';
import {
	fileLocator,
	folderLocator,
	projectLocator,
	returnAllOrLimit,
	UUID_EXAMPLE,
} from '../../shared/n8n/descriptions';
import type { Field, Operation } from '../../shared/n8n/operation';
import { projectId, textField } from '../fields';
import { fileContent, outputFields } from './file/getContent';
import { createdFile, existingFile, ifExists } from './file/ifExists';
import { binaryContent, requireContent } from './file/source';

/** A file or folder, and the project that fills the list of them; that is not sent. */
const fileInProject: Field[] = [
	{
		...projectLocator,
		required: false,
		description: 'Only fills the list of files; not needed with an ID',
	},
	{ ...fileLocator, check: requireId },
];

/** Nothing is sent where it is left empty. */
const optionalParentId: Field = { ...folderLocator, check: optionalId };

export const file: Record<string, Operation> = {
	create: {
		description:
			'Create a file from text, binary data or an asset; an existing one of that name is never overwritten',
		request: 'createFile',
		fields: [
			projectId,
			textField('Name', 'name', {
				placeholder: 'e.g. report.md',
				description:
					'The name of the file; it has to be unique among its siblings. Leave it empty to use the file name of the binary data.',
			}),
			{
				displayName: 'Content',
				name: 'contentSource',
				type: 'options',
				options: [
					{ name: 'Asset', value: 'asset', description: 'Copy an asset of the media library' },
					{
						name: 'Binary Data',
						value: 'binary',
						description: 'A file that an earlier node read or downloaded',
					},
					{ name: 'Text', value: 'text', description: 'Text entered here' },
				],
				default: 'text',
				description: 'Where the content comes from; it may have 10 MiB at most',
				check: (field, value) => requireOneOf(field, value, ['text', 'binary', 'asset']),
			},
			textField('Text', 'text', {
				typeOptions: { rows: 6 },
				placeholder: 'e.g. # Report',
				description: 'The content of the file',
				displayOptions: { show: { contentSource: ['text'] } },
				check: requireContent,
			}),
			textField('Input Binary Field', 'binaryPropertyName', {
				default: 'data',
				required: true,
				placeholder: 'e.g. data',
				hint: 'The name of the input field with the file',
				displayOptions: { show: { contentSource: ['binary'] } },
			}),
			textField('Asset ID', 'assetId', {
				placeholder: UUID_EXAMPLE,
				description: 'The asset to copy; the API key needs the scope assets.read as well',
				displayOptions: { show: { contentSource: ['asset'] } },
				check: requireAnyId,
			}),
			optionalParentId,
			ifExists,
		],
		async prepare({ values: { contentSource, binaryPropertyName, name } }, api) {
			const isBinary = contentSource === 'binary';
			const binary: Values = isBinary ? await binaryContent(this, String(binaryPropertyName)) : {};
			const type = isBinary ? 'base64' : String(contentSource);
			return {
				kind: 'file',
				...binary,
				name: requireText('Name', name || binary.name),
				type: api.word('createFile', type) ?? type,
			};
		},
		result: createdFile,
		recover: existingFile,
	},
	createFolder: {
		action: 'Create folder',
		description: 'Create a folder; an existing one of that name is never overwritten',
		request: 'createFile',
		fields: [
			projectId,
			textField('Name', 'name', {
				required: true,
				placeholder: 'e.g. Reports',
				description: 'The name of the folder; it has to be unique among its siblings',
			}),
			optionalParentId,
			ifExists,
		],
		prepare: () => ({ kind: 'folder' }),
		result: createdFile,
		recover: existingFile,
	},
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
				options: [
					{ ...optionalParentId, description: 'Return only what is directly in this folder' },
				],
			},
		],
	},
	getContent: {
		action: 'Get content of file',
		description: 'Get the content of a file as text or as binary data for the next node',
		request: 'getFileContent',
		fields: [...fileInProject, ...outputFields],
		result: fileContent,
	},
	move: {
		description: 'Move a file or folder to another folder, or to My Files',
		request: 'moveFile',
		fields: [
			...fileInProject,
			{
				...optionalParentId,
				description: 'The folder to move it to; leave it empty for My Files',
			},
		],
		// `null` says My Files, where nothing would say to leave it where it is.
		prepare: ({ values: { parentId } }, api) => ({
			parentId: parentId ?? api.word('moveFile', 'myFiles') ?? null,
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
