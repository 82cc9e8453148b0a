// Ids of products and assets. The document shows neither, and says of others only that they are UUIDs.
import type { Dialect, WriteId } from '../dialect.mts';

const toIds = (summary: string, product: WriteId, asset: WriteId): Dialect => ({
	summary,
	group: 'ids',
	ids: { product, asset },
});

export const foreignIds = {
	'foreign-ids-numeric': toIds(
		'Products and assets have numbers as ids',
		(n) => n,
		(n) => 1000 + n,
	),
	'foreign-ids-prefixed': toIds(
		'Products and assets have prefixed ids, such as prod_123',
		(n) => `prod_${n}`,
		(n) => `asset_${n}`,
	),
} satisfies Record<string, Dialect>;
