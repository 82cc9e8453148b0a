import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { findFilesByName, findInPlace } from '../shared/client/files';
import { Base64 } from '../shared/client/json';
import { requireEntryId } from '../shared/client/lists';
import type { ApiClient, Values } from '../shared/client/operations';
import { IndeterminateError, resultOrError, WorkspaceAutomationError } from '../shared/errors';
import { toJsonItem } from '../shared/n8n/sendOperation';
import { requireFileSize, requireText } from '../shared/validation';
import { isRecord } from '../shared/values';

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

export async function prepareFile(
	context: IExecuteSingleFunctions,
	{ contentSource, binaryPropertyName, name }: Values,
	api: ApiClient,
): Promise<Values> {
	const isBinary = contentSource === 'binary';
	const binary: Values = isBinary
		? await readBinaryContent(context, String(binaryPropertyName))
		: {};
	const type = isBinary ? 'base64' : String(contentSource);
	return {
		kind: 'file',
		...binary,
		name: requireText('Name', name || binary.name),
		type: api.word('createFile', type) ?? type,
	};
}

/** Returns the created entry: the response or, without one, the entry in the list or else the sent values. */
export async function readCreated(
	body: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData> {
	const json = toJsonItem('createFile', body, values);
	if (isRecord(body) && Object.keys(body).length > 0) return { json };
	const named = await resultOrError(findFilesByName(api, values));
	return { json: (named instanceof Error ? undefined : findInPlace(named, values)) ?? json };
}

/** Returns the file or folder that already has the name after a conflict, because the API overwrites nothing. */
export async function recoverExisting(
	error: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData | undefined> {
	const isConflict =
		error instanceof WorkspaceAutomationError &&
		!(error instanceof IndeterminateError) &&
		error.context.httpStatus === 409;
	if (!isConflict) return undefined;
	const found = findInPlace(await findFilesByName(api, values), values);
	return found && { json: { ...found, id: requireEntryId(found) } };
}
