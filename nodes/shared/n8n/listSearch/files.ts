import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { readPages } from '../../api/pages';
import { isId } from '../../base/validation';
import { searchIn, shownBy, type Look, type Shown } from './listSearch';

// Files belong to a project, and not every operation on a file names one: the list then goes through the projects, one after
// the other, and says which project each file is in.

/** Where a look goes on: how many projects are done, and the cursor of the next page of files */
interface Place {
	done: number;
	files?: string;
}

/** The project of the panel. It is read as it stands there: asking for its extracted value fails where the operation has none. */
function chosenProject(context: ILoadOptionsFunctions): string | undefined {
	const chosen = context.getCurrentNodeParameter('projectId') as { value?: unknown } | undefined;
	// The trigger takes several projects, but a folder is in one.
	const several = context.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
	return [chosen?.value, several?.[0]].find(isId);
}

/** The project of the panel or, where it has none, all that there are. */
async function* projectsOf(
	{ api, deadline }: Look,
	chosen: string | undefined,
): AsyncGenerator<IDataObject> {
	if (chosen !== undefined) return yield { id: chosen };
	for await (const { data } of readPages(api, { operation: 'listProjects' }, { deadline }))
		yield* data.map((project) => ({ name: project.id, ...project }));
}

/** The files of the projects that `keep` lets through, with the name of their project where it has one. */
async function* filesFrom(
	look: Look,
	chosen: string | undefined,
	token: string | undefined,
	keep: (file: IDataObject) => boolean,
): AsyncGenerator<Shown> {
	const { api, deadline } = look;
	let { done, files: from } = (token ? JSON.parse(token) : { done: 0 }) as Place;
	let number = 0;
	for await (const { id: projectId, name: project } of projectsOf(look, chosen)) {
		if (number++ < done) continue;
		const nameOf = ({ name, id, kind }: IDataObject) =>
			[project, `${String(name ?? id)}${kind === 'folder' ? '/' : ''}`].filter(Boolean).join(' · ');
		const list = { operation: 'listFiles', values: { projectId } } as const;
		for await (const { data, next } of readPages(api, list, { from, deadline })) {
			const results = data.filter(keep).map(shownBy(api, 'listFiles', nameOf));
			if (next === undefined) done++;
			yield { results, paginationToken: JSON.stringify({ done, files: next } satisfies Place) };
		}
		from = undefined;
	}
	yield { results: [] };
}

const searchFiles = (keep: (file: IDataObject) => boolean) =>
	searchIn((look, context, token) => filesFrom(look, chosenProject(context), token, keep));

/** Files and folders: of the project that the panel names, or of all projects. */
export const getFiles = searchFiles(() => true);

/** Folders only. */
export const getFolders = searchFiles(({ kind }) => kind === 'folder');
