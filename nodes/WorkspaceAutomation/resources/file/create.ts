import { UUID_EXAMPLE } from '../../../shared/n8n/descriptions';
import { requireText } from '../../../shared/base/validation';
import { optionalParentId, projectId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';
import { createdFile, existingFile, ifExists } from './ifExists';
import { contentOf } from './source';

export const create: Operation = {
	description:
		'Create a file from text, binary data or an asset; an existing one of that name is never overwritten',
	request: 'createFile',
	fields: [
		projectId,
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder: 'e.g. report.md',
			description:
				'The name of the file; it has to be unique among its siblings. Leave it empty to use the file name of the binary data.',
		},
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
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 6 },
			default: '',
			placeholder: 'e.g. # Report',
			description: 'The content of the file',
			displayOptions: { show: { contentSource: ['text'] } },
		},
		{
			displayName: 'Input Binary Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the input field with the file',
			displayOptions: { show: { contentSource: ['binary'] } },
		},
		{
			displayName: 'Asset ID',
			name: 'assetId',
			type: 'string',
			default: '',
			placeholder: UUID_EXAMPLE,
			description: 'The asset to copy; the API key needs the scope assets.read as well',
			displayOptions: { show: { contentSource: ['asset'] } },
		},
		optionalParentId,
		ifExists,
	],
	async prepare(_entered, api) {
		const { name: given, ...source } = await contentOf(this);
		const name = requireText('Name', this.getNodeParameter('name') || given);
		const type = api.word('createFile', source.type) ?? source.type;
		return { kind: 'file', name, ...source, type };
	},
	result: createdFile,
	recover: existingFile,
};
