import { requireFileSize, requireResourceId, requireString } from '../../shared/validation';
import { loadCode } from '../../shared/errors';
import {
	fileLocator,
	folderLocator,
	projectLocator,
	returnAllOrLimit,
	UUID_EXAMPLE,
} from '../../shared/n8n/commonFields';
import { choice, collection, textField, type Field } from '../../shared/n8n/fields';
import type { Operation } from '../../shared/n8n/sendOperation';

const fileFields: Field[] = [
	{
		...projectLocator,
		required: false,
		description: 'Only fills the list of files. Not needed with an ID.',
		check: undefined,
	},
	fileLocator,
];

const loadFileCalls = async () => await loadCode(async () => await import('../fileCalls.ts'));

function requireContent(field: string, value: unknown): string {
	const text = requireString(field, value);
	requireFileSize(field, Buffer.byteLength(text));
	return text;
}

const createOperation = (
	operation: Pick<Operation, 'action' | 'description' | 'fields' | 'prepare'>,
): Operation => ({
	...operation,
	request: 'createFile',
	fields: [
		projectLocator,
		...operation.fields,
		folderLocator,
		choice(
			'If It Exists',
			'ifExists',
			'fail',
			'What to do if the name is taken. Nothing is ever overwritten.',
			{
				fail: ['Raise an Error', 'Report that the name is taken'],
				skip: ['Return the Existing One', 'Leave it as it is and return it'],
			},
			{ isSetting: true },
		),
	],
	reconcile: async (values, api) => await (await loadFileCalls()).reconcileFile(api, values),
	result: async ({ body }, values, api) => (await loadFileCalls()).readCreated(body, values, api),
	recover: async (error, values, api, { ifExists }) =>
		ifExists === 'skip'
			? await (await loadFileCalls()).recoverExisting(error, values, api)
			: undefined,
});

const createFolder = createOperation({
	action: 'Create folder',
	description: 'Create a folder. An existing one of that name is never overwritten.',
	fields: [
		textField('Name', 'name', {
			required: true,
			placeholder: 'e.g. Reports',
			description: 'The name of the folder. It has to be unique among its siblings.',
		}),
	],
	prepare: () => ({ kind: 'folder' }),
});

const createFile = createOperation({
	description:
		'Create a file from text, binary data, or an asset. An existing file is never overwritten.',
	fields: [
		textField('Name', 'name', {
			placeholder: 'e.g. report.md',
			description:
				'The name of the file, unique among its siblings. Empty means the file name of the binary data.',
		}),
		choice(
			'Content',
			'contentSource',
			'text',
			'Where the content comes from. It can have up to 10 MiB.',
			{
				asset: ['Asset', 'Copy an asset of the media library'],
				binary: ['Binary Data', 'A file that an earlier node read or downloaded'],
				text: ['Text', 'Text entered here'],
			},
		),
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
		textField<string | number>('Asset ID', 'assetId', {
			placeholder: UUID_EXAMPLE,
			description: 'The asset to copy. The API key also needs the scope assets.read.',
			displayOptions: { show: { contentSource: ['asset'] } },
			check: requireResourceId,
		}),
	],
	async prepare({ values }, api) {
		return await (await loadFileCalls()).prepareFile(this, values, api);
	},
});

const getContent: Operation = {
	action: 'Get content of file',
	description: 'Get the content of a file as text, as binary data, or as a download URL',
	request: 'getFileContent',
	fields: [
		...fileFields,
		choice('Output As', 'outputAs', 'text', 'The form of the content for the next node', {
			binary: ['Binary Data', 'A file for the next node'],
			url: ['Download URL', 'A link that is valid for 15 minutes and needs no API key'],
			text: ['Text', 'Text in a field of the item'],
		}),
		textField('Put Output File in Field', 'binaryPropertyName', {
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the output field to put the file in',
			displayOptions: { show: { outputAs: ['binary'] } },
		}),
	],
	result: async function ({ body }, values, api) {
		const { readContentItem } = await loadCode(async () => await import('../fileContent.ts'));
		return await readContentItem(this, body, values, api);
	},
};

export const file: Record<string, Operation> = {
	create: createFile,
	createFolder,
	get: {
		description:
			'Get the metadata of a file or folder, such as its name and size. Beta: the service may change it.',
		request: 'getFile',
		fields: fileFields,
	},
	getAll: {
		description: 'Get many files and folders of a project',
		request: 'listFiles',
		fields: [
			projectLocator,
			...returnAllOrLimit,
			collection('Filters', 'filters', 'Add Filter', [
				{ ...folderLocator, description: 'Return only files and folders directly in this folder' },
			]),
		],
	},
	getContent,
	move: {
		description: 'Move a file or folder to another folder, or to My Files',
		request: 'moveFile',
		fields: [
			...fileFields,
			{
				...folderLocator,
				description: 'The folder to move it to. Leave it empty for My Files.',
			},
		],
		// `null` means My Files. Without a value, the file would stay where it is.
		prepare: ({ values }, api) => ({
			parentId: values.parentId ?? api.word('moveFile', 'myFiles') ?? null,
		}),
	},
	rename: {
		description: 'Give a file or folder another name',
		request: 'renameFile',
		fields: [
			...fileFields,
			textField('Name', 'name', {
				required: true,
				placeholder: 'e.g. report-2026.md',
				description: 'The new name. It has to be unique among its siblings.',
			}),
		],
	},
};
