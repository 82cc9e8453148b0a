import type { IExecuteSingleFunctions } from 'n8n-workflow';

import type { Values } from '../../../shared/api/types';
import { WorkspaceAutomationError } from '../../../shared/base/errors';
import {
	requireAnyId,
	requireOneOf,
	requireString,
	requireText,
} from '../../../shared/base/validation';
import { inMib, MIB } from '../../../shared/base/values';
import { Base64 } from '../../../shared/transport/jsonBody';

/** The limit on file content (API document, Limits) */
const LARGEST_BYTES = 10 * MIB;

function refuseTooLarge(field: string, bytes: number): void {
	if (bytes <= LARGEST_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most ${inMib(LARGEST_BYTES)} a file; this is ${(bytes / MIB).toFixed(1)} MiB.`,
	);
}

type Content = Values & { type: string };

function fromText(context: IExecuteSingleFunctions): Content {
	const text = requireString('Text', context.getNodeParameter('text'));
	refuseTooLarge('Text', Buffer.byteLength(text));
	return { type: 'text', text };
}

async function fromBinary(context: IExecuteSingleFunctions): Promise<Content> {
	const field = requireText('Input Binary Field', context.getNodeParameter('binaryPropertyName'));
	const { binary = {} } = context.getInputData();
	const data = binary[field];
	if (!data) {
		const there = Object.keys(binary);
		throw new WorkspaceAutomationError(
			`'Input Binary Field' names "${field}", which is not in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(field);
	refuseTooLarge('Input Binary Field', buffer.length);
	const { mimeType, fileName } = data;
	return {
		type: 'base64',
		data: new Base64(buffer),
		contentType: mimeType || undefined,
		name: fileName,
	};
}

const SOURCES = {
	text: fromText,
	binary: fromBinary,
	asset: (context: IExecuteSingleFunctions): Content => ({
		type: 'asset',
		assetId: requireAnyId('Asset ID', context.getNodeParameter('assetId')),
	}),
};

/** What the new file holds, from where the user says: values of the request, and for binary data the name that came with it. */
export async function contentOf(context: IExecuteSingleFunctions): Promise<Content> {
	const given = context.getNodeParameter('contentSource');
	return await SOURCES[requireOneOf('Content', given, ['text', 'binary', 'asset'])](context);
}
