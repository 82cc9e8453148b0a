import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator, UUID_EXAMPLE } from '../../../shared/descriptions';
import { checked, step } from '../../../shared/routed';
import { optionalId, requireId, requireText } from '../../../shared/validate';
import { optionalParent } from './parentId';
import { contentOf } from './source';

const showOnlyForFileCreate = { resource: ['file'], operation: ['create'] };

export const operation: INodePropertyOptions = {
	name: 'Create',
	value: 'create',
	action: 'Create a file',
	description:
		'Create a file from text, binary data or an asset; an existing one of that name is left alone and reported',
	routing: {
		request: { method: 'POST', url: '/files', body: { kind: 'file' } },
		send: {
			paginate: true,
			preSend: [
				checked('Project', 'projectId', requireId),
				checked('Parent Folder', 'parentId', optionalId),
				step(async function (request) {
					const { name: given, ...content } = await contentOf(this);
					const name = this.getNodeParameter('name') || given;
					return {
						...request,
						body: { ...(request.body as object), ...content, name: requireText('Name', name) },
					};
				}),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForFileCreate },
		routing: { send: { type: 'body', property: 'projectId' } },
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. report.md',
		description:
			'What the file is called; it has to be unique where it is put. Leave it empty to use the name that binary data came with.',
		displayOptions: { show: showOnlyForFileCreate },
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
		displayOptions: { show: showOnlyForFileCreate },
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 6 },
		default: '',
		placeholder: 'e.g. # Report',
		description: 'The content of the file',
		displayOptions: { show: { ...showOnlyForFileCreate, contentSource: ['text'] } },
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the input field with the file',
		displayOptions: { show: { ...showOnlyForFileCreate, contentSource: ['binary'] } },
	},
	{
		displayName: 'Asset ID',
		name: 'assetId',
		type: 'string',
		default: '',
		placeholder: UUID_EXAMPLE,
		description: 'The asset to copy; the key needs the scope assets.read as well',
		displayOptions: { show: { ...showOnlyForFileCreate, contentSource: ['asset'] } },
	},
	optionalParent(showOnlyForFileCreate),
];
