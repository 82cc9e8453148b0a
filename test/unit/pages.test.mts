// Proofs of a list's page: its entries, its end, its progress and its filter, for pages of different services.
import { describe, expect, test } from '@jest/globals';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import type { OperationId, Values } from '../../nodes/shared/client/operations.ts';
import {
	requireEntryId,
	readPages,
	type ListOptions,
} from '../../nodes/shared/client/responses.ts';
import { apiWith } from '../support/apiWith.mts';

const ids = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `i${from + index}` }));
type List = [operation: OperationId, values: Values];
const tasks: List = ['listTasks', {}];

/** Reads a list whose pages come one after the other; the last continues for ever. */
async function read(
	pages: unknown[],
	list: List = tasks,
	options: ListOptions = {},
	overrides: object = {},
) {
	const answers = pages.map((body) => ({ body }));
	const { api, sent, clock } = await apiWith(answers, overrides);
	const all: unknown[] = [];
	const nexts: unknown[] = [];
	const reading = async () => {
		for await (const { data, next } of readPages(api, ...list, options)) {
			all.push(...data);
			nexts.push(next);
		}
		return undefined;
	};
	const error = await clock.run(reading().catch((thrown: WorkspaceAutomationError) => thrown));
	return { all, nexts, sent, error };
}

describe('the pages', () => {
	const page = (from: number, count: number, next?: unknown) => ({
		data: ids(from, count),
		has_more: next !== undefined,
		next_cursor: next,
	});

	test('with more entries than requested are the last', async () => {
		const { sent, all, error } = await read([page(0, 5, 'a')], tasks, { limit: 3 });
		expect([sent.length, all.length, error]).toEqual([1, 5, undefined]);
	});

	test.each<[string, unknown[], string, number]>([
		['give a cursor again', [page(0, 2, 'a'), page(2, 2, 'a')], 'cursor a twice', 2],
		['begin as the first one', [page(0, 2, 'a'), page(0, 1, 'b')], 'begin with the same', 2],
		[
			'give an earlier cursor',
			[page(0, 2, 'a'), page(2, 2, 'b'), page(4, 2, 'a')],
			'cursor a twice',
			4,
		],
	])(
		'that %s are an error before any of their entries is returned',
		async (_, pages, why, handed) => {
			const { error, all } = await read(pages);
			expect(error).toMatchObject({
				message: 'The list never ends',
				description: expect.stringContaining(why),
			});
			expect(error?.description).toContain('query');
			expect(all).toHaveLength(handed);
		},
	);

	test('without end stop after 10,000, with an error that names the query', async () => {
		let pages = 0;
		const { api, clock } = await apiWith(() => ({ body: page(0, 0, `c${++pages}`) }));
		const reading = async () => {
			for await (const _ of readPages(api, ...tasks));
		};
		await clock.run(
			expect(reading()).rejects.toMatchObject({
				message: 'The list never ends',
				description: expect.stringContaining('"query"'),
			}),
		);
		expect(pages).toBe(10_000);
	});

	test('share one timeout', async () => {
		const answers = [page(0, 1, 'a'), page(1, 1, 'b'), page(2, 1)].map((body) => ({ body }));
		const messages: unknown[] = [];
		for (const deadline of [1_000, 999]) {
			let at = 0;
			const { api, clock } = await apiWith(() => {
				clock.advance(500);
				return answers[at++];
			});
			const reading = async () => {
				let last: unknown;
				for await (const { data } of readPages(api, ...tasks, { deadline })) last = data;
				return last;
			};
			const result = await clock.run(reading().catch((thrown: Error) => thrown.message));
			messages.push(result);
		}
		expect(messages).toEqual([ids(2, 1), 'Reading the list timed out']);
	});
});

describe('the ID of an entry', () => {
	test.each([
		['a', 'a'],
		[7, '7'],
		[0, '0'],
	])('%j is %j', (id, expected) => {
		expect(requireEntryId({ id })).toBe(expected);
	});

	test.each(['', null, undefined, {}, true])('is not %j', (id) => {
		expect(() => requireEntryId({ id, uuid: 'a' })).toThrow(
			expect.objectContaining({
				message: '"id" in the response isn\'t a text',
				description: expect.stringContaining('"uuid":"a"'),
			}),
		);
	});
});
