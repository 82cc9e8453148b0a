// Changes by the control API, seen through the API: it can cause every event that a trigger can watch.
import { afterEach, describe, expect, test } from '@jest/globals';
import { speaker } from './speaker.mts';
import { older, unknownId, useService, type Schemas } from './support.mts';

const { api, all, control, seed, advance, clock } = useService();
const iso = () => new Date(clock.now()).toISOString();
const firstProject = async () => (await seed()).projects[0].id;
const ids = (items: Array<{ id?: string }>) => items.map(({ id }) => id);

test('projects are added, renamed and removed, and a reset removes all changes', async () => {
	const list = () => all<Schemas['Project']>('/projects', { query: { limit: 100 } });
	const before = await list();
	const { id } = await control.projects.add({ name: 'Brand new' });
	expect((await list()).at(-1)).toMatchObject({ object: 'project', id, name: 'Brand new' });
	await control.projects.change(before[0].id, { name: 'Renamed' });
	expect((await list())[0]).toEqual({ ...before[0], name: 'Renamed' });
	await control.projects.remove(before[1].id);
	expect(ids(await list())).not.toContain(before[1].id);
	await control.reset();
	expect(await list()).toEqual(before);
});

describe('tasks', () => {
	const list = () => all<Schemas['Task']>('/tasks', { query: { limit: 100 } });
	const read = async (id: string) =>
		(await api<Schemas['Task']>('GET', `/tasks/${id}`, { version: older })).body;

	test('are added, changed and removed', async () => {
		const { id } = await control.tasks.add({ title: 'Tidy up', rrule: 'FREQ=WEEKLY;BYDAY=FR' });
		const added = (await list()).at(-1)!;
		expect(added).toMatchObject({ id, title: 'Tidy up', createdAt: iso(), updatedAt: iso() });
		advance(60);
		await control.tasks.change(id, { title: 'Tidied' });
		expect(await read(id)).toEqual({ ...added, title: 'Tidied', updatedAt: iso() });
		await control.tasks.remove(id);
		expect(ids(await list())).not.toContain(id);
	});

	test('run: the next run gets a new time, and nothing else changes', async () => {
		const [{ id }] = (await seed()).tasks;
		const before = await read(id);
		const { nextRunAt } = await control.tasks.run(id);
		const after = await read(id);
		expect(after).toEqual({ ...before, nextRunAt });
		expect(Date.parse(after.nextRunAt!)).toBeGreaterThan(Date.parse(before.nextRunAt!));
		await control.tasks.run(id);
		expect(Date.parse((await read(id)).nextRunAt!)).toBeGreaterThan(Date.parse(nextRunAt!));
	});

	test('that have run get their next time from a new rule', async () => {
		const { id } = await control.tasks.add({ rrule: 'FREQ=YEARLY' });
		await control.tasks.run(id);
		await control.tasks.run(id);
		await api('PATCH', `/tasks/${id}`, { body: { rrule: 'FREQ=HOURLY' } });
		expect(Date.parse((await read(id)).nextRunAt!) - clock.now()).toBeLessThanOrEqual(3_600_000);
	});

	test('also run at their time', async () => {
		const { id } = await control.tasks.add({ rrule: 'FREQ=HOURLY' });
		const before = await read(id);
		advance(3600);
		const after = await read(id);
		expect(Date.parse(after.nextRunAt!) - Date.parse(before.nextRunAt!)).toBe(3_600_000);
		expect(after.updatedAt).toBe(before.updatedAt);
	});
});

test('files are added, changed and removed, folders with all their contents', async () => {
	const projectId = await firstProject();
	const list = () => all<Schemas['File']>('/files', { query: { projectId, limit: 100 } });
	const folder = await control.files.add({ projectId, name: 'Inbox', kind: 'folder' });
	const file = await control.files.add({ projectId, name: 'a.md', parentId: folder.id, text: 'x' });
	const added = (await list()).find(({ id }) => id === file.id)!;
	expect(added).toMatchObject({ parentId: folder.id, sizeBytes: 1, createdAt: iso() });
	advance(60);
	await control.files.change(file.id, { text: 'hello' });
	const changed = { ...added, sizeBytes: 5, updatedAt: iso() };
	expect((await api('GET', `/files/${file.id}`)).body).toEqual(changed);
	expect((await api('GET', `/files/${file.id}/content`)).body).toEqual({ text: 'hello' });
	await control.files.change(file.id, { name: 'b.md', parentId: null });
	const { parentId: _, ...moved } = { ...changed, name: 'b.md' };
	expect((await api('GET', `/files/${file.id}`)).body).toEqual(moved);
	await control.files.change(file.id, { parentId: folder.id });
	await control.files.remove(folder.id);
	expect(ids(await list())).not.toEqual(expect.arrayContaining([file.id]));
	expect((await api('GET', `/files/${file.id}`)).status).toBe(404);
	// Their names are free again
	expect((await control.files.add({ projectId, name: 'Inbox' })).name).toBe('Inbox');
});

test('custom domains are added, change their status, go stale and are removed', async () => {
	const siteId = (await seed()).sites[0].id;
	const list = () =>
		all<Schemas['CustomDomain']>('/custom-domains', { version: older, query: { siteId } });
	const { id } = await control.domains.add({ siteId, domain: 'new.example', status: 'pending' });
	const found = async () => (await list()).find((domain) => domain.id === id);
	expect(await found()).toMatchObject({
		domain: 'new.example',
		status: 'pending',
		is_pending: true,
		is_stale: false,
	});
	await control.domains.change(id, { status: 'active' });
	expect(await found()).toMatchObject({ status: 'active', is_pending: false });
	await control.domains.change(id, { stale: true });
	expect(await found()).toMatchObject({ status: 'active', is_stale: true });
	await control.domains.remove(id);
	expect(await found()).toBeUndefined();
});

test('products are added, changed and removed', async () => {
	const projectId = await firstProject();
	const list = () => all<Schemas['Product']>('/products', { query: { projectId, limit: 100 } });
	const { id } = await control.products.add({ projectId, name: 'Mug', price: 9 });
	expect((await list()).at(-1)).toEqual({
		object: 'product',
		id,
		projectId,
		name: 'Mug',
		price: 9,
	});
	await control.products.change(id, { price: 10 });
	expect((await list()).at(-1)).toMatchObject({ name: 'Mug', price: 10 });
	await control.products.remove(id);
	expect(ids(await list())).not.toContain(id);
});

describe("a change that isn't possible", () => {
	test('is not found, or names the reason', async () => {
		const { projects, files } = await seed();
		const [{ id: projectId }] = projects;
		const attempts: Array<[Promise<unknown>, string]> = [
			[control.projects.remove(unknownId), '404'],
			[control.tasks.run(unknownId), '404'],
			[control.tasks.add({ rrule: 'now and then' }), '400'],
			[control.files.add({ projectId: unknownId, name: 'x' }), '404'],
			[control.files.add({ projectId, name: 'readme.md' }), '409'],
			[control.files.add({ projectId, name: 'x', parentId: files[0].id }), '404'],
			[control.domains.add({ siteId: unknownId, domain: 'x.example' }), '404'],
			[control.domains.change(unknownId, { stale: true }), '404'],
			[control.products.change(unknownId, { name: 'x' }), '404'],
			[control.projects.change(projectId, {}), '400'],
		];
		for (const [attempt, status] of attempts)
			await expect(attempt).rejects.toThrow(`answered ${status}`);
	});
});

describe('with dialects', () => {
	const service = speaker(['foreign-ids-prefixed', 'late-changes']);
	afterEach(() => service.close());

	test('additions appear late, and products have the IDs that callers know', async () => {
		const projectId = (await service.control.seed()).projects[0].id;
		const { id } = await service.control.products.add({ projectId, name: 'Late' });
		expect(id).toMatch(/^prod_\d+$/);
		const list = async () =>
			(await service.call('listProducts', { projectId, limit: 100 })).text.includes('"Late"');
		expect(await list()).toBe(false);
		service.advance(5);
		expect(await list()).toBe(true);
		await service.control.products.change(id, { name: 'Found' });
		expect(await list()).toBe(false);
	});
});
