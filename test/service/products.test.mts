import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, unknownId, useService, type Schemas } from './support.mts';

const { api, all, seed, keyFor } = useService();
type Product = Schemas['Product'];
let found: SeedView;
let projectId: string;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
});

const list = (token?: string) =>
	all<Product>('/products', { query: { projectId, limit: 4 }, token });
const create = (body: Record<string, unknown>, token?: string) =>
	api<Product>('POST', '/products', { body: { projectId, ...body }, token });
const update = (id: string, body: unknown, token?: string) =>
	api<Product>('PATCH', `/products/${id}`, { body, token });

test('have the fields that callers send, and an ID from the service', async () => {
	const { status, body } = await create({
		name: 'Mug',
		price: 12.5,
		tags: ['new'],
		id: 'mine',
		object: 'cup',
	});
	expect(status).toBe(201);
	expect(body).toEqual({
		object: 'product',
		id: expect.not.stringMatching('mine'),
		projectId,
		name: 'Mug',
		price: 12.5,
		tags: ['new'],
	});
	expect((await list()).at(-1)).toEqual(body);
});

test('are new with each call', async () => {
	const before = (await list()).length;
	const [one, two] = [await create({ name: 'Mug' }), await create({ name: 'Mug' })];
	expect(one.body.id).not.toBe(two.body.id);
	expect(await list()).toHaveLength(before + 2);
});

test('are changed field by field, any number of times, and stay in their project', async () => {
	const [product] = await list();
	const changed = { ...product, price: 1, extra: { a: null } };
	for (let n = 0; n < 2; n++) {
		expect(
			(await update(product.id, { price: 1, extra: { a: null }, projectId: found.projects[1].id }))
				.body,
		).toEqual(changed);
	}
	expect((await list())[0]).toEqual(changed);
});

test('are refused if a known field has the wrong type, or if no field changes', async () => {
	const [{ id }] = await list();
	expect(getError(await create({ name: 5 }))).toEqual([400, 'invalid_request']);
	expect(getError(await update(id, { name: 5 }))).toEqual([400, 'invalid_request']);
	expect(getError(await update(id, {}))).toEqual([400, 'invalid_request']);
});

test('are not found if missing or in a project without access', async () => {
	const [{ id }] = await list();
	const token = await keyFor({ projects: [found.projects[1].id] });
	expect(getError(await api('GET', '/products', { query: { projectId }, token }))).toEqual([
		404,
		'not_found',
	]);
	expect(getError(await create({ name: 'x' }, token))).toEqual([404, 'not_found']);
	expect(getError(await update(id, { name: 'x' }, token))).toEqual([404, 'not_found']);
	expect(getError(await update(unknownId, { name: 'x' }))).toEqual([404, 'not_found']);
});
