import { resultOrError } from '../errors';
import { nonEmptyText } from '../values';
import { readPages } from './lists';
import type { ApiClient } from './operations';

/** An approver waits for the project's name, and nothing depends on it. */
const MAX_LOOKUP_MS = 5_000;

/** What an approval request says of its project */
export interface ProjectDetails {
	projectName?: string;
	timeZone?: string;
}

/**
 * Returns the name and the time zone of a project (API document, Project). Empty if the list of projects can't be read in time, or
 * doesn't have the project: the key may lack the scope.
 */
export async function findProject(api: ApiClient, projectId: string): Promise<ProjectDetails> {
	const deadline = api.clock.monotonicMs() + MAX_LOOKUP_MS;
	const found = await resultOrError(searchProjects(api, projectId, deadline));
	return found instanceof Error ? {} : found;
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
