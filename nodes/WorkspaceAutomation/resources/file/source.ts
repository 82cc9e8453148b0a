import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../../shared/base/errors';
import { Base64 } from '../../../shared/transport/jsonBody';
import {
	requireAnyId,
	requireOneOf,
	requireString,
	requireText,
} from '../../../shared/base/validation';

/** The limit on file content: 10 MiB (API document, Limits). */
const LARGEST_BYTES = 10 * 1024 * 1024;

function refuseTooLarge(field: string, bytes: number): void {
	if (bytes <= LARGEST_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most 10 MiB a file; this is ${(bytes / 1024 / 1024).toFixed(1)} MiB.`,
	);
}

/** The values of a file's content in the request, and for binary data the name that came with it. */
interface Content {
	type: 'text' | 'base64' | 'asset';
	text?: string;
	data?: Base64;
	contentType?: string;
	assetId?: string | number;
	name?: string;
}

function fromText(context: IExecuteSingleFunctions): Content {
	const text = requireString('Text', context.getNodeParameter('text'));
	refuseTooLarge('Text', Buffer.byteLength(text));
	return { type: 'text', text };
}

async function fromBinary(context: IExecuteSingleFunctions): Promise<Content> {
	const field = requireText('Input Binary Field', context.getNodeParameter('binaryPropertyName'));
	const { binary } = context.getInputData();
	const data = binary?.[field];
	if (!data) {
		const there = Object.keys(binary ?? {});
		throw new WorkspaceAutomationError(
			`'Input Binary Field' names "${field}", which is not in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(field);
	refuseTooLarge('Input Binary Field', buffer.length);
	return {
		type: 'base64',
		data: new Base64(buffer),
		contentType: data.mimeType || undefined,
		name: data.fileName || undefined,
	};
}

function fromAsset(context: IExecuteSingleFunctions): Content {
	const assetId = requireAnyId('Asset ID', context.getNodeParameter('assetId'));
	return { type: 'asset', assetId };
}

const SOURCES = { text: fromText, binary: fromBinary, asset: fromAsset };
const KINDS = ['text', 'binary', 'asset'] as const;

/** What the new file holds, from where the user says. */
export async function contentOf(context: IExecuteSingleFunctions): Promise<Content> {
	const kind = requireOneOf('Content', context.getNodeParameter('contentSource'), KINDS);
	return await SOURCES[kind](context);
}
