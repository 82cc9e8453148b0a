import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, unknownId, useService, type Schemas } from './support.mts';
import { http } from '../../tools/http.mts';

const { api, seed, keyFor } = useService();
let projectId: string;
let siteId: string;
let otherSite: string;
let found: SeedView;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
	siteId = found.sites[0].id;
	otherSite = found.sites.find((site) => site.projectId !== projectId)!.id;
});

const startSession = () =>
	api('POST', '/agent/sessions', { body: { projectId, prompt: '[say hi]' } });
const share = (change: Record<string, unknown> = {}, token?: string) =>
	api<Schemas['SharedPreview']>('POST', '/shared-previews', {
		body: { projectId, siteId, route: '/about', ...change },
		token,
	});

test('need an agent session in the project first', async () => {
	await api('POST', '/agent/sessions', {
		body: { projectId: found.projects[1].id, prompt: '[say hi]' },
	});
	expect(getError(await share())).toEqual([409, 'conflict']);
	await startSession();
	expect((await share()).status).toBe(200);
});

test('are recovered for the same site, route and locale, and new for any other', async () => {
	await startSession();
	const first = (await share()).body;
	expect(first).toEqual({
		object: 'shared_preview',
		id: expect.any(String),
		url: expect.stringContaining(first.id),
	});
	expect((await share()).body).toEqual(first);
	expect((await share({ locale: 'en-US' })).body).toEqual(first);
	expect((await share({ locale: 'en-us' })).body).toEqual(first);
	const others = [{ route: '/' }, { locale: 'de-DE' }, { siteId: found.sites[1].id }];
	const ids = await Promise.all(others.map(async (change) => (await share(change)).body.id));
	expect(new Set([first.id, ...ids]).size).toBe(4);
});

test('have a link that opens', async () => {
	await startSession();
	const { url } = (await share({ route: '/a&b' })).body;
	const response = await http.get(url);
	expect(response.status).toBe(200);
	expect(response.data).toContain('/a&amp;b');
	expect((await http.get(url.slice(0, -4) + '0000')).status).toBe(404);
});

test.each([
	['a query string', { route: '/about?x=1' }],
	['a fragment', { route: '/about#top' }],
	['a relative route', { route: 'about' }],
	['a route that is too long', { route: `/${'x'.repeat(2048)}` }],
	['a locale that is not one', { locale: 'not a locale' }],
	['a locale that is too long', { locale: 'x'.repeat(256) }],
	['an unknown property', { colour: 'red' }],
])('refuse %s', async (_, change) => {
	await startSession();
	expect(getError(await share(change))).toEqual([400, 'invalid_request']);
});

test('of an unknown site, a site of another project, or a project without access are not found', async () => {
	await startSession();
	expect(getError(await share({ siteId: unknownId }))).toEqual([404, 'not_found']);
	expect(getError(await share({ siteId: otherSite }))).toEqual([404, 'not_found']);
	expect(getError(await share({}, await keyFor({ projects: [found.projects[1].id] })))).toEqual([
		404,
		'not_found',
	]);
});

test('the dashboard link of a session opens, and shows prompts as text', async () => {
	const { body } = await api<Schemas['AgentSessionCreated']>('POST', '/agent/sessions', {
		body: { projectId, prompt: '<script>' },
	});
	const { data: text } = await http.get(body.dashboardUrl!);
	expect(text).toContain('&lt;script>');
	expect(text).not.toContain('<script>');
});
