import type { IDataObject } from 'n8n-workflow';

import { readPages } from './pages';
import type { Api, CallOptions, Values } from './types';

/** The files and folders of a name that a folder lists or, without one, the project. */
export async function filesNamed(
	api: Api,
	{ projectId, parentId, name }: Values,
	options?: CallOptions,
): Promise<IDataObject[]> {
	const list = { operation: 'listFiles', values: { projectId, parentId } } as const;
	const found: IDataObject[] = [];
	for await (const { data } of readPages(api, list, options))
		found.push(...data.filter((file) => file.name === name));
	return found;
}
