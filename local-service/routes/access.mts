// Finding things on behalf of a key: what it may not see is not there.
import { mayActOn, type Key } from '../auth.mts';
import { notFound } from '../errors.mts';
import type { Project, World } from '../world.mts';

/**
 * The thing, if it exists and its project is one that the key can act on.
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
export function findProject(world: World, key: Key, id: string): Project {
	const project = world.store.projects.get(id);
	if (!project || !mayActOn(key, id)) throw notFound('project');
	return project;
}
