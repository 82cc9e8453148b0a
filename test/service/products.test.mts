import { beforeEach, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { useService, type Schemas } from './support.mts';

const { api, all, seed } = useService();
type Product = Schemas['Product'];
let found: SeedView;
let projectId: string;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
});

const list = (token?: string) =>
	all<Product>('/products', { query: { projectId, limit: 4 }, token });
const update = (id: string, body: unknown, token?: string) =>
	api<Product>('PATCH', `/products/${id}`, { body, token });

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
