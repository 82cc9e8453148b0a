// Proofs of a list's page: its entries, its end, its progress and its filter, for pages of different services.
import { describe, expect, test } from '@jest/globals';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import type { OperationId, Values } from '../../nodes/shared/client/operations.ts';
import { requireEntryId, readPages, type ListOptions } from '../../nodes/shared/client/lists.ts';
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
		['give a cursor again', [page(0, 2, 'a'), page(2, 2, 'a')], 'same cursor twice', 2],
		['begin as the one before', [page(0, 2, 'a'), page(0, 3, 'b')], 'begin with the same', 2],
		[
			'begin as the one before, without IDs',
			[
				{ data: [{ name: 'x' }], next_cursor: 'a' },
				{ data: [{ name: 'x' }, { name: 'y' }], next_cursor: 'b' },
			],
			'begin with the same',
			1,
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

describe('the filter', () => {
	const files: List = ['listFiles', { projectId: 'p', parentId: 7 }];
	test.each<[string, object, boolean]>([
		['what is as asked for', { projectId: 'p', parentId: '7' }, true],
		['a number for a text', { projectId: 'p', parentId: 7 }, true],
		['another spelling', { project_id: 'p' }, true],
		['what says nothing of it', { name: 'x' }, true],
		['what says nothing that could be an ID', { projectId: '', parentId: {} }, true],
		['another project', { projectId: 'q' }, false],
		['another folder', { parentId: 8 }, false],
		['no folder', { parentId: null }, false],
		['another project in another spelling', { project_id: 'q' }, false],
	])('%s: passes? %j %j', async (_, entry, passes) => {
		const { error, all } = await read(
			[
				[
					{ id: 'a', projectId: 'p' },
					{ id: 'b', ...entry },
				],
			],
			files,
		);
		expect(all).toHaveLength(passes ? 2 : 0);
		expect(error?.message ?? 'fine').toMatch(
			passes ? /fine/ : /^The service returned entries of another (projectId|parentId)$/,
		);
		if (error) expect(error.description).toMatch(/listFiles.*query/);
	});
});

describe('the ID of an entry', () => {
	test.each([
		['a', 'a'],
		[7, '7'],
		[0, '0'],
	])('%j is %j', async (id, expected) => {
		const { api } = await apiWith();
		expect(requireEntryId(api, 'listTasks', { id })).toBe(expected);
	});

	test.each(['', null, undefined, {}, true])('is not %j', async (id) => {
		const { api } = await apiWith();
		expect(() => requireEntryId(api, 'listTasks', { id })).toThrow(
			expect.objectContaining({
				message: 'An entry of the list has no ID',
				description: expect.stringMatching(/^It is: .*"response": \{"id"/),
			}),
		);
	});
});
