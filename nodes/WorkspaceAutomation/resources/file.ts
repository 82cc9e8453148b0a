import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { findFilesByName, findInPlace } from '../../shared/client/files';
import { requireEntryId } from '../../shared/client/lists';
import type { Values } from '../../shared/client/operations';
import { IndeterminateError, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { requireAnyId, requireString, requireText } from '../../shared/validation';
import { formatMib, isRecord, MIB } from '../../shared/values';
import {
	folderLocator,
	projectLocator,
	returnAllOrLimit,
	UUID_EXAMPLE,
} from '../../shared/n8n/commonFields';
import { choice, collection, textField } from '../../shared/n8n/fields';
import { toJsonItem, type Operation } from '../../shared/n8n/declarative';
import { Base64 } from '../../shared/client/json';
import { fileFields } from '../fields';
import { getContent } from '../fileContent';

/** The limit on file content (API document, Limits) */
const MAX_FILE_BYTES = 10 * MIB;

function requireFileSize(field: string, bytes: number): void {
	if (bytes <= MAX_FILE_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most ${formatMib(MAX_FILE_BYTES)} per file. This file has ${(bytes / MIB).toFixed(1)} MiB.`,
	);
}

function requireContent(field: string, value: unknown): string {
	const text = requireString(field, value);
	requireFileSize(field, Buffer.byteLength(text));
	return text;
}

/** The values of a file that comes from a binary field of the item, its own name among them. */
async function readBinaryContent(context: IExecuteSingleFunctions, name: string): Promise<Values> {
	const { binary = {} } = context.getInputData();
	if (!(name in binary)) {
		const there = Object.keys(binary);
		throw new WorkspaceAutomationError(
			`'Input Binary Field' names "${name}", which isn't in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(name);
	requireFileSize('Input Binary Field', buffer.length);
	const { mimeType, fileName } = binary[name];
	return { data: new Base64(buffer), contentType: mimeType || undefined, name: fileName };
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
	/** Returns the created file: the response, or without one the entry in the list, or else the sent values. */
	async result({ body }, values, api) {
		const json = toJsonItem('createFile', body, values);
		if (isRecord(body) && Object.keys(body).length > 0) return { json };
		const named = await resultOrError(findFilesByName(api, values));
		return { json: (named instanceof Error ? undefined : findInPlace(named, values)) ?? json };
	},
	/** After a conflict, the file or folder that has the name already, where the user wants it: the API overwrites nothing. */
	async recover(error, values, api, { ifExists }) {
		const isConflict =
			error instanceof WorkspaceAutomationError &&
			!(error instanceof IndeterminateError) &&
			error.context.httpStatus === 409;
		if (!isConflict || ifExists !== 'skip') return undefined;
		const found = findInPlace(await findFilesByName(api, values), values);
		return found && { json: { ...found, id: requireEntryId(api, 'listFiles', found) } };
	},
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
			check: requireAnyId,
		}),
	],
	async prepare({ values: { contentSource, binaryPropertyName, name } }, api) {
		const isBinary = contentSource === 'binary';
		const binary: Values = isBinary
			? await readBinaryContent(this, String(binaryPropertyName))
			: {};
		const type = isBinary ? 'base64' : String(contentSource);
		return {
			kind: 'file',
			...binary,
			name: requireText('Name', name || binary.name),
			type: api.word('createFile', type) ?? type,
		};
	},
});

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
		// `null` says My Files, where nothing would say to leave it where it is.
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
