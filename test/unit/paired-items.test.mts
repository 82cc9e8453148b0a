// What happens to each item of a declarative operation before it leaves, however many there are.
import { expect, test } from '@jest/globals';
import type { IDataObject, IExecuteSingleFunctions, INode } from 'n8n-workflow';
import { pairItems } from '../../nodes/shared/n8n/sendOperation.ts';

const pairedItem = { item: 3 };

/** Pairs items of this JSON, and counts how often the node is read. */
function pair(jsons: IDataObject[], settings: Partial<INode> = { retryOnFail: true }) {
	let reads = 0;
	const getNode = () => (reads++, settings as INode);
	const context = { getNode } as unknown as IExecuteSingleFunctions;
	return {
		items: pairItems(
			context,
			jsons.map((json) => ({ json })),
			pairedItem,
		),
		reads: () => reads,
	};
}

test('an item without an error is paired in place: neither its JSON nor the node is copied', () => {
	const jsons = Array.from({ length: 1_000 }, (_, row) => ({ row }));
	const { items, reads } = pair(jsons);
	expect(items.map(({ json }, index) => json === jsons[index])).not.toContain(false);
	expect(items.every((item) => item.pairedItem === pairedItem)).toBe(true);
	expect(reads()).toBe(0);
});

test('an error that n8n would treat as a failure is renamed in a copy, and the node is read once', () => {
	const jsons = [{ error: 'Out of disk', id: 1 }, { id: 2 }, { error: 'Again', id: 3 }];
	const { items, reads } = pair(jsons);
	expect(items).toEqual([
		{ json: { failure: 'Out of disk', id: 1 }, pairedItem },
		{ json: { id: 2 }, pairedItem },
		{ json: { failure: 'Again', id: 3 }, pairedItem },
	]);
	expect(jsons[0]).toEqual({ error: 'Out of disk', id: 1 });
	expect(reads()).toBe(1);
});

test('an error that n8n treats as data keeps its name', () => {
	const json = { error: 'Out of disk', id: 1 };
	expect(pair([json], {}).items[0].json).toBe(json);
	expect(pair([json], { onError: 'continueErrorOutput' }).items[0].json).toBe(json);
	expect(pair([{ error: null }]).items[0].json).toEqual({ error: null });
});
