import type { IDataObject } from 'n8n-workflow';

import { answerOverride } from '../../../shared/api/overrides';
import type { Api } from '../../../shared/api/types';
import { resultOrError, WorkspaceAutomationError } from '../../../shared/base/errors';
import { requireOneOf } from '../../../shared/base/validation';
import { isRecord, quote, textOf } from '../../../shared/base/values';
import type { Operation } from '../../../shared/n8n/operation';
import { fileInProject, textField } from '../../fields';
import { download, type Stream } from './download';

/** What the service answers with: the text itself, or where to download it. A URL wins over an empty text. */
function contentIn(body: unknown, api: Api): { text: string } | { url: string } {
	const [text, url] = ['text', 'url'].map((name) => api.answer('getFileContent', name, body));
	if (textOf(text)) return { text: String(text) };
	if (textOf(url)) return { url: String(url) };
	// An empty file is found under no name that only counts with something in it.
	if (isRecord(body) && [text, body.text, body.content].includes('')) return { text: '' };
	if (typeof body === 'string') return { text: body };
	throw new WorkspaceAutomationError(
		'The service answered without the content of the file',
		`It answered: ${quote(body)}. ${answerOverride('getFileContent', 'text')}`,
	);
}

/** Name and type of the file, which its content comes without. The endpoint is in beta: without it the content is all there is. */
async function metadataOf(api: Api, fileId: string): Promise<IDataObject> {
	const options = { maxAttempts: 2, timeLimitMs: 30_000 };
	const response = await resultOrError(api.call('getFile', { fileId }, options));
	const isReadable = !(response instanceof WorkspaceAutomationError) && isRecord(response.body);
	return isReadable ? (response.body as IDataObject) : {};
}

export const getContent: Operation = {
	action: 'Get content of file',
	description: 'Get the content of a file as text or as binary data for the next node',
	request: 'getFileContent',
	fields: [
		...fileInProject,
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
			check: (field, value) => requireOneOf(field, value, ['text', 'binary']),
		},
		textField('Put Output File in Field', 'binaryPropertyName', {
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the output field to put the file in',
			displayOptions: { show: { outputAs: ['binary'] } },
		}),
	],
	/** Both kinds of answers end up as either kind of output; what is downloaded is streamed. */
	async result({ body }, values, api) {
		const { helpers } = this;
		const content = contentIn(body, api);
		const fileId = String(values.fileId);
		if (values.outputAs === 'text') {
			const read = async (stream: Stream) => await helpers.binaryToString(stream);
			const text = 'text' in content ? content.text : await download(this, api, content.url, read);
			return { json: { fileId, text } };
		}
		const metadata = await metadataOf(api, fileId);
		const name = textOf(metadata.name) ?? fileId;
		const sizeBytes = typeof metadata.sizeBytes === 'number' ? metadata.sizeBytes : undefined;
		const keep = async (data: Buffer | Stream, type: string | undefined) =>
			await helpers.prepareBinaryData(data, name, textOf(metadata.contentType) ?? type);
		const data =
			'text' in content
				? await keep(Buffer.from(content.text), 'text/plain')
				: await download(
						this,
						api,
						content.url,
						async (stream, headers) => await keep(stream, textOf(headers['content-type'])),
					);
		return {
			json: { fileId, name, contentType: textOf(metadata.contentType) ?? data.mimeType, sizeBytes },
			binary: { [String(values.binaryPropertyName)]: data },
		};
	},
};
