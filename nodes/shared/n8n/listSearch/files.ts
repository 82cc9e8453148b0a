import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { cursorAfter, readPage, type ListRequest, type Page } from '../../api/pages';
import { setupRequiredError } from '../../api/setupRequired';
import { toNodeError } from '../../base/nodeErrors';
import { LIMITS } from '../../base/limits';
import { createApiClient, type ApiClient } from '../../transport/apiClient';
import { isId } from '../../base/validation';
import { endlessPicker } from './listSearch';

// Files belong to a project, and not every operation on a file names one: the list then goes through the projects, one after
// the other, and says which project each file is in.

interface Place {
	/** Cursor of the page of projects, and how far into it */
	projects?: string;
	project: number;
	/** Cursor of the page of files */
	files?: string;
}

interface Shown {
	name: string;
	value: string;
}

const label = (file: IDataObject, projectName?: string) =>
	[projectName, `${String(file.name ?? file.id)}${file.kind === 'folder' ? '/' : ''}`]
		.filter(Boolean)
		.join(' · ');

interface Search {
	client: ApiClient;
	/** Time, as the clock gives it, after which nothing more is asked for */
	deadline: number;
	/** The project of the panel; all projects where there is none */
	only?: string;
	keep: (file: IDataObject) => boolean;
	wanted: string;
}

/** The projects to go through: the one of the panel, or a page of all of them. */
async function projectsAt(
	{ client, deadline, only }: Search,
	cursor: string | undefined,
): Promise<Page> {
	if (only !== undefined) return { data: [{ id: only }] };
	const list: ListRequest = { operation: 'listProjects' };
	const page = await readPage(client, list, { cursor }, { deadline });
	if (page.data.length === 0 && page.setupRequired) throw setupRequiredError(page.setupRequired);
	return { ...page, next: cursorAfter(list, page) };
}

/** One page after the other from a place on, until something matches. */
async function searchFrom(start: Place, search: Search): Promise<INodeListSearchResult> {
	const { client, deadline, only, keep, wanted } = search;
	const results: Shown[] = [];
	let projects = await projectsAt(search, start.projects);
	let next: Place | undefined = start;
	for (let pages = 0; next && results.length === 0 && pages < LIMITS.pickerPages; pages++) {
		if (client.clock.now() > deadline) throw endlessPicker();
		const here: Place = next;
		const project = projects.data[here.project];
		// Fewer than there were when the list was opened.
		if (!project) return { results };
		const list: ListRequest = { operation: 'listFiles', values: { projectId: project.id } };
		const page = await readPage(client, list, { cursor: here.files }, { deadline });
		for (const file of page.data.filter(keep)) {
			const name = label(file, only === undefined ? String(project.name ?? project.id) : undefined);
			if (`${name} ${String(file.id)}`.toLowerCase().includes(wanted))
				results.push({ name, value: String(file.id) });
		}
		next = after(here, cursorAfter(list, page), projects.data.length, projects.next);
		if (next && next.projects !== here.projects) projects = await projectsAt(search, next.projects);
	}
	return { results, paginationToken: next && JSON.stringify(next) };
}

function after(
	place: Place,
	files: string | undefined,
	projectCount: number,
	projects: string | undefined,
): Place | undefined {
	if (files !== undefined) return { ...place, files };
	if (place.project + 1 < projectCount)
		return { projects: place.projects, project: place.project + 1 };
	return projects === undefined ? undefined : { projects, project: 0 };
}

const searchOf = (keep: (file: IDataObject) => boolean) =>
	async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		try {
			// As it stands in the panel: asking for its extracted value fails where the operation has no project.
			const chosen = this.getCurrentNodeParameter('projectId') as { value?: unknown } | undefined;
			// The trigger takes several projects, but a folder is in one.
			const several = this.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
			const only = [chosen?.value, several?.[0]].find(isId);
			const place = paginationToken ? (JSON.parse(paginationToken) as Place) : { project: 0 };
			const client = await createApiClient(this);
			const deadline = client.clock.now() + LIMITS.pickerMs;
			const wanted = filter?.trim().toLowerCase() ?? '';
			return await searchFrom(place, { client, deadline, only, keep, wanted });
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};

/** Files and folders: of the project that the panel names, or of all projects. */
export const getFiles = searchOf(() => true);

/** Folders only. */
export const getFolders = searchOf(({ kind }) => kind === 'folder');
