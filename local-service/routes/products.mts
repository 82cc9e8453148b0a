// Products: list, create, change. The API document shows none of their fields, so callers decide what they are.
import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.mts';
import { listed } from '../lateness.mts';
import { mapPage, page } from '../paging.mts';
import type { Product } from '../state.mts';
import { findProject, permitted } from './access.mts';
import { created, ok, type Routes } from './route.mts';

const show = (product: Product) => ({ ...product, object: 'product' });

/**
 * The fields that a caller sets; id, kind and project are not theirs to set.
 * @throws ApiError `invalid_request` where a known field has the wrong type
 */
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

export const productRoutes: Routes = (state) => ({
	listProducts({ query, limit, key }) {
		const { id } = findProject(state, key, query.projectId);
		return ok(
			mapPage(
				page(`products ${id}`, { ...query, limit }, (sequence) =>
					listed(state, state.store.products.after(id, sequence)),
				),
				show,
			),
		);
	},

	createProduct({ body, key }) {
		const { id: projectId } = findProject(state, key, body.projectId);
		return created(
			show(
				state.store.products.add(
					{ ...readFields(body), id: randomUUID(), projectId },
					state.clock.now(),
				),
			),
		);
	},

	updateProduct({ params, body, key }) {
		const product = permitted(key, state.store.products.get(params.productId), 'product');
		return ok(show(Object.assign(product, readFields(body))));
	},
});
