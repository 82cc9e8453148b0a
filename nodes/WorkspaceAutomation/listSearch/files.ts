import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient, type Client } from '../../shared/client';
import { readPage, type Page } from '../../shared/paging';
import { toNodeError } from '../../shared/problem';
import { setupRequired } from '../../shared/setupRequired';
import { isId } from '../../shared/validate';

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

/** As many pages of files as one look into the list may cost. */
const MOST_PAGES = 20;

const label = (file: IDataObject, projectName?: string) =>
	[projectName, `${String(file.name ?? file.id)}${file.kind === 'folder' ? '/' : ''}`]
		.filter(Boolean)
		.join(' · ');

/** The projects to go through: the one of the panel, or a page of all of them. */
async function projectsAt(
	client: Client,
	only: string | undefined,
	cursor: string | undefined,
): Promise<Page> {
	if (only !== undefined) return { data: [{ id: only }] };
	const page = await readPage(client, { path: '/projects' }, { cursor });
	if (page.data.length === 0 && page.setupRequired) throw setupRequired(page.setupRequired);
	return page;
}

/** One page after the other, wherever the last look ended, until something matches. */
async function search(
	client: Client,
	only: string | undefined,
	keep: (file: IDataObject) => boolean,
	wanted: string,
	place: Place,
): Promise<INodeListSearchResult> {
	const results: Shown[] = [];
	let projects = await projectsAt(client, only, place.projects);
	let next: Place | undefined = place;
	for (let pages = 0; next && results.length === 0 && pages < MOST_PAGES; pages++) {
		const here: Place = next;
		const project = projects.data[here.project];
		// Fewer than there were when the list was opened.
		if (!project) return { results };
		const page = await readPage(
			client,
			{ path: '/files', qs: { [client.names.filesProject]: project.id } },
			{ cursor: here.files },
		);
		for (const file of page.data.filter(keep)) {
			const name = label(file, only === undefined ? String(project.name ?? project.id) : undefined);
			if (`${name} ${String(file.id)}`.toLowerCase().includes(wanted))
				results.push({ name, value: String(file.id) });
		}
		next = after(here, page.next, projects.data.length, projects.next);
		if (next && next.projects !== here.projects)
			projects = await projectsAt(client, only, next.projects);
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
			const only = isId(chosen?.value) ? chosen.value : undefined;
			const place = paginationToken ? (JSON.parse(paginationToken) as Place) : { project: 0 };
			return await search(
				await createClient(this),
				only,
				keep,
				filter?.trim().toLowerCase() ?? '',
				place,
			);
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};

/** Files and folders: of the project that the panel names, or of all projects. */
export const getFiles = searchOf(() => true);

/** Folders only. */
export const getFolders = searchOf(({ kind }) => kind === 'folder');
