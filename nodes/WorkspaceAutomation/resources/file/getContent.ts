import type {
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { components } from '../../../shared/contract';
import { fileLocator } from '../../../shared/descriptions';
import { download, type Stream } from '../../../shared/download';
import { Problem } from '../../../shared/problem';
import { checked, clientOf, PATIENCE, step } from '../../../shared/routed';
import { requireId, requireOneOf, requireText } from '../../../shared/validate';
import { readFileContent } from '../../../shared/wireNames';

const showOnlyForGetContent = { resource: ['file'], operation: ['getContent'] };

/** The file as it was asked for. Text and download URLs both end up as either; what is downloaded is streamed. */
async function asAsked(
	this: IExecuteSingleFunctions,
	[{ json }]: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const content = readFileContent(json);
	if (!content)
		throw new Problem(
			'The service answered without the content of the file',
			'Its answer has neither a text nor a download URL under a name that this node knows.',
		);
	const client = await clientOf(this);
	const fileId = String(this.getNodeParameter('fileId', undefined, { extractValue: true })).trim();
	const { helpers } = this;

	if (this.getNodeParameter('outputAs') === 'text') {
		const text =
			'text' in content
				? content.text
				: await download(
						this,
						client.clock,
						content.url,
						async (body) => await helpers.binaryToString(body),
					);
		return [{ json: { fileId, text } }];
	}

	// The content comes without name and type; a file without them is of little use to the next node.
	const file = (await client.send(
		{ method: 'GET', path: `/files/${fileId}` },
		PATIENCE,
	)) as components['schemas']['File'];
	const keep = async (data: Buffer | Stream) =>
		await helpers.prepareBinaryData(data, file.name, file.contentType);
	const data =
		'text' in content
			? await keep(Buffer.from(content.text))
			: await download(this, client.clock, content.url, keep);
	const { name, contentType, sizeBytes } = file;
	return [
		{
			json: { fileId, name, contentType, sizeBytes },
			binary: { [this.getNodeParameter('binaryPropertyName') as string]: data },
		},
	];
}

export const operation: INodePropertyOptions = {
	name: 'Get Content',
	value: 'getContent',
	action: 'Get the content of a file',
	description: 'Get the content of a file as text or as binary data for the next node',
	routing: {
		request: { method: 'GET', url: '/files/{fileId}/content' },
		send: {
			paginate: true,
			preSend: [
				checked('File or Folder', 'fileId', requireId),
				step(function (request) {
					const outputAs = requireOneOf('Output As', this.getNodeParameter('outputAs'), [
						'text',
						'binary',
					]);
					if (outputAs === 'binary')
						requireText('Put Output File in Field', this.getNodeParameter('binaryPropertyName'));
					return request;
				}),
			],
		},
		output: { postReceive: [asAsked] },
	},
};

export const fields: INodeProperties[] = [
	{
		...fileLocator,
		description: 'The file to read',
		displayOptions: { show: showOnlyForGetContent },
	},
	{
		displayName: 'Output As',
		name: 'outputAs',
		type: 'options',
		options: [
			{ name: 'Binary Data', value: 'binary', description: 'A file for the next node' },
			{ name: 'Text', value: 'text', description: 'Text in a field of the item' },
		],
		default: 'text',
		description: 'What the next node should get',
		displayOptions: { show: showOnlyForGetContent },
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the output field to put the file in',
		displayOptions: { show: { ...showOnlyForGetContent, outputAs: ['binary'] } },
	},
];
