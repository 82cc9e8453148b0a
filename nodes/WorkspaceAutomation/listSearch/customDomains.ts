import { requireId } from '../../shared/base/validation';
import { listSearch } from '../../shared/n8n/listSearch/listSearch';

/** The custom domains of the site that the panel names: the service lists them by site only, and has no list of sites. */
export const getCustomDomains = listSearch(
	'listCustomDomains',
	({ domain, id, status }) =>
		status === undefined ? domain : `${String(domain ?? id)} (${String(status)})`,
	(context) => ({ siteId: requireId('Site ID', context.getCurrentNodeParameter('siteId')) }),
);
