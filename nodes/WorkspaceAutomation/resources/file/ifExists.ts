import type { IDataObject } from 'n8n-workflow';

import { filesNamed, idOf } from '../../../shared/api/pages';
import type { Values } from '../../../shared/api/types';
import {
	IndeterminateError,
	resultOrError,
	WorkspaceAutomationError,
} from '../../../shared/base/errors';
import { jsonOf } from '../../../shared/n8n/routing';
import { isRecord } from '../../../shared/base/values';
import type { Field, Operation } from '../../../shared/n8n/operation';

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

/** The folder that a file is in; none where it lies in My Files, unless the service gives that an ID, too */
const folderOf = ({ parentId, parent_id }: IDataObject) => parentId ?? parent_id ?? undefined;

/**
 * Of the files and folders of a name, the one in the place and of the kind that were asked for; undefined where that is not certain.
 * What was created without a folder is in My Files, which may have an ID that nobody knows: the only one there is, is it.
 */
function inPlace(named: IDataObject[], { parentId, kind }: Values): IDataObject | undefined {
	const here = named.filter((file) => folderOf(file) === parentId);
	const [only, ...others] = here.length > 0 || parentId !== undefined ? here : named;
	return others.length === 0 && (only?.kind ?? kind) === kind ? only : undefined;
}

/** After a conflict, the file or folder that has the name already, where the user wants it. */
export const existingFile: Operation['recover'] = async function (error, values, api) {
	const isConflict =
		error instanceof WorkspaceAutomationError &&
		!(error instanceof IndeterminateError) &&
		error.context.httpStatus === 409;
	if (!isConflict || this.getNodeParameter('ifExists', 'fail') !== 'skip') return undefined;
	const found = inPlace(await filesNamed(api, values), values);
	return found && { json: { ...found, id: idOf(api, 'listFiles', found) } };
};

/** What was created: the response or, where nothing came back, the entry in the list; what was sent where that fails too. */
export const createdFile: Operation['result'] = async function ({ body }, values, api) {
	const json = jsonOf('createFile', body, values);
	if (isRecord(body) && Object.keys(body).length > 0) return { json };
	const named = await resultOrError(filesNamed(api, values));
	return { json: (named instanceof Error ? undefined : inPlace(named, values)) ?? json };
};
