import type { INodeParameterResourceLocator } from 'n8n-workflow';

import { requireId } from '../../shared/base/validation';
import { listSearch } from '../../shared/n8n/listSearch/listSearch';

/** The products of the project that the panel names. Their fields are not documented: whatever names one is shown. */
export const getProducts = listSearch(
	'listProducts',
	({ name, title }) => name ?? title,
	(context) => {
		const chosen = context.getCurrentNodeParameter('projectId') as
			INodeParameterResourceLocator | undefined;
		return { projectId: requireId('Project', chosen?.value) };
	},
);
