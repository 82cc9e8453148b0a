import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, older, unknownId, useService, type List, type Schemas } from './support.mts';

const { api, all, seed, keyFor } = useService();
type Domain = Schemas['CustomDomain'];
let found: SeedView;
beforeEach(async () => {
	found = await seed();
});

const list = (siteId: string, token?: string) =>
	all<Domain>('/custom-domains', { version: older, query: { siteId, limit: 5 }, token });
const remove = (id: string, token?: string) => api('DELETE', `/custom-domains/${id}`, { token });

test('are listed for one site, pending and not, with the DNS records for the registrar', async () => {
	const [first, second] = found.sites;
	const domains = await list(first.id);
	expect(domains.map(({ id }) => id)).toEqual(
		found.domains.filter(({ siteId }) => siteId === first.id).map(({ id }) => id),
	);
	expect(
		new Set(
			domains.map(({ status, is_pending, is_stale }) => [status, is_pending, is_stale].join()),
		),
	).toEqual(new Set(['active,false,false', 'pending,true,false', 'pending,true,true']));
	expect(domains[0]).toMatchObject({
		object: 'custom_domain',
		dns_instructions: { type: 'root', records: [{ type: 'A' }, { type: 'TXT' }] },
	});
	expect(
		(await list(second.id)).some(({ id }) => domains.map((domain) => domain.id).includes(id)),
	).toBe(false);
});

test('are deleted once, and a repeat is not found', async () => {
	const site = found.sites[0].id;
	const [first, ...others] = await list(site);
	expect(await remove(first.id)).toMatchObject({
		status: 200,
		body: { object: 'custom_domain', id: first.id, deleted: true },
	});
	expect(getError(await remove(first.id))).toEqual([404, 'not_found']);
	expect(await list(site)).toEqual(others);
});

test("that are deleted between two pages don't shift the second page", async () => {
	const query = { siteId: found.sites[0].id, limit: 5 };
	const everything = await list(query.siteId);
	const first = (await api<List<Domain>>('GET', '/custom-domains', { version: older, query })).body;
	for (const { id } of first.data) await remove(id);
	const second = await api<List<Domain>>('GET', '/custom-domains', {
		version: older,
		query: { ...query, cursor: first.next_cursor! },
	});
	expect(second.body.data).toEqual(everything.slice(5, 10));
});

test('of an unknown site, or of a project without access, are not found', async () => {
	const site = found.sites[0];
	const token = await keyFor({ projects: [found.projects[1].id] });
	const { id } = found.domains[0];
	const of = async (siteId: string, as?: string) =>
		getError(await api('GET', '/custom-domains', { version: older, query: { siteId }, token: as }));
	expect(await of(unknownId)).toEqual([404, 'not_found']);
	expect(await of(site.id, token)).toEqual([404, 'not_found']);
	expect(getError(await remove(id, token))).toEqual([404, 'not_found']);
	expect((await remove(id)).status).toBe(200);
});
