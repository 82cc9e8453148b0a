import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import { Problem } from '../../../shared/problem';
import { wire } from '../../../shared/routed';
import { requireId, requireOneOf, requireString, requireText } from '../../../shared/validate';

/** The document's limit on file content: 10 MiB. */
const LARGEST_BYTES = 10 * 1024 * 1024;

function refuseTooLarge(field: string, bytes: number): void {
	if (bytes <= LARGEST_BYTES) return;
	throw new Problem(
		`${field} is too large`,
		`The service takes at most 10 MiB a file; this is ${(bytes / 1024 / 1024).toFixed(1)} MiB.`,
	);
}

function fromText(context: IExecuteSingleFunctions): IDataObject {
	const text = requireString('Text', context.getNodeParameter('text'));
	refuseTooLarge('Text', Buffer.byteLength(text));
	return { source: { type: 'text', text } };
}

async function fromBinary(context: IExecuteSingleFunctions): Promise<IDataObject> {
	const field = requireText('Input Binary Field', context.getNodeParameter('binaryPropertyName'));
	const { binary } = context.getInputData();
	const data = binary?.[field];
	if (!data) {
		const there = Object.keys(binary ?? {});
		throw new Problem(
			`Input Binary Field "${field}" is not in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(field);
	refuseTooLarge('Input Binary Field', buffer.length);
	const contentType = data.mimeType && { [wire('base64ContentType')]: data.mimeType };
	return {
		source: { type: 'base64', [wire('base64Data')]: buffer.toString('base64'), ...contentType },
		...(data.fileName && { name: data.fileName }),
	};
}

function fromAsset(context: IExecuteSingleFunctions): IDataObject {
	return {
		source: {
			type: 'asset',
			[wire('assetId')]: requireId('Asset ID', context.getNodeParameter('assetId')),
		},
	};
}

const SOURCES = { text: fromText, binary: fromBinary, asset: fromAsset };

/** The part of the request that says what is in the new file: its `source`, and for binary data the name it came with. */
export async function contentOf(context: IExecuteSingleFunctions): Promise<IDataObject> {
	const source = requireOneOf('Content', context.getNodeParameter('contentSource'), [
		'text',
		'binary',
		'asset',
	]);
	return await SOURCES[source](context);
}
