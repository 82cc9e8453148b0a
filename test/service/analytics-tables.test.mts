// The six tables: their types as in the API document, and their content compared with the raw events.
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAnalytics, type Analytics } from '../../local-service/analytics/analytics.mts';
import type { TrafficEvent } from '../../local-service/analytics/schema.mts';
import { getTraffic } from '../../local-service/analytics/traffic.mts';
import { getId } from '../../local-service/ids.mts';
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

	test('have ninety days of traffic over several projects and currencies, with purchases, the same at every start', async () => {
		const [facts] = await read(
			analytics,
			"SELECT uniq(toDate(date)) AS days, uniq(domain) AS domains, uniq(currencyCode) AS currencies, countIf(name = 'purchase') AS purchases FROM events_computed",
			everything,
		);
		expect(facts).toMatchObject({ days: 90, domains: 12, currencies: 4 });
		expect(facts.purchases).toBeGreaterThan(300);
		expect(getTraffic(seed(noon).projects.all(), noon)).toEqual(traffic);
		expect(traffic.events.every(({ date }) => date <= '2026-10-05 12:00:00.000')).toBe(true);
	});

	test('siblings are linked for revenue: a purchase in the shop counts for the pages of the sites with links to the shop', async () => {
		const purchases = traffic.events.filter(({ name }) => name === 'purchase');
		const elsewhere = (purchase: TrafficEvent) =>
			traffic.events.find(
				({ subject, project }) => subject === purchase.subject && project !== purchase.project,
			);
		const purchase = purchases.find(elsewhere)!;
		const view = elsewhere(purchase)!;
		const credit = async (own: string[]) => {
			const from = "session_attribution(since = '2026-01-01', until = '2026-12-31')";
			const [{ usd }] = await read(
				analytics,
				`SELECT sum(attributedRevenueUsd) AS usd FROM ${from} WHERE subject = '${view.subject}' AND domain = '${view.domain}'`,
				own,
			);
			return usd;
		};
		expect(await credit([view.project])).toBe(0);
		expect(await credit([view.project, purchase.project])).toBeGreaterThan(0);
	});
});

describe('over any events', () => {
	const [siblingA, siblingB, stranger] = ['a', 'b', 'c'].map((name) =>
		getId(`analytics test:${name}`),
	);
	const places = [
		{ project: siblingA, namespace: 'one', domain: 'a.example', currencyCode: 'EUR' },
		{ project: siblingB, namespace: 'one', domain: 'b.example', currencyCode: 'USD' },
		{ project: stranger, namespace: 'two', domain: 'c.example', currencyCode: 'USD' },
	];
	const days = ['2026-10-01', '2026-10-02', '2026-10-03'];
	/** Powers of two, so that sums are exact */
	const rates = days.flatMap((date) => [
		{ date, code: 'USD', rate: 1 },
		{ date, code: 'EUR', rate: 0.5 },
	]);
	const usd = ({ currencyCode, amount }: TrafficEvent) =>
		amount / (currencyCode === 'EUR' ? 0.5 : 1);

	const anyEvent: fc.Arbitrary<TrafficEvent> = fc
		.record({
			place: fc.constantFrom(...places),
			visitor: fc.nat(2),
			day: fc.constantFrom(...days),
			second: fc.nat(86_399),
			name: fc.constantFrom(
				'page_view' as const,
				'page_view' as const,
				'cart_view' as const,
				'checkout_view' as const,
				'purchase' as const,
			),
			// Few, so that a visit comes to a page again on the same day
			path: fc.constantFrom('/', '/', '/', '/shop'),
			source: fc.constantFrom('', '', '', 'google'),
			amount: fc.integer({ min: 1, max: 64 }),
		})
		.map(({ place, visitor, day, second, name, path, source, amount }) => ({
			...place,
			// A visit stays within one namespace
			subject: getId(`visit:${place.namespace}:${visitor}`),
			date: `${day} ${new Date(second * 1000).toISOString().slice(11, 19)}.000`,
			name,
			path,
			title: path,
			utm_source: source,
			amount: name === 'purchase' ? amount : 0,
		}));

	type Ask = (sql: string, projects?: string[]) => Promise<any[]>;
	const over = async (events: TrafficEvent[], check: (ask: Ask) => Promise<void>) => {
		const analytics = createAnalytics({ traffic: () => ({ events, rates }) });
		try {
			await check((sql, projects = places.map(({ project }) => project)) =>
				read(analytics, sql, projects),
			);
		} finally {
			await analytics.close();
		}
	};
	const window = "session_attribution(since = '2026-10-01', until = '2026-10-03')";
	const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
	const groups = <T,>(items: T[], key: (item: T) => string): T[][] => [
		...Map.groupBy(items, key).values(),
	];

	const rules: Record<string, (events: TrafficEvent[], ask: Ask) => Promise<void>> = {
		"a visit's attributed revenue sums to its revenue; the cart and the checkout get none": async (
			events,
			ask,
		) => {
			const rows = await ask(`SELECT * FROM ${window}`);
			expect(rows).toHaveLength(events.length);
			for (const visit of groups(rows, ({ subject }) => subject)) {
				const revenue = sum(events.filter(({ subject }) => subject === visit[0].subject).map(usd));
				const views = visit.filter(({ name }) => name === 'page_view');
				expect(visit.every((row) => row.sessionRevenueUsd === revenue)).toBe(true);
				expect(sum(views.map((row) => row.attributedRevenueUsd))).toBeCloseTo(
					views.length > 0 ? revenue : 0,
					6,
				);
				expect(new Set(views.map((row) => row.attributedRevenueUsd)).size).toBeLessThanOrEqual(1);
				for (const row of visit)
					if (row.name !== 'page_view') expect(row.attributedRevenueUsd).toBe(0);
			}
		},
		'totals deduplicated by subject are what was paid': async (events, ask) => {
			const [{ revenue, purchases }] = await ask(
				`SELECT sum(usd) AS revenue, sum(count) AS purchases FROM (SELECT subject, any(sessionRevenueUsd) AS usd, any(sessionPurchaseCount) AS count FROM ${window} GROUP BY subject)`,
			);
			expect(revenue).toBeCloseTo(sum(events.map(usd)), 6);
			expect(purchases).toBe(events.filter(({ name }) => name === 'purchase').length);
		},
		'credit is split before a domain is filtered, over the siblings that the caller may see':
			async (events, ask) => {
				const all = await ask(
					`SELECT subject, attributedRevenueUsd AS usd FROM ${window} WHERE domain = 'a.example' AND name = 'page_view' ORDER BY subject, date`,
				);
				for (const row of all) {
					const visit = events.filter(({ subject }) => subject === row.subject);
					expect(row.usd).toBeCloseTo(
						sum(visit.map(usd)) / visit.filter(({ name }) => name === 'page_view').length,
						6,
					);
				}
				const own = await ask(`SELECT sum(purchaseRevenueUsd) AS usd FROM ${window}`, [siblingA]);
				expect(own[0].usd).toBeCloseTo(
					sum(events.filter(({ project }) => project === siblingA).map(usd)),
					6,
				);
			},
		'both dates of the window are inclusive UTC dates': async (events, ask) => {
			const rows = await ask(
				"SELECT toDate(date) AS day FROM session_attribution(since = '2026-10-02', until = '2026-10-02')",
			);
			expect(rows).toHaveLength(events.filter(({ date }) => date.startsWith('2026-10-02')).length);
			expect(rows.every(({ day }) => day === '2026-10-02')).toBe(true);
		},
		'roll-ups agree with the raw events': async (events, ask) => {
			const views = events.filter(({ name }) => name === 'page_view');
			const purchases = events.filter(({ name }) => name === 'purchase');
			const subjects = (some: TrafficEvent[]) => new Set(some.map(({ subject }) => subject)).size;
			/** A visit's purchases in the project of the page: these tables are project-local */
			const bought = (view: TrafficEvent) =>
				purchases.filter(
					({ subject, project }) => subject === view.subject && project === view.project,
				);
			const viewsOfVisit = (view: TrafficEvent) =>
				views.filter(({ subject, project }) => subject === view.subject && project === view.project)
					.length;
			const once = (some: TrafficEvent[]) =>
				groups(some, ({ project, subject }) => project + subject).map(([first]) => first);

			const pages =
				await ask(`SELECT day, domain, path, utm_source AS source, countMerge(views_state) AS views, uniqMerge(unique_sessions_state) AS sessions,
				uniqMerge(converting_sessions_state) AS converting, sumMerge(fractional_conversions_state) AS fractionalConversions, sumMerge(fractional_revenue_usd_state) AS fractionalUsd,
				sumMerge(session_conversions_state) AS sessionConversions, sumMerge(session_revenue_usd_state) AS sessionUsd
				FROM daily_page_rollups GROUP BY day, domain, path, source`);
			const getKey = ({ date, domain, path, utm_source }: TrafficEvent) =>
				[date.slice(0, 10), domain, path, utm_source].join('|');
			expect(
				pages.map(({ day, domain, path, source }) => [day, domain, path, source].join('|')).sort(),
			).toEqual([...new Set(views.map(getKey))].sort());
			for (const page of pages) {
				const seen = views.filter(
					(view) => getKey(view) === [page.day, page.domain, page.path, page.source].join('|'),
				);
				expect([page.views, page.sessions, page.converting]).toEqual([
					seen.length,
					subjects(seen),
					subjects(seen.filter((view) => bought(view).length > 0)),
				]);
				expect(page.fractionalConversions).toBeCloseTo(
					sum(seen.map((view) => bought(view).length / viewsOfVisit(view))),
					6,
				);
				expect(page.fractionalUsd).toBeCloseTo(
					sum(seen.map((view) => sum(bought(view).map(usd)) / viewsOfVisit(view))),
					6,
				);
				expect(page.sessionConversions).toBe(sum(once(seen).map((view) => bought(view).length)));
				expect(page.sessionUsd).toBeCloseTo(
					sum(once(seen).map((view) => sum(bought(view).map(usd)))),
					6,
				);
			}

			const [traffic] = await ask(
				`SELECT countMerge(views_state) AS views, uniqMerge(unique_sessions_state) AS sessions, uniqMerge(converting_sessions_state) AS converting FROM daily_namespace_rollups`,
			);
			expect(traffic).toEqual({
				views: views.length,
				sessions: subjects(views),
				converting: subjects(views.filter((view) => bought(view).length > 0)),
			});

			const [sales] = await ask(
				`SELECT countMerge(purchase_count_state) AS purchases, sumMerge(total_revenue_usd_state) AS usd, uniqMerge(unique_purchasing_sessions_state) AS sessions FROM daily_namespace_purchase_rollups`,
			);
			expect(sales).toEqual({
				purchases: purchases.length,
				usd: sum(purchases.map(usd)),
				sessions: subjects(purchases),
			});
		},
	};

	// All of them for each example: to make its tables takes longer than to ask.
	test(`it holds that ${Object.keys(rules).join(', that ')}`, () =>
		fc.assert(
			fc.asyncProperty(fc.array(anyEvent, { minLength: 5, maxLength: 40 }), (events) =>
				over(events, async (ask) => {
					for (const [name, holds] of Object.entries(rules))
						await holds(events, ask).catch((cause: Error) => {
							throw new Error(`${name}: ${cause.message}`, { cause });
						});
				}),
			),
			{ numRuns: 15 },
		));

	test('a visit that returns to a page on the same day converts there once', async () => {
		const visit = {
			...places[1],
			subject: getId('visit:again'),
			path: '/',
			title: '/',
			utm_source: '',
			amount: 0,
		};
		const events: TrafficEvent[] = [
			{ ...visit, date: '2026-10-01 08:00:00.000', name: 'page_view' },
			{ ...visit, date: '2026-10-01 09:00:00.000', name: 'page_view' },
			{ ...visit, date: '2026-10-01 10:00:00.000', name: 'purchase', amount: 8 },
		];
		await over(events, async (ask) => {
			const [page] = await ask(
				'SELECT countMerge(views_state) AS views, sumMerge(session_conversions_state) AS conversions, sumMerge(session_revenue_usd_state) AS usd FROM daily_page_rollups',
			);
			expect(page).toEqual({ views: 2, conversions: 1, usd: 8 });
		});
	});
});
