import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ApiClient } from '../../shared/client/operations';
import { findProject, type ProjectDetails } from '../../shared/client/projects';

/** Key in the execution's context, which n8n saves when the execution pauses */
const FOUND_PROJECTS = 'workspaceAutomationProjects';

/** Lookups that are under way, which the sessions of a project share */
const running = new WeakMap<ApiClient, Map<string, Promise<ProjectDetails>>>();

/** Returns a lookup that asks for each project once per execution, also if nothing was found. */
export function createProjectLookup(
	context: Pick<IExecuteFunctions, 'getContext'>,
	api: ApiClient,
): (projectId: string) => Promise<ProjectDetails> {
	const found = (context.getContext('flow')[FOUND_PROJECTS] ??= {}) as IDataObject;
	const lookups = running.get(api) ?? new Map<string, Promise<ProjectDetails>>();
	running.set(api, lookups);
	return async (projectId) => {
		if (found[projectId]) return found[projectId] as ProjectDetails;
		const lookup = lookups.get(projectId) ?? findProject(api, projectId);
		lookups.set(projectId, lookup);
		const details = await lookup;
		found[projectId] = { ...details };
		return details;
	};
}
