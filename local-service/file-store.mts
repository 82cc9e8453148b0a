// Files and folders of all projects. Sibling names are unique, which a table of places keeps fast in big folders.
import { createCollection } from './collection.mts';
import { getId } from './ids.mts';

export interface FileItem {
	id: string;
	projectId: string;
	/** Items without a parent are in My Files */
	parentId?: string;
	name: string;
	kind: 'file' | 'folder';
	/** Empty for folders */
	content: Buffer;
	/** Undefined for folders */
	contentType?: string;
	/** Milliseconds of service time */
	createdAt: number;
	updatedAt: number;
}

type Place = Pick<FileItem, 'projectId' | 'parentId' | 'name'>;

export type FileStore = ReturnType<typeof createFileStore>;

/** The id of a project's My Files, where callers may name it as any other folder. The API document shows none. */
export const getMyFiles = (projectId: string): string => getId(`my-files:${projectId}`);

const getKey = ({ projectId, parentId = '', name }: Place) => `${projectId}/${parentId}/${name}`;

export function createFileStore() {
	const files = createCollection<FileItem>(({ projectId }) => projectId);
	const byPlace = new Map<string, FileItem>();
	/** True if `item` is the folder itself or is anywhere below it */
	function isWithin(item: FileItem, folderId: string): boolean {
		for (
			let at: FileItem | undefined = item;
			at;
			at = at.parentId === undefined ? undefined : files.get(at.parentId)
		) {
			if (at.id === folderId) return true;
		}
		return false;
	}
	return {
		get: files.get,
		all: files.all,
		/** The files of a project in order of creation, starting after a sequence number. */
		after: files.after,
		/** The item with this name in this folder */
		at: (place: Place) => byPlace.get(getKey(place)),
		add(item: FileItem): FileItem {
			byPlace.set(getKey(item), item);
			return files.add(item, item.createdAt);
		},
		/** Renames or moves an item; the new place must be free. */
		change(item: FileItem, to: Partial<Place>, now: number): FileItem {
			byPlace.delete(getKey(item));
			Object.assign(item, to, { updatedAt: now });
			byPlace.set(getKey(item), item);
			return item;
		},
		/** Deletes an item, and with a folder everything below it. */
		delete(item: FileItem): void {
			const gone =
				item.kind === 'file' ? [item] : files.all().filter((each) => isWithin(each, item.id));
			for (const each of gone) {
				byPlace.delete(getKey(each));
				files.delete(each.id);
			}
		},
		isWithin,
	};
}
