// Products: list, create, change. The document shows no field of them, so fields are whatever callers send.
import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.mts';
import { mapPage, page } from '../paging.mts';
import type { Product } from '../world.mts';
import { findProject, permitted } from './access.mts';
import { created, ok, type Routes } from './route.mts';

const show = (product: Product) => ({ ...product, object: 'product' });

/** What callers may not set @throws ApiError `invalid_request` where a shown field has the wrong type */
function readFields({
	id: _id,
	object: _object,
	projectId: _projectId,
	...fields
}: Record<string, unknown>): Record<string, unknown> {
	if (fields.name !== undefined && typeof fields.name !== 'string')
		throw new ApiError('invalid_request', 'body/name must be a string');
	return fields;
}

export const productRoutes: Routes = (world) => ({
	listProducts({ query, limit, key }) {
		const { id } = findProject(world, key, query.projectId);
		return ok(
			mapPage(
				page(`products ${id}`, { ...query, limit }, (sequence) =>
					world.store.products.after(id, sequence),
				),
				show,
			),
		);
	},

	createProduct({ body, key }) {
		const { id: projectId } = findProject(world, key, body.projectId);
		return created(
			show(world.store.products.add({ ...readFields(body), id: randomUUID(), projectId })),
		);
	},

	updateProduct({ params, body, key }) {
		const product = permitted(key, world.store.products.get(params.productId), 'product');
		return ok(show(Object.assign(product, readFields(body))));
	},
});
