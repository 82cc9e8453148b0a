import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { readPages } from '../../api/pages';
import { isId } from '../../base/validation';
import { searchIn, shownBy, type Look, type Shown } from './listSearch';

// Files belong to a project, and not every operation on a file names one: the list then goes through the projects, one after
// the other, and says which project each file is in.

/** Where a look goes on */
interface Place {
	/** Cursor of the page of projects, and how many of it are done */
	projects?: string;
	done: number;
	/** Cursor of the page of files */
	files?: string;
}

interface Project {
	id: string;
	/** Shown where there are several */
	name?: string;
	/** The place behind it; undefined after the last one */
	after?: Place;
}

const tokenOf = (place: Place | undefined) => place && JSON.stringify(place);

/** The project of the panel. It is read as it stands there: asking for its extracted value fails where the operation has none. */
function chosenProject(context: ILoadOptionsFunctions): string | undefined {
	const chosen = context.getCurrentNodeParameter('projectId') as { value?: unknown } | undefined;
	// The trigger takes several projects, but a folder is in one.
	const several = context.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
	return [chosen?.value, several?.[0]].find(isId);
}

/** All projects from a place on. */
async function* projectsFrom({ api, deadline }: Look, start: Place): AsyncGenerator<Project> {
	let { projects: from, done } = start;
	const pages = readPages(api, { operation: 'listProjects' }, { from, deadline });
	for await (const { data, next } of pages) {
		for (const [index, { id, name }] of data.entries()) {
			if (index < done) continue;
			const more = { projects: from, done: index + 1 };
			const after = index + 1 < data.length ? more : next && { projects: next, done: 0 };
			yield { id: String(id), name: String(name ?? id), after: after || undefined };
		}
		from = next;
		done = 0;
	}
}

/** The files of all projects, or of the one of the panel, that `keep` lets through. */
async function* filesFrom(
	look: Look,
	only: string | undefined,
	token: string | undefined,
	keep: (file: IDataObject) => boolean,
): AsyncGenerator<Shown> {
	const { api, deadline } = look;
	const start = (token ? JSON.parse(token) : { done: 0 }) as Place;
	let { files: from } = start;
	let here = start;
	const projects = only === undefined ? projectsFrom(look, start) : [{ id: only } as Project];
	for await (const { id: projectId, name: project, after } of projects) {
		const nameOf = ({ name, id, kind }: IDataObject) =>
			[project, `${String(name ?? id)}${kind === 'folder' ? '/' : ''}`].filter(Boolean).join(' · ');
		const list = { operation: 'listFiles', values: { projectId } } as const;
		for await (const { data, next } of readPages(api, list, { from, deadline })) {
			const results = data.filter(keep).map(shownBy(api, 'listFiles', nameOf));
			const place = next === undefined ? after : { ...here, files: next };
			yield { results, paginationToken: tokenOf(place) };
		}
		from = undefined;
		here = after ?? here;
	}
}

const searchFiles = (keep: (file: IDataObject) => boolean) =>
	searchIn((look, context, token) => filesFrom(look, chosenProject(context), token, keep));

/** Files and folders: of the project that the panel names, or of all projects. */
export const getFiles = searchFiles(() => true);

/** Folders only. */
export const getFolders = searchFiles(({ kind }) => kind === 'folder');
