import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCollection } from '../../local-service/collection.mts';
import { page } from '../../local-service/paging.mts';
import { getError, getMessage, useService, type Json } from './support.mts';

describe('pages', () => {
	test('show every remaining entry, once and in order, after any deletions, and no deleted entry', () => {
		const removals = fc.array(fc.array(fc.nat({ max: 99 })));
		fc.assert(
			fc.property(
				fc.nat({ max: 100 }),
				fc.integer({ min: 1, max: 30 }),
				removals,
				(size, limit, removals) => {
					const items = createCollection<{ id: string; n: number }>();
					for (let n = 0; n < size; n++) items.add({ id: String(n), n });
					const removed = new Set<number>();
					const seen: number[] = [];
					for (let cursor: string | undefined, round = 0; ; round++) {
						const { data, has_more, next_cursor } = page('list', { cursor, limit }, (sequence) =>
							items.after('', sequence),
						);
						expect(data.length).toBeLessThanOrEqual(limit);
						expect(data.filter(({ n }) => removed.has(n))).toEqual([]);
						seen.push(...data.map(({ n }) => n));
						for (const n of removals[round] ?? []) if (items.delete(String(n))) removed.add(n);
						if (!has_more) break;
						cursor = next_cursor!;
					}
					expect(seen).toEqual([...seen].sort((a, b) => a - b));
					expect(new Set(seen).size).toBe(seen.length);
					const stayed = Array.from({ length: size }, (_, n) => n).filter((n) => !removed.has(n));
					expect(stayed.filter((n) => !seen.includes(n))).toEqual([]);
				},
			),
		);
	});
});

describe('lists over HTTP', () => {
	const { api } = useService();

	test('have 20 items a page unless asked otherwise, and at most 100', async () => {
		expect((await api<Json>('GET', '/projects')).body.data).toHaveLength(20);
		expect((await api<Json>('GET', '/projects', { query: { limit: 7 } })).body.data).toHaveLength(
			7,
		);
		expect((await api<Json>('GET', '/projects', { query: { limit: 100 } })).body.data).toHaveLength(
			100,
		);
	});

	test.each([0, 101, 1.5, 'ten', ''])('refuse a limit of %p', async (limit) => {
		const got = await api<Json>('GET', '/projects', { query: { limit } });
		expect(getError(got)).toEqual([400, 'invalid_request']);
		expect(getMessage(got)).toContain('query/limit');
	});

	test.each(['', 'nonsense', 'x'.repeat(201)])('refuse the cursor %p', async (cursor) => {
		expect(getError(await api<Json>('GET', '/projects', { query: { cursor } }))).toEqual([
			400,
			'invalid_request',
		]);
	});
});
