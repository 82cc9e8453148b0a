import { getMyFiles } from '../../file-store.mts';
import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';

/** Files without a folder are in the folder with that name. */
const inMyFiles = (file: unknown) =>
	isObject(file) && file.parentId === undefined
		? { ...file, parentId: getMyFiles(String(file.projectId)) }
		: file;

const shown = body(inMyFiles);

export const myFilesFolder: Dialect = {
	summary: 'My Files is a folder with an id, which files in it have as their parentId',
	answers: {
		listFiles: body<{ data: unknown[] }>(({ data, ...list }) => ({
			...list,
			data: data.map(inMyFiles),
		})),
		createFile: shown,
		getFile: shown,
		renameFile: shown,
		moveFile: shown,
	},
};
