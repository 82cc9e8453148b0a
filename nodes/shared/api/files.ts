import type { IDataObject } from 'n8n-workflow';

import { readPages } from './pages';
import type { Api, CallOptions, Values } from './types';

/**
 * The files or folders of a name in the place that a request to create one names. What is created without a folder may come back with
 * that of My Files, so there any place of the project counts.
 */
export async function filesNamed(
	api: Api,
	{ projectId, parentId, name, kind }: Values,
	options?: CallOptions,
): Promise<IDataObject[]> {
	const list = { operation: 'listFiles', values: { projectId, parentId } } as const;
	const found: IDataObject[] = [];
	for await (const { data } of readPages(api, list, options))
		found.push(...data.filter((file) => file.name === name && (file.kind ?? kind) === kind));
	return found;
}
