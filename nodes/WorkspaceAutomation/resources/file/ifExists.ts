import { filesNamed } from '../../../shared/api/files';
import { IndeterminateError, WorkspaceAutomationError } from '../../../shared/base/errors';
import { jsonOf } from '../../../shared/n8n/routing';
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

/** After a conflict, the file or folder that has the name already, where the user wants it. */
export const existingFile: Operation['recover'] = async function (error, values, api) {
	const isConflict =
		error instanceof WorkspaceAutomationError &&
		!(error instanceof IndeterminateError) &&
		error.context.httpStatus === 409;
	if (!isConflict || this.getNodeParameter('ifExists', 'fail') !== 'skip') return undefined;
	const [found] = await filesNamed(api, values);
	return found && { json: found };
};

/** What was created: the response or, where nothing came back, the entry in the list; what was sent where that fails too. */
export const createdFile: Operation['result'] = async function ({ body }, values, api) {
	const found = isRecord(body) ? [body] : await filesNamed(api, values).catch(() => []);
	return { json: jsonOf('createFile', found[0], values) };
};
