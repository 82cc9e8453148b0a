// Files and folders: list, create, read, rename, move.
import { randomUUID } from 'node:crypto';
import { requireScopes, type Key } from '../auth.mts';
import { iso } from '../clock.mts';
import { ApiError } from '../errors.mts';
import {
	comesAsText,
	contentOfBase64,
	contentOfText,
	signUrl,
	type FileContent,
} from '../file-content.mts';
import { getMyFiles, type FileItem } from '../file-store.mts';
import { listed } from '../lateness.mts';
import { mapPage, page } from '../paging.mts';
import { findProject, permitted } from './access.mts';
import { created, ok, type Handler, type Routes } from './route.mts';

/** A file as the API shows it */
function show({
	id,
	projectId,
	parentId,
	name,
	kind,
	content,
	contentType,
	createdAt,
	updatedAt,
}: FileItem) {
	return {
		object: 'file',
		id,
		projectId,
		...(parentId !== undefined && { parentId }),
		name,
		kind,
		sizeBytes: content.length,
		...(contentType !== undefined && { contentType }),
		createdAt: iso(createdAt),
		updatedAt: iso(updatedAt),
	};
}

export const fileRoutes: Routes = (state) => {
	const { clock } = state;

	const findFile = (id: string, key: Key) => permitted(key, state.store.files.get(id), 'file');

	/** @throws ApiError `not_found` when it is not in the project, `invalid_request` when it is not a folder */
	function findFolder(id: string, projectId: string, key: Key): FileItem {
		const item = findFile(id, key);
		const folder = permitted(key, item.projectId === projectId ? item : undefined, 'folder');
		if (folder.kind !== 'folder')
			throw new ApiError('invalid_request', 'body/parentId must be a folder');
		return folder;
	}

	/**
	 * The folder that a request names, or undefined for My Files: null, its id, or nothing at all.
	 * @throws ApiError as `findFolder`
	 */
	const getFolder = (parentId: string | null | undefined, projectId: string, key: Key) =>
		parentId === undefined || parentId === null || parentId === getMyFiles(projectId)
			? undefined
			: findFolder(parentId, projectId, key).id;

	/** @throws ApiError `conflict`; nothing is overwritten */
	function requireFree(
		place: Pick<FileItem, 'projectId' | 'parentId' | 'name'>,
		mover?: FileItem,
	): void {
		const there = state.store.files.at(place);
		if (there && there !== mover)
			throw new ApiError(
				'conflict',
				`There is already an item named ${JSON.stringify(place.name)} here.`,
			);
	}

	const readSource: Record<
		string,
		(name: string, source: any, projectId: string, key: Key) => FileContent
	> = {
		text: (name, { text }) => contentOfText(name, text),
		base64: (name, { data, contentType }) => contentOfBase64(name, data, contentType),
		asset(_, { assetId }, projectId, key) {
			requireScopes(key, ['assets.read']);
			const asset = permitted(key, state.store.assets.get(assetId), 'asset');
			const { content, contentType } = permitted(
				key,
				asset.projectId === projectId ? asset : undefined,
				'asset',
			);
			return { content, contentType };
		},
	};

	function readContent(
		{ kind, name, source, projectId }: any,
		key: Key,
	): Pick<FileItem, 'content' | 'contentType'> {
		if (kind === 'folder' && source)
			throw new ApiError('invalid_request', 'body/source is for files only');
		if (kind === 'folder') return { content: Buffer.alloc(0) };
		if (!source) throw new ApiError('invalid_request', 'body/source is required for a file');
		return readSource[source.type](name, source, projectId, key);
	}

	/** Renames, moves, or both: the assumed endpoint serves the two operations. */
	const changeFile: Handler = ({ params, body, key }) => {
		const file = findFile(params.fileId, key);
		const { name = file.name } = body;
		const parentId =
			body.parentId === undefined ? file.parentId : getFolder(body.parentId, file.projectId, key);
		const folder = parentId === undefined ? undefined : state.store.files.get(parentId);
		if (folder && state.store.files.isWithin(folder, file.id))
			throw new ApiError('conflict', 'A folder cannot be moved into itself.');
		requireFree({ projectId: file.projectId, parentId, name }, file);
		const same = name === file.name && parentId === file.parentId;
		return ok(show(same ? file : state.store.files.change(file, { name, parentId }, clock.now())));
	};

	return {
		listFiles({ query, limit, key }) {
			const { id } = findProject(state, key, query.projectId);
			const inFolder = query.parentId !== undefined;
			const parentId = getFolder(query.parentId, id, key);
			// Without a parent: all files of the project, in any folder
			const keep = (file: FileItem) => !inFolder || file.parentId === parentId;
			const list = page(
				`files ${id} ${query.parentId}`,
				{ ...query, limit },
				(sequence) => listed(state, state.store.files.after(id, sequence)),
				keep,
			);
			return ok(mapPage(list, show));
		},

		createFile({ body, key }) {
			const { projectId, name, kind } = body;
			findProject(state, key, projectId);
			const parentId = getFolder(body.parentId, projectId, key);
			const content = readContent(body, key);
			const place = { projectId, ...(parentId !== undefined && { parentId }), name };
			requireFree(place);
			const now = clock.now();
			return created(
				show(
					state.store.files.add({
						id: randomUUID(),
						...place,
						kind,
						...content,
						createdAt: now,
						updatedAt: now,
					}),
				),
			);
		},

		getFile: ({ params, key }) => ok(show(findFile(params.fileId, key))),

		renameFile: changeFile,
		moveFile: changeFile,

		getFileContent({ params, key, origin }) {
			const file = findFile(params.fileId, key);
			if (file.kind === 'folder') throw new ApiError('invalid_request', 'A folder has no content');
			return ok(
				comesAsText(file)
					? { text: file.content.toString() }
					: { url: signUrl(origin, file, clock.now()) },
			);
		},
	};
};
