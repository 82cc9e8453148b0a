import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import type { OperationId } from '../shared/api/operations';
import { readPages } from '../shared/api/pages';
import { lookInto, shownBy } from '../shared/n8n/listSearch/listSearch';

// The entries of multiple selections. n8n filters them itself, so all of them are read.

const optionsOf = (operation: OperationId, nameOf: (entry: IDataObject) => unknown) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		return await lookInto(this, async ({ api, deadline }) => {
			const options: INodePropertyOptions[] = [];
			for await (const { data } of readPages(api, { operation }, { deadline }))
				options.push(...data.map(shownBy(api, operation, nameOf)));
			return options;
		});
	};

export const getProjectOptions = optionsOf('listProjects', ({ name }) => name);
export const getTaskOptions = optionsOf('listTasks', ({ title, emoji, id }) =>
	[emoji, title ?? id].filter(Boolean).join(' '),
);
