// Ids of products and assets.
import { notFound } from '../../errors.mts';
import { isObject } from '../../json.mts';
import type { Store } from '../../state.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { Dialect, WriteId } from '../dialect.mts';
import type { ValueCodec } from './codec.mts';

const withProducts: OperationId[] = ['listProducts', 'createProduct', 'updateProduct'];

/** The operations that such ids are in */
export const withIds: OperationId[] = [...withProducts, 'createFile'];

/** The part of a collection that ids need. */
interface Numbered {
	all(): Array<{ id: string }>;
	numberOf(id: string): number | undefined;
}

/** An id as callers know it. What is not stored keeps its id. */
function writtenId(things: Numbered, write: WriteId | undefined, id: string): string | number {
	const n = things.numberOf(id);
	return n === undefined || !write ? id : write(n);
}

/** @throws ApiError `not_found` for what is not an id in this dialect */
function storedId(things: Numbered, write: WriteId, id: unknown, what: string): string {
	const found = things
		.all()
		.find((thing) => String(writtenId(things, write, thing.id)) === String(id));
	if (!found) throw notFound(what);
	return found.id;
}

/** Ids as the control API shows them, so that tests can use what they read there. */
export const shownIds = (store: Store, ids: Dialect['ids']) => ({
	product: (id: string) => writtenId(store.products, ids?.product, id),
	asset: (id: string) => writtenId(store.assets, ids?.asset, id),
});

export const idCodec = (ids: NonNullable<Dialect['ids']>): ValueCodec => ({
	readParams: (operationId, params, { products }) =>
		operationId === 'updateProduct'
			? { ...params, productId: storedId(products, ids.product, params.productId, 'product') }
			: params,

	readBody(operationId, body, { assets }) {
		if (operationId !== 'createFile' || !isObject(body) || !isObject(body.source)) return body;
		const { assetId, ...source } = body.source;
		return assetId === undefined
			? body
			: { ...body, source: { ...source, assetId: storedId(assets, ids.asset, assetId, 'asset') } };
	},

	writeBody(operationId, body, { products }) {
		if (!withProducts.includes(operationId) || !isObject(body)) return body;
		const written = (product: unknown) =>
			isObject(product) && typeof product.id === 'string'
				? { ...product, id: writtenId(products, ids.product, product.id) }
				: product;
		return Array.isArray(body.data) ? { ...body, data: body.data.map(written) } : written(body);
	},
});
