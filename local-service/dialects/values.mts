// Values that a dialect writes in its own way wherever they occur: ids, options, timestamps. Both directions.
import { usualOptions } from '../agent/directives.mts';
import { ApiError, notFound } from '../errors.mts';
import { isObject } from '../json.mts';
import type { Store } from '../state.mts';
import type { OperationId } from './assumed-requests.mts';
import type { Dialect, DialectAnswer, OptionWords, WriteId } from './dialect.mts';

/** Applies a change to everything of one name, however deep: objects and lists are gone through. */
export function changeFields(
	value: unknown,
	change: (key: string, value: unknown) => unknown,
): unknown {
	if (Array.isArray(value)) return value.map((item) => changeFields(item, change));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, change(key, changeFields(inner, change))]),
	);
}

// Ids

const productOperations: OperationId[] = ['listProducts', 'createProduct', 'updateProduct'];

/** The id of a stored thing as the dialect writes it; as it is, where there is no such thing. */
function writtenId(
	collection: { numberOf(id: string): number | undefined },
	write: WriteId | undefined,
	id: string,
): string | number {
	const n = collection.numberOf(id);
	return n === undefined || !write ? id : write(n);
}

/** @throws ApiError `not_found` for what is not an id in this dialect */
function ownId(
	items: Array<{ id: string }>,
	collection: { numberOf(id: string): number | undefined },
	write: WriteId,
	id: unknown,
	what: string,
): string {
	const found = items.find((item) => String(writtenId(collection, write, item.id)) === String(id));
	if (!found) throw notFound(what);
	return found.id;
}

/** Ids of products and assets, as the control API shows them: so that tests can use what they read there. */
export const showIds = (store: Store, ids: Dialect['ids']) => ({
	product: (id: string) => writtenId(store.products, ids?.product, id),
	asset: (id: string) => writtenId(store.assets, ids?.asset, id),
});

export function readPathIds(
	operationId: OperationId,
	params: Record<string, string>,
	store: Store,
	ids: NonNullable<Dialect['ids']>,
): Record<string, string> {
	if (operationId !== 'updateProduct') return params;
	const { products } = store;
	const productId = ownId(products.all(), products, ids.product, params.productId, 'product');
	return { ...params, productId };
}

export function readBodyIds(
	operationId: OperationId,
	body: unknown,
	store: Store,
	ids: NonNullable<Dialect['ids']>,
): unknown {
	if (operationId !== 'createFile' || !isObject(body) || !isObject(body.source)) return body;
	const { assetId } = body.source;
	if (assetId === undefined) return body;
	const { assets } = store;
	const own = ownId(assets.all(), assets, ids.asset, assetId, 'asset');
	return { ...body, source: { ...body.source, assetId: own } };
}

export function writeIds(
	operationId: OperationId,
	body: unknown,
	store: Store,
	ids: NonNullable<Dialect['ids']>,
): unknown {
	if (!productOperations.includes(operationId) || !isObject(body)) return body;
	const written = (product: unknown) =>
		isObject(product) && typeof product.id === 'string'
			? { ...product, id: writtenId(store.products, ids.product, product.id) }
			: product;
	return Array.isArray(body.data) ? { ...body, data: body.data.map(written) } : written(body);
}

// Options of interactions

const ownLabels = new Map(usualOptions.map(({ value, label }) => [value, label]));
/** The words of the table are those of the usual options: a test holds the two together. */
const isOwn = (value: unknown): value is keyof OptionWords =>
	typeof value === 'string' && ownLabels.has(value);

/** The options of every pending interaction in the dialect's words; a label that the prompt names stays. */
export const writeOptions = (body: unknown, words: OptionWords): unknown =>
	changeFields(body, (key, options) =>
		key !== 'options' || !Array.isArray(options)
			? options
			: options.map((option) => {
					if (!isObject(option) || !isOwn(option.value)) return option;
					const { value, label } = words[option.value];
					return {
						value,
						label: option.label === ownLabels.get(option.value) ? label : option.label,
					};
				}),
	);

/** @throws ApiError `invalid_request` for a word of ours, which this dialect does not offer */
export function readOption(operationId: OperationId, body: unknown, words: OptionWords): unknown {
	if (operationId !== 'resolveInteraction' || !isObject(body)) return body;
	const [meant] = Object.entries(words).find(([, { value }]) => value === body.response) ?? [];
	if (meant !== undefined) return { ...body, response: meant };
	if (isOwn(body.response))
		throw new ApiError('invalid_request', 'The interaction does not offer the chosen option.');
	return body;
}

// Timestamps

const timestampFields = new Set([
	'nextRunAt',
	'createdAt',
	'updatedAt',
	'completedAt',
	'at',
	'askedAt',
	'lastActivityAt',
	'verification_token_expires_at',
]);

const withTimestamps: OperationId[] = [
	'listTasks',
	'getTask',
	'updateTask',
	'getAgentSession',
	'sendAgentMessage',
	'abortAgentSession',
	'resolveInteraction',
	'listCustomDomains',
];

export const writeTimestamps = (
	operationId: OperationId,
	{ body, ...answer }: DialectAnswer,
	write: NonNullable<Dialect['timestamp']>,
): DialectAnswer => ({
	...answer,
	body: withTimestamps.includes(operationId)
		? changeFields(body, (key, value) =>
				timestampFields.has(key) && typeof value === 'string' ? write(Date.parse(value)) : value,
			)
		: body,
});
