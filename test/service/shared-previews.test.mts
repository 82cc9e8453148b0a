import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { useService, type Schemas } from './support.mts';
import { http } from '../../tools/http.mts';

const { api, seed } = useService();
let projectId: string;
let siteId: string;
let found: SeedView;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
	siteId = found.sites[0].id;
});

const startSession = () =>
	api('POST', '/agent/sessions', { body: { projectId, prompt: '[say hi]' } });
const share = (change: Record<string, unknown> = {}, token?: string) =>
	api<Schemas['SharedPreview']>('POST', '/shared-previews', {
		body: { projectId, siteId, route: '/about', ...change },
		token,
	});

test('have a link that opens', async () => {
	await startSession();
	const { url } = (await share({ route: '/a&b' })).body;
	const response = await http.get(url);
	expect(response.status).toBe(200);
	expect(response.data).toContain('/a&amp;b');
	expect((await http.get(url.slice(0, -4) + '0000')).status).toBe(404);
});
