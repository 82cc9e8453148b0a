import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../../shared/api/operations';
import { readPages } from '../../../shared/api/pages';
import {
	IndeterminateError,
	resultOrError,
	WorkspaceAutomationError,
} from '../../../shared/base/errors';
import { jsonOf } from '../../../shared/n8n/routing';
import type { ApiClient } from '../../../shared/transport/apiClient';
import { isRecord } from '../../../shared/base/values';
import type { Field, Operation } from '../resource';

/** What to do about a name that is taken: the API overwrites nothing (API document, POST /files). */
export const ifExists: Field = {
	displayName: 'If It Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{ name: 'Raise an Error', value: 'fail', description: 'Report that the name is taken' },
		{
			name: 'Return the Existing One',
			value: 'skip',
			description: 'Leave it as it is and hand it on',
		},
	],
	default: 'fail',
	description: 'What to do when there is one of that name already; nothing is ever overwritten',
};

/** The file or folder that has the name of the one to be created, in the same place. */
async function findByName(client: ApiClient, values: Values): Promise<IDataObject | undefined> {
	const { projectId, parentId, name, kind } = values;
	const isIt = (file: IDataObject) =>
		file.name === name && (file.kind ?? kind) === kind && (!parentId || file.parentId === parentId);
	const list = { operation: 'listFiles', values: { projectId, parentId } } as const;
	for await (const { data } of readPages(client, list)) {
		const found = data.find(isIt);
		if (found) return found;
	}
	return undefined;
}

/** After a conflict, the file or folder that has the name already, where the user wants it. */
export const existingFile: Operation['recover'] = async function (error, values, client) {
	const isConflict =
		error instanceof WorkspaceAutomationError &&
		!(error instanceof IndeterminateError) &&
		error.context.httpStatus === 409;
	if (!isConflict || this.getNodeParameter('ifExists', 'fail') !== 'skip') return undefined;
	const found = await findByName(client, values);
	return found && { json: found };
};

/** What was created: the response or, where nothing came back, the entry in the list; what was sent where that fails too. */
export const createdFile: Operation['result'] = async function ({ body }, values, client) {
	if (isRecord(body) && Object.keys(body).length > 0) return { json: jsonOf(body, values) };
	const found = await resultOrError(findByName(client, values));
	return { json: found instanceof Error ? jsonOf(body, values) : (found ?? jsonOf(body, values)) };
};
