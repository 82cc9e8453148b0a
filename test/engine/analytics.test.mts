// The analytics operation, as the engine runs it, against a real ClickHouse in the local mock service.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { ANALYTICS_TABLES } from '../../nodes/WorkspaceAutomation/resources/analytics.ts';
import { finished, getMix, marks, shortText } from './clickHouse.mts';
import { hints, run, type Setup } from './engine.mts';
import { useService } from './service.mts';

const service = useService();
const setup = (parameters: IDataObject, items: IDataObject[] = [{}]): Setup => ({
	node: 'workspaceAutomation',
	parameters: { resource: 'analytics', operation: 'query', ...parameters },
	credentials: service.credentials,
	items,
});
const rows = async (parameters: IDataObject, items?: IDataObject[]): Promise<any[]> => {
	const { error, outputs } = await run(setup(parameters, items));
	if (error) throw error;
	return outputs[0].map(({ json }) => json);
};

describe('rows', () => {
	test("become items, in the query's order, paired with their input item", async () => {
		const { outputs } = await run(
			setup({ query: 'SELECT number + {{ $json.from }} AS n FROM numbers(2)' }, [
				{ from: 10 },
				{ from: 20 },
			]),
		);
		expect(outputs[0].map(({ json, pairedItem }) => [json, pairedItem])).toEqual([
			[{ n: 10 }, { item: 0 }],
			[{ n: 11 }, { item: 0 }],
			[{ n: 20 }, { item: 1 }],
			[{ n: 21 }, { item: 1 }],
		]);
	});

	test("stay in one item, in the service's format", async () => {
		expect(
			await rows({ query: 'SELECT number AS n FROM numbers(2)', options: { rowsInOneItem: true } }),
		).toEqual([{ rowCount: 2, data: [{ n: 0 }, { n: 1 }] }]);
	});

	test('keep every digit: a number beyond 2^53 becomes text', async () => {
		expect(
			await rows({
				query:
					"SELECT toUInt64(18446744073709551615) AS big, 9007199254740991 AS safe, -9007199254740993 AS small, 0.1 AS tenth, [9007199254740993] AS list, toDecimal128('1234567890123456789.12', 2) AS decimal",
			}),
		).toEqual([
			{
				big: '18446744073709551615',
				safe: 9007199254740991,
				small: '-9007199254740993',
				tenth: 0.1,
				list: ['9007199254740993'],
				decimal: '1234567890123456789.12',
			},
		]);
	});

	test('cause a note in the execution if the service returns its maximum', async () => {
		const cutOff = await run(setup({ query: 'SELECT number FROM numbers(100001)' }));
		expect(cutOff.outputs[0]).toHaveLength(100_000);
		expect(cutOff.customData).toEqual({
			analyticsRows: expect.stringMatching(
				/^The analytics query returned 100000 rows, the most that the service returns/,
			),
		});
		const whole = await run(setup({ query: 'SELECT number FROM numbers(99999)' }));
		expect(whole.customData).toBeUndefined();
	});
});

describe('values from other nodes', () => {
	const query =
		"SELECT {{ $json.value }} AS bare, '{{ $json.value }}' AS quoted, {value:String} AS parameter, '<{{ $json.value }}>' AS part";
	const options = { parameters: { values: [{ name: 'value', value: '={{ $json.value }}' }] } };

	test('stay values, for any text', async () => {
		const anyText = getMix([marks, finished, shortText], 6);
		const values = fc.sample(anyText, { numRuns: 300, seed: 5 });
		const found = await rows(
			{ query, options },
			values.map((value) => ({ value })),
		);
		expect(found).toEqual(
			values.map((value) => ({ bare: value, quoted: value, parameter: value, part: `<${value}>` })),
		);
	});

	test('have the type that the query gives them', async () => {
		const parameters = [
			{ name: 'most', value: '={{ 2 }}' },
			{ name: 'day', value: '={{ "2026-10-05T09:00:00.000Z" }}' },
			{ name: 'sources', value: "={{ ['google', \"it's\"] }}" },
			{ name: 'table', value: 'currency_exchange_rates' },
		];
		const found = await rows({
			query:
				"SELECT {day:Date} AS day, has({sources:Array(String)}, 'it\\'s') AS has, 'google' IN {sources} AS isIn, toTypeName({most:UInt8}) AS type FROM {table:Identifier} LIMIT {most:UInt32}",
			options: { parameters: { values: parameters } },
		});
		expect(found).toEqual(Array(2).fill({ day: '2026-10-05', has: 1, isIn: 1, type: 'UInt8' }));
	});

	test('can be the whole query', async () => {
		expect(await rows({ query: '{{ $json.sql }}' }, [{ sql: "SELECT 'a' AS a" }])).toEqual([
			{ a: 'a' },
		]);
		const { error } = await run(setup({ query: '{{ $json.sql }}' }, [{ sql: 'DROP TABLE x' }]));
		expect(error?.message).toBe("'Query' isn't a SELECT or WITH statement");
	});
});

describe('the panel', () => {
	test.each(ANALYTICS_TABLES)(
		'starts with a query of $value that works, with columns that the document has',
		async ({ value, query }) => {
			// The panel shows the default, which the workflow doesn't store
			const found = await rows({ table: value });
			expect(found.length).toBeGreaterThan(0);
			// Expressions in a template are dates, which arrive as literals.
			const today = new Date().toISOString().slice(0, 10);
			const before = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
			const [since, until] = query.match(/\{\{.*?\}\}/g) ?? ['', ''];
			const sent = query.replace(since, `'${before}'`).replace(until, `'${today}'`);
			expect((await service.requests()).at(-1)!.body).toEqual({
				query: since === '' ? query : sent,
			});
			expect(
				Object.values(found[0]).every((cell) => typeof cell === 'string' || Number.isFinite(cell)),
			).toBe(true);
			expect(hints(setup({ table: value, query }))).toEqual([]);
		},
	);

	test('keeps your own query if you choose another table', async () => {
		expect(await rows({ table: 'events_computed', query: 'SELECT 1 AS mine' })).toEqual([
			{ mine: 1 },
		]);
	});

	test.each([
		'SELECT views_state FROM daily_page_rollups',
		'SELECT day, sum(views_state) FROM daily_page_rollups GROUP BY day',
		'SELECT countMerge(views_state), unique_sessions_state FROM daily_page_rollups',
	])('has a hint that a state column needs its merge function: %s', (query) =>
		expect(hints(setup({ query }))).toEqual([expect.stringMatching(/countMerge\(views_state\)/)]),
	);

	test.each([
		'SELECT 1',
		'SELECT countMerge(views_state) FROM daily_page_rollups',
		'SELECT sumMergeIf(d.total_revenue_usd_state, 1) FROM daily_namespace_purchase_rollups AS d',
		'-- views_state\nSELECT 1',
	])('has no hint for %s', (query) => expect(hints(setup({ query }))).toEqual([]));

	test('has no hint for other resources', () => {
		expect(
			hints({
				...setup({}),
				parameters: { resource: 'project', operation: 'getAll', query: 'views_state' },
			}),
		).toEqual([]);
	});
});

test("the error has ClickHouse's message about the query", async () => {
	const { error } = await run(setup({ query: 'SELECT nope FROM events_computed' }));
	expect([error?.httpCode, error?.message]).toEqual([
		'400',
		'The service refused the request as invalid',
	]);
	expect(error?.description).toMatch(
		/The service says: Unknown expression identifier `nope`.*\(UNKNOWN_IDENTIFIER\)\./,
	);
});
