import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../base/errors';
import { isId } from '../../base/validation';
import { listSearch } from './listSearch';

/** The project of the panel. It is read as it stands there: asking for its extracted value fails where the operation has none. */
function chosenProject(context: ILoadOptionsFunctions): string {
	const chosen = context.getCurrentNodeParameter('projectId') as { value?: unknown } | undefined;
	// The trigger takes several projects, but a folder is in one.
	const several = context.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
	const projectId = [chosen?.value, several?.[0]].find(isId);
	if (projectId !== undefined) return projectId;
	throw new WorkspaceAutomationError(
		'No project is chosen',
		"Files are listed by project: choose one under 'Project' (in the trigger 'Project Names or IDs'), or enter an ID with 'By ID'.",
	);
}

const searchFiles = (keep: (file: IDataObject) => boolean) =>
	listSearch(
		'listFiles',
		({ name, id, kind }) => `${String(name ?? id)}${kind === 'folder' ? '/' : ''}`,
		(context) => ({ projectId: chosenProject(context) }),
		keep,
	);

/** The files and folders of the project that the panel names. */
export const getFiles = searchFiles(() => true);

/** Its folders only. */
export const getFolders = searchFiles(({ kind }) => kind === 'folder');
