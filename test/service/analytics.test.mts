import { expect, test } from '@jest/globals';
import { noProjectsToken } from '../../local-service/auth.mts';
import { isReadOnly } from '../../local-service/analytics.mts';
import { errorOf, useService } from './support.mts';

const { api } = useService();
const query = (text: string, token?: string) => api('POST', '/analytics/query', { body: { query: text }, token });

test.each([
	'select 1',
	'SELECT path, countMerge(views_state) FROM daily_page_rollups GROUP BY path;',
	'  with x as (select 1) select * from x',
	'-- traffic\nselect 1',
	'/* all\nof it */ SELECT 1',
	'(select 1) union all (select 2)',
	"select ';' as semicolon, 'it''s' as quoted",
])('%j is answered', async (text) => {
	const { status, body } = await query(text);
	expect(status).toBe(200);
	expect(body.rowCount).toBe(body.data.length);
	expect(body.data[0]).toMatchObject({ day: expect.any(String), path: expect.any(String), views: expect.any(Number) });
});

test.each(['drop table events', 'insert into x select 1', 'selected', 'select 1; drop table x', '-- select 1\ndelete from x', 'explain select 1', ' '])(
	'%j is refused',
	async (text) => {
		expect(isReadOnly(text)).toBe(false);
		expect(errorOf(await query(text))).toEqual([400, 'invalid_request']);
	},
);

test('as many rows as asked for, and never more than 100,000', async () => {
	expect((await query('select 1 limit 3')).body.rowCount).toBe(3);
	expect((await query('select 1')).body).toEqual((await query('select 1')).body);
	const { body } = await query('select 1 limit 250000');
	expect([body.rowCount, body.data.length]).toEqual([100_000, 100_000]);
});

test('nothing for a key without projects', async () => {
	expect((await query('select 1', noProjectsToken)).body).toEqual({ rowCount: 0, data: [] });
});
