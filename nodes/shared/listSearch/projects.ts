import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../client';
import type { components } from '../contract';
import { Problem, toNodeError } from '../problem';

type ProjectList = components['schemas']['ProjectList'];
type Project = components['schemas']['Project'];

const PAGE = 100;

/**
 * Projects for a resource locator. The service has no search, so a filter is held against whole pages: pages are read until
 * one has a match. With no project at all the service's `setup_required` message is shown instead of an empty list.
 */
export async function getProjects(this: ILoadOptionsFunctions, filter?: string, paginationToken?: string): Promise<INodeListSearchResult> {
	try {
		const { send, names } = await createClient(this);
		const wanted = filter?.trim().toLowerCase() ?? '';
		for (let cursor = paginationToken; ; ) {
			const qs = { [names.limit]: PAGE, ...(cursor && { [names.cursor]: cursor }) };
			const page = (await send({ method: 'GET', path: '/projects', qs })) as ProjectList;
			const projects: Project[] = page.data ?? [];
			if (projects.length === 0 && page.setup_required) throw setupRequired(page.setup_required);
			const results = projects
				.filter(({ id, name }) => `${name ?? ''} ${id}`.toLowerCase().includes(wanted))
				.map(({ id, name }) => ({ name: name ?? id, value: id }));
			const next = page.has_more ? page.next_cursor || undefined : undefined;
			if (results.length > 0 || !next) return { results, paginationToken: next };
			cursor = next;
		}
	} catch (error) {
		throw toNodeError(this.getNode(), error, 0);
	}
}

/** The service's own words on why the key can act on no project (API document, Project). */
export function setupRequired({ message, reason, eligible_workspaces: workspaces = [] }: NonNullable<ProjectList['setup_required']>): Problem {
	const names = workspaces.map(({ name, id }) => name ?? id).filter(Boolean);
	return new Problem(
		message ?? 'The access token can act on no project',
		`Create a project in the product or use a key of somebody who has one.${names.length > 0 ? ` Workspaces that could hold one: ${names.join(', ')}.` : ''}`,
		{ code: reason },
	);
}
