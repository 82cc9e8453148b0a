import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createAnalytics } from '../../local-service/analytics/analytics.mts';
import { noProjectsToken } from '../../local-service/auth.mts';
import { getError, getMessage, useService, type Json } from './support.mts';
import { apiHeaders } from '../../local-service/caller.mts';
import { http } from '../../tools/http.mts';

const { api, seed, keyFor } = useService();
const query = (text: string, token?: string) =>
	api<Json>('POST', '/analytics/query', { body: { query: text }, token });
const rows = async (text: string, token?: string) => {
	const result = await query(text, token);
	expect([result.status, getMessage(result)]).toEqual([200, '']);
	expect(result.body.rowCount).toBe(result.body.data.length);
	return result.body.data;
};

test.each([
	'SELECT 1 AS n',
	'-- traffic\nselect 1 as n',
	'/* all\nof it */ SELECT 1 AS n',
	"select ';' as semicolon, 'it''s' as quoted, 1 as n",
	'(select 1 as n) union all (select 1)',
	"WITH visits AS (SELECT subject, any(sessionRevenueUsd) AS usd FROM session_attribution(since = '2026-09-01', until = '2026-09-30') GROUP BY subject) SELECT sum(usd) AS n FROM visits",
	"SELECT CASE WHEN utm_source = '' THEN 'direct' ELSE utm_source END AS source, sumMergeIf(total_revenue_usd_state, day > '2026-09-01') AS n FROM daily_namespace_purchase_rollups GROUP BY source",
	'SELECT number AS n, sum(number) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM numbers(3) ORDER BY n WITH FILL FROM 0 TO 5 STEP 1',
])('%j is answered', async (text) => {
	expect((await rows(text)).map((row: Json) => row.n ?? row.list)).not.toEqual([]);
});

test.each([
	'drop table events_computed',
	'insert into events_computed select 1',
	'select 1; drop table events_computed',
	'-- select 1\ndelete from events_computed',
	'explain select 1',
	'set max_execution_time = 1000',
])('%j is refused: not a single SELECT or WITH statement', async (text) => {
	expect(getError(await query(text))).toEqual([400, 'invalid_request']);
});

const escapes: Array<[string, string]> = [
	['a table of the engine', 'SELECT * FROM system.tables'],
	['a table of the engine behind IN', "SELECT 1 WHERE 'x' IN system.one"],
	['the stored tables', 'SELECT * FROM stored_1.events'],
	["another caller's views", 'SELECT * FROM stored_1_scope_1.events_computed'],
	['a file as a table', "SELECT * FROM file('/etc/hostname', 'LineAsString')"],
	[
		'a file in a common table expression',
		"WITH x AS (SELECT * FROM file('/etc/hostname', 'LineAsString')) SELECT * FROM x",
	],
	['a file as a value', "SELECT file('/etc/hostname')"],
	['a file behind APPLY', "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')"],
	['a url', "SELECT * FROM url('http://127.0.0.1:1/', 'CSV')"],
	['a program', "SELECT * FROM executable('id', 'TSV', 'x String')"],
	['merge', "SELECT * FROM merge('system', '.*')"],
	['view', 'SELECT * FROM view(SELECT 1)'],
	['an explanation', 'SELECT * FROM (EXPLAIN PLAN SELECT 1)'],
	['a dictionary', "SELECT dictGet('d', 'a', 1)"],
	['joinGet', "SELECT joinGet('stored_1.events', 'path', 1)"],
	['a question about a table', "SELECT hasColumnInTable('system', 'tables', 'name')"],
	['settings', 'SELECT 1 SETTINGS max_execution_time = 1000'],
	['settings in a subquery', 'SELECT * FROM (SELECT 1 SETTINGS max_result_rows = 0)'],
	['a format', 'SELECT 1 FORMAT CSV'],
	['a file to write', "SELECT 1 INTO OUTFILE '/tmp/x'"],
	['a query parameter', 'SELECT {x:String}'],
	['a setting', "SELECT getSetting('max_threads')"],
	['waiting', 'SELECT sleep(3)'],
	['a comment that ends the statement', 'SELECT 1 -- x\n; DROP TABLE events_computed'],
	['a bracket that ends the explanation', "SELECT 1) , (SELECT * FROM file('/etc/hostname')"],
];

test.each(escapes)('scoping cannot be escaped: %s', async (_what, text) => {
	const result = await query(text);
	expect([...getError(result), result.body.data]).toEqual([400, 'invalid_request', undefined]);
});

test('a caller sees only the rows of its own projects', async () => {
	const { projects } = await seed();
	const [mine, sibling, stranger] = [projects[0], projects[3], projects[1]].map(({ id }) => id);
	const domains = async (token: string) =>
		(
			await rows(
				'SELECT DISTINCT domain FROM events_computed UNION DISTINCT SELECT DISTINCT domain FROM daily_page_rollups ORDER BY domain',
				token,
			)
		).map(({ domain }: Json) => domain);
	const own = await domains(await keyFor({ projects: [mine] }));
	const both = await domains(await keyFor({ projects: [mine, sibling] }));
	const other = await domains(await keyFor({ projects: [stranger] }));
	expect(own).toHaveLength(1);
	expect(both).toEqual(expect.arrayContaining(own));
	expect(both).toHaveLength(2);
	expect(other).toHaveLength(1);
	expect(both).not.toContain(other[0]);
});

test('for a key without projects every table is empty, except the exchange rates', async () => {
	for (const table of [
		'events_computed',
		'daily_page_rollups',
		'daily_namespace_rollups',
		'daily_namespace_purchase_rollups',
		"session_attribution(since = '2026-01-01', until = '2026-12-31')",
	]) {
		expect(await rows(`SELECT * FROM ${table}`, noProjectsToken)).toEqual([]);
	}
	expect(
		(
			await rows(
				"SELECT count() AS days FROM currency_exchange_rates WHERE code = 'EUR'",
				noProjectsToken,
			)
		)[0].days,
	).toBe(90);
});

test('never more than 100,000 rows', async () => {
	expect(await rows('SELECT number FROM numbers(3)')).toHaveLength(3);
	expect((await query('SELECT number FROM numbers(250000)')).body.rowCount).toBe(100_000);
	expect(
		(await query('SELECT number FROM numbers(70000) UNION ALL SELECT number FROM numbers(70000)'))
			.body.rowCount,
	).toBe(100_000);
});

test('a query that takes too long ends with a 400', async () => {
	const analytics = createAnalytics({ traffic: () => ({ events: [], rates: [] }), seconds: 1 });
	try {
		await expect(
			analytics.query(
				'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))',
				[],
			),
		).rejects.toMatchObject({
			code: 'invalid_request',
			message: expect.stringMatching(/^Timeout exceeded: .* \(TIMEOUT_EXCEEDED\)$/),
		});
	} finally {
		await analytics.close();
	}
});

test("if ClickHouse doesn't load, the service starts, and analytics returns 503 with the reason", async () => {
	const hook =
		"import{registerHooks}from'node:module';registerHooks({resolve(name,context,next){if(name==='chdb')throw new Error('no binary for this platform');return next(name,context)}})";
	const main = fileURLToPath(new URL('../../local-service/main.mts', import.meta.url));
	const child = spawn(
		process.execPath,
		['--import', `data:text/javascript,${encodeURIComponent(hook)}`, main, '--port', '0', '--json'],
		{ stdio: ['ignore', 'pipe', 'inherit'] },
	);
	try {
		const [line] = await once(child.stdout, 'data');
		const { baseUrl, key } = JSON.parse(line);
		const headers = apiHeaders(key);
		expect((await http.get(`${baseUrl}/projects?limit=1`, { headers })).status).toBe(200);
		const asked = { query: 'SELECT 1' };
		const { status, data } = await http.post(`${baseUrl}/analytics/query`, asked, { headers });
		expect([status, data.error]).toEqual([
			503,
			expect.objectContaining({
				code: 'unavailable',
				message: expect.stringMatching(/chdb.*no binary for this platform/),
			}),
		]);
	} finally {
		child.kill();
		await once(child, 'exit');
	}
});
