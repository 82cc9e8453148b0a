// The six tables: their types as in the API document, and their content compared with the raw events.
import { afterAll, describe, expect, test } from '@jest/globals';
import { createAnalytics, type Analytics } from '../../local-service/analytics/analytics.mts';
import { getTraffic } from '../../local-service/analytics/traffic.mts';
import { seed } from '../../local-service/seed.mts';

const noon = Date.UTC(2026, 9, 5, 12);

const read = async (analytics: Analytics, sql: string, projects: string[]): Promise<any[]> =>
	JSON.parse(await analytics.query(sql, projects)).data;

describe('the tables of the document', () => {
	const traffic = getTraffic(seed(noon).projects.all(), noon);
	const analytics = createAnalytics({ traffic: () => traffic });
	const everything = [...new Set(traffic.events.map(({ project }) => project))];
	afterAll(() => analytics.close());

	const documented = {
		"session_attribution(since = '2026-10-01', until = '2026-10-05')":
			'subject: UUID; date: DateTime64(3); name: LowCardinality(String); domain: String; path: String; title: String; purchaseRevenueUsd: Float64; sessionRevenueUsd: Float64; sessionPurchaseCount: UInt64; attributedRevenueUsd: Float64',
		events_computed:
			'subject: UUID; date: DateTime64(3); name: LowCardinality(String); path: String; domain: String; currencyCode: String; subjectPurchaseSum: Float64; subjectPurchaseCount: Float64; subjectPurchaseFraction: Float64; subjectPurchaseFractionalSum: Float64; title: String',
		currency_exchange_rates: 'date: Date; code: String; rate: Float32',
		daily_page_rollups:
			'day: Date; domain: String; path: String; utm_source: String; views_state: AggregateFunction(count); unique_sessions_state: AggregateFunction(uniq, UUID); converting_sessions_state: AggregateFunction(uniq, UUID); fractional_conversions_state: AggregateFunction(sum, Float64); fractional_revenue_usd_state: AggregateFunction(sum, Float64); session_conversions_state: AggregateFunction(sum, UInt64); session_revenue_usd_state: AggregateFunction(sum, Float64)',
		daily_namespace_rollups:
			'day: Date; utm_source: String; views_state: AggregateFunction(count); unique_sessions_state: AggregateFunction(uniq, UUID); converting_sessions_state: AggregateFunction(uniq, UUID)',
		daily_namespace_purchase_rollups:
			'day: Date; utm_source: String; purchase_count_state: AggregateFunction(count); total_revenue_usd_state: AggregateFunction(sum, Float64); unique_purchasing_sessions_state: AggregateFunction(uniq, UUID)',
	};

	test.each(Object.entries(documented))(
		'%s has the columns and types of the document',
		async (table, columns) => {
			const names = columns.split('; ').map((column) => column.split(': ')[0]);
			const [row] = await read(
				analytics,
				`SELECT ${names.map((name) => `toTypeName(${name}) AS ${name}`).join(', ')} FROM ${table} LIMIT 1`,
				everything,
			);
			expect(
				Object.entries(row)
					.map((column) => column.join(': '))
					.join('; '),
			).toBe(columns);
			// `*` shows these columns and no others
			const [all] = await read(analytics, `SELECT * FROM ${table} LIMIT 1`, everything);
			expect(Object.keys(all)).toEqual(names);
		},
	);
});
