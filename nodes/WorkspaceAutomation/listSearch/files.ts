import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient, type Client } from '../../shared/client';
import { readPage } from '../../shared/paging';
import { toNodeError } from '../../shared/problem';
import { setupRequired } from '../../shared/setupRequired';

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
	[projectName, `${String(file.name ?? file.id)}${file.kind === 'folder' ? '/' : ''}`].filter(Boolean).join(' · ');

async function filesOf(client: Client, projectId: string, cursor: string | undefined) {
	return await readPage(client, { path: '/files', qs: { [client.names.filesProject]: projectId } }, { cursor });
}

/** One page after the other, wherever the last look ended, until something matches. */
async function search(client: Client, only: string | undefined, keep: (file: IDataObject) => boolean, wanted: string, place: Place): Promise<INodeListSearchResult> {
	const results: Shown[] = [];
	let next: Place | undefined = place;
	for (let pages = 0; next && results.length === 0 && pages < MOST_PAGES; pages++) {
		const here: Place = next;
		const projects = only === undefined ? await readPage(client, { path: '/projects' }, { cursor: here.projects }) : { data: [{ id: only }], next: undefined };
		if ('setupRequired' in projects && projects.setupRequired && projects.data.length === 0) throw setupRequired(projects.setupRequired);
		const project = projects.data[here.project] as IDataObject | undefined;
		if (!project) return { results };
		const page = await filesOf(client, String(project.id), here.files);
		for (const file of page.data.filter(keep)) {
			const name = label(file, only === undefined ? String(project.name ?? project.id) : undefined);
			if (`${name} ${String(file.id)}`.toLowerCase().includes(wanted)) results.push({ name, value: String(file.id) });
		}
		next = after(here, page.next, projects.data.length, projects.next);
	}
	return { results, paginationToken: next && JSON.stringify(next) };
}

function after(place: Place, files: string | undefined, projectCount: number, projects: string | undefined): Place | undefined {
	if (files !== undefined) return { ...place, files };
	if (place.project + 1 < projectCount) return { projects: place.projects, project: place.project + 1 };
	return projects === undefined ? undefined : { projects, project: 0 };
}

const searchOf = (keep: (file: IDataObject) => boolean) =>
	async function (this: ILoadOptionsFunctions, filter?: string, paginationToken?: string): Promise<INodeListSearchResult> {
		try {
			const chosen = this.getCurrentNodeParameter('projectId', { extractValue: true });
			const only = typeof chosen === 'string' && chosen !== '' ? chosen : undefined;
			const place = paginationToken ? (JSON.parse(paginationToken) as Place) : { project: 0 };
			return await search(await createClient(this), only, keep, filter?.trim().toLowerCase() ?? '', place);
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};

/** Files and folders: of the project that the panel names, or of all projects. */
export const getFiles = searchOf(() => true);

/** Folders only. */
export const getFolders = searchOf(({ kind }) => kind === 'folder');
