// What the API document says about each resource, and the mock service does.
import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { http } from '../../tools/http.mts';
import { getError, older, useService, type Json } from './support.mts';

const { api, seed, clock, advance, keyFor } = useService();
let found: SeedView;
let projectId: string;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
});

test('a key sees the projects that it has access to', async () => {
	const some = [found.projects[3].id, found.projects[120].id];
	const token = await keyFor({ projects: some });
	const { body } = await api<Json>('GET', '/projects', { token });
	expect(body.data.map(({ id }: Json) => id)).toEqual(some);
	expect(body.setup_required).toBeUndefined();
});

test('a task is changed field by field, the same update changes nothing again, and the prompt is stored', async () => {
	const [{ id }] = found.tasks;
	const before = (await api<Json>('GET', `/tasks/${id}`, { version: older })).body;
	advance(60);
	const body = { title: 'New', prompt: 'Secret words', nonsense: 1 };
	const updatedAt = new Date(clock.now()).toISOString();
	for (let time = 0; time < 2; time++) {
		const changed = await api('PATCH', `/tasks/${id}`, { body });
		expect([changed.status, changed.body]).toEqual([200, { ...before, title: 'New', updatedAt }]);
		advance(60);
	}
	expect((await seed()).tasks[0]).toMatchObject({ title: 'New', prompt: 'Secret words' });
});

test('a product is changed field by field, any number of times, and stays in its project', async () => {
	const list = async () =>
		(await api<Json>('GET', '/products', { query: { projectId } })).body.data;
	const [product] = await list();
	const body = { price: 1, extra: { a: null } };
	const [, { id: other }] = found.projects;
	for (let time = 0; time < 2; time++) {
		const sent = { ...body, projectId: other };
		const changed = await api('PATCH', `/products/${product.id}`, { body: sent });
		expect(changed.body).toEqual({ ...product, ...body });
	}
	expect((await list())[0]).toEqual({ ...product, ...body });
});

test('a file under the name of a sibling is a conflict', async () => {
	const name = 'readme.md';
	const folder = found.folders.find((each) => each.name === 'Empty')!;
	const text = { kind: 'file', source: { type: 'text', text: 'hello' } };
	const create = (fields: object) =>
		api('POST', '/files', { body: { projectId, name, ...text, ...fields } });
	expect(getError(await create({}))).toEqual([409, 'conflict']);
	expect(getError(await create({ kind: 'folder', source: undefined }))).toEqual([409, 'conflict']);
	expect((await create({ parentId: folder.id })).status).toBe(201);
	expect((await create({ name: 'Readme.md' })).status).toBe(201);
});

test('a download URL can be fetched for 15 minutes and no longer', async () => {
	const { id } = found.files.find(({ name }) => name === 'team.jpg')!;
	const { url } = (await api<{ url: string }>('GET', `/files/${id}/content`)).body;
	advance(15 * 60 - 1);
	expect((await http.get(url)).status).toBe(200);
	advance(1);
	expect((await http.get(url)).status).toBe(403);
});

test('a shared preview shows the edits that agents of its project were allowed to make', async () => {
	const prompt = '[change content: => <New>] [ask edit: a.html] [ask edit: b.html] [say Done]';
	const start = await api<Json>('POST', '/agent/sessions', { body: { projectId, prompt } });
	const path = `/agent/sessions/${start.body.sessionId}`;
	const body = { projectId, siteId: found.sites[0].id, route: '/' };
	const { url } = (await api<Json>('POST', '/shared-previews', { body })).body;
	const pages: string[] = [];
	for (const value of ['once', 'reject']) {
		advance(5);
		pages.push((await http.get(url)).data as string);
		const [{ id }] = (await api<Json>('GET', path)).body.pendingInteractions!;
		const answer = { type: 'permission', response: value };
		await api('POST', `${path}/interactions/${id}/resolve`, { body: answer });
	}
	advance(5);
	pages.push((await http.get(url)).data as string);
	expect(pages.map((page) => page.includes('<h2>a.html</h2><pre>&lt;New></pre>'))).toEqual([
		false,
		true,
		true,
	]);
	expect(pages.join('')).not.toContain('b.html');
});

test('a shared preview has a link that opens', async () => {
	await api('POST', '/agent/sessions', { body: { projectId, prompt: '[say hi]' } });
	const body = { projectId, siteId: found.sites[0].id, route: '/a&b' };
	const { url } = (await api<Json>('POST', '/shared-previews', { body })).body;
	const response = await http.get(url);
	expect(response.status).toBe(200);
	expect(response.data).toContain('/a&amp;b');
	expect((await http.get(url.slice(0, -4) + '0000')).status).toBe(404);
});
