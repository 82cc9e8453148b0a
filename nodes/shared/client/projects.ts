import { resultOrError } from '../errors';
import { nonEmptyText } from '../values';
import { readPages } from './lists';
import type { ApiClient } from './operations';

/** Short, because an approver waits and nothing depends on the name */
const MAX_LOOKUP_MS = 5_000;

export interface ProjectDetails {
	projectName?: string;
	timeZone?: string;
}

/** Returns {} if the project isn't in the list in time (API document, Project): the key may lack the scope. */
export async function findProject(api: ApiClient, projectId: string): Promise<ProjectDetails> {
	const deadline = api.clock.monotonicMs() + MAX_LOOKUP_MS;
	const found = await resultOrError(searchProjects(api, projectId, deadline));
	return found instanceof Error ? {} : found;
}

/** Lookups that are under way, which the sessions of a project share */
const running = new WeakMap<ApiClient, Map<string, Promise<ProjectDetails>>>();

/** Returns a lookup that asks for each project once, also if nothing was found. @param found the details by project, which the caller keeps */
export function createProjectLookup(
	api: ApiClient,
	found: Record<string, ProjectDetails>,
): (projectId: string) => Promise<ProjectDetails> {
	const lookups = running.get(api) ?? new Map<string, Promise<ProjectDetails>>();
	running.set(api, lookups);
	return async (projectId) => {
		if (found[projectId]) return found[projectId];
		const lookup = lookups.get(projectId) ?? findProject(api, projectId);
		lookups.set(projectId, lookup);
		return (found[projectId] = { ...(await lookup) });
	};
}

async function searchProjects(
	api: ApiClient,
	projectId: string,
	deadline: number,
): Promise<ProjectDetails> {
	const options = { deadline, maxAttempts: 1 };
	for await (const { data } of readPages(api, 'listProjects', {}, options)) {
		const project = data.find(
			(each) =>
				nonEmptyText(api.readField('listProjects', 'id', each))?.toLowerCase() === projectId,
		);
		if (project)
			return { projectName: nonEmptyText(project.name), timeZone: nonEmptyText(project.timeZone) };
	}
	return {};
}
