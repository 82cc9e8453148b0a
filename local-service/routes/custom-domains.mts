// Custom domains of a site: list, delete.
import { iso } from '../clock.mts';
import { getId } from '../ids.mts';
import { listed } from '../lateness.mts';
import { mapPage, page } from '../paging.mts';
import { notFound } from '../errors.mts';
import type { CustomDomain } from '../state.mts';
import { permitted } from './access.mts';
import { ok, type Routes } from './route.mts';

function show({ id, domain, status, stale, tokenExpiresAt }: CustomDomain) {
	return {
		object: 'custom_domain',
		id,
		domain,
		status,
		is_pending: status === 'pending',
		is_stale: stale,
		dns_instructions: {
			type: 'root',
			records: [
				{ type: 'A', host: '@', value: '192.0.2.10' },
				{ type: 'TXT', host: '_verify', value: `verify=${getId(`token:${id}`)}` },
			],
			verification_token: getId(`token:${id}`),
			verification_token_expires_at: iso(tokenExpiresAt),
		},
	};
}

export const customDomainRoutes: Routes = (state) => ({
	listCustomDomains({ query, limit, key }) {
		const { id } = permitted(key, state.store.sites.get(query.siteId), 'site');
		return ok(
			mapPage(
				page(`domains ${id}`, { ...query, limit }, (sequence) =>
					listed(state, state.store.domains.after(id, sequence)),
				),
				show,
			),
		);
	},

	deleteCustomDomain({ params, key }) {
		const { domains, sites } = state.store;
		const domain = domains.get(params.customDomainId);
		if (!domain) throw notFound('custom domain');
		permitted(key, sites.get(domain.siteId), 'custom domain');
		domains.delete(domain.id);
		return ok({ object: 'custom_domain', id: domain.id, deleted: true });
	},
});
