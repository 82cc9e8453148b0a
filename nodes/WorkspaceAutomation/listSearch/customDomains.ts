import { OLDER_VERSION } from '../../shared/connection';
import { listSearch } from '../../shared/listSearch/search';
import { requireId } from '../../shared/validate';

/** The custom domains of the site that the panel names: the service lists them by site only, and has no list of sites. */
export const getCustomDomains = listSearch({
	request: (context, { names }) => ({
		path: '/custom-domains',
		qs: { [names.domainsSite]: requireId('Site ID', context.getCurrentNodeParameter('siteId')) },
		version: OLDER_VERSION,
	}),
	show: ({ id, domain, status }) => ({
		value: String(id),
		name:
			status === undefined ? String(domain ?? id) : `${String(domain ?? id)} (${String(status)})`,
	}),
});
