import type { INodeParameterResourceLocator } from 'n8n-workflow';

import { requireId } from '../shared/base/validation';
import { listSearch } from '../shared/n8n/listSearch/listSearch';

// What the pickers of this node list, beside projects and files.

/** Tasks, with their emoji as the product shows them. */
export const getTasks = listSearch('listTasks', ({ title, emoji, id }) =>
	[emoji, title ?? id].filter(Boolean).join(' '),
);

/** The custom domains of the site that the panel names: the service lists them by site only, and has no list of sites. */
export const getCustomDomains = listSearch(
	'listCustomDomains',
	({ domain, id, status }) =>
		status === undefined ? domain : `${String(domain ?? id)} (${String(status)})`,
	(context) => ({ siteId: requireId('Site ID', context.getCurrentNodeParameter('siteId')) }),
);

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
