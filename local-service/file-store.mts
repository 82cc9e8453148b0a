// Files and folders of all projects. Sibling names are unique, which a table of places keeps fast in big folders.
import { createCollection, type Stored } from './collection.mts';
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

export interface FileStore {
	get(id: string): FileItem | undefined;
	all(): FileItem[];
	/** The files of a project in order of creation, starting after a sequence number. */
	after(projectId: string, sequence: number): Iterable<Stored<FileItem>>;
	/** The item with this name in this folder */
	at(place: Place): FileItem | undefined;
	add(item: FileItem): FileItem;
	/** Renames or moves an item; the new place must be free. */
	change(item: FileItem, to: Partial<Place>, now: number): FileItem;
	/** Deletes an item, and with a folder everything below it. */
	delete(item: FileItem): void;
	/** True if `item` is the folder itself or is anywhere below it */
	isWithin(item: FileItem, folderId: string): boolean;
}

/** The id of a project's My Files, where callers may name it as any other folder. The API document shows none. */
export const getMyFiles = (projectId: string): string => getId(`my-files:${projectId}`);

const getKey = ({ projectId, parentId = '', name }: Place) => `${projectId}/${parentId}/${name}`;

export function createFileStore(): FileStore {
	const files = createCollection<FileItem>(({ projectId }) => projectId);
	const byPlace = new Map<string, FileItem>();
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
		after: files.after,
		at: (place) => byPlace.get(getKey(place)),
		add(item) {
			byPlace.set(getKey(item), item);
			return files.add(item, item.createdAt);
		},
		change(item, to, now) {
			byPlace.delete(getKey(item));
			Object.assign(item, to, { updatedAt: now });
			byPlace.set(getKey(item), item);
			return item;
		},
		delete(item) {
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
