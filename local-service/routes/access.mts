// Looks things up on behalf of a key: what the key may not see does not exist.
import { mayActOn, type Key } from '../auth.mts';
import { notFound } from '../errors.mts';
import type { Project, ServiceState } from '../state.mts';

/**
 * The thing, if it exists and the key can act on its project.
 * @throws ApiError `not_found`
 */
export function permitted<T extends { projectId: string }>(
	key: Key,
	thing: T | undefined,
	what: string,
): T {
	if (!thing || !mayActOn(key, thing.projectId)) throw notFound(what);
	return thing;
}

/** @throws ApiError `not_found` */
export function findProject(state: ServiceState, key: Key, id: string): Project {
	const project = state.store.projects.get(id);
	if (!project || !mayActOn(key, id)) throw notFound('project');
	return project;
}
