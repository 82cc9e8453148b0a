import type { INodeParameterResourceLocator } from 'n8n-workflow';

import { listSearch } from '../../shared/n8n/listSearch/listSearch';
import { requireId } from '../../shared/base/validation';

/** The products of the project that the panel names. Their fields are not documented: whatever names one is shown. */
export const getProducts = listSearch({
	list: (context) => {
		const chosen = context.getCurrentNodeParameter('projectId') as
			INodeParameterResourceLocator | undefined;
		return {
			operation: 'listProducts',
			values: { projectId: requireId('Project', chosen?.value) },
		};
	},
	show: ({ id, name, title }) => ({ value: String(id), name: String(name ?? title ?? id) }),
});
