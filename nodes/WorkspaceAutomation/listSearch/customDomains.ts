import { listSearch } from '../../shared/n8n/listSearch/listSearch';
import { requireId } from '../../shared/base/validation';

/** The custom domains of the site that the panel names: the service lists them by site only, and has no list of sites. */
export const getCustomDomains = listSearch({
	list: (context) => ({
		operation: 'listCustomDomains',
		values: { siteId: requireId('Site ID', context.getCurrentNodeParameter('siteId')) },
	}),
	show: ({ id, domain, status }) => {
		const name = String(domain ?? id);
		return { value: String(id), name: status === undefined ? name : `${name} (${String(status)})` };
	},
});
