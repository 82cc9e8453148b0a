import type { IDataObject, NodeHint } from 'n8n-workflow';

import { loadCode } from '../../shared/errors';
import { queryField, queryParameters } from '../../shared/n8n/commonFields';
import { field, readParameter, showFor, toggle, type Field } from '../../shared/n8n/fields';
import type { Operation } from '../../shared/n8n/sendOperation';

const loadAnalyticsCalls = async () =>
	await loadCode(async () => await import('../analyticsCalls.ts'));

// From the API document, "Queryable analytics tables". Aggregate states need their merge functions, and sessions are counted once.

export const ANALYTICS_TABLES = [
	{
		name: 'Currency Exchange Rates',
		value: 'currency_exchange_rates',
		description: 'Daily rates, the same for all projects',
		query: `SELECT date, code, rate
FROM currency_exchange_rates
WHERE date >= today() - 7
ORDER BY date, code`,
	},
	{
		name: 'Daily Page Views',
		value: 'daily_page_rollups',
		description:
			'Views, sessions, and conversions by day, page, and source. Revenue is project-local.',
		query: `SELECT
  day, domain, path, utm_source,
  countMerge(views_state) AS views,
  uniqMerge(unique_sessions_state) AS sessions,
  uniqMerge(converting_sessions_state) AS converting_sessions,
  sumMerge(fractional_conversions_state) AS fractional_conversions,
  sumMerge(fractional_revenue_usd_state) AS fractional_revenue_usd,
  sumMerge(session_conversions_state) AS session_conversions,
  sumMerge(session_revenue_usd_state) AS session_revenue_usd
FROM daily_page_rollups
WHERE day >= today() - 7
GROUP BY day, domain, path, utm_source
ORDER BY day, views DESC`,
	},
	{
		name: 'Daily Purchases',
		value: 'daily_namespace_purchase_rollups',
		description: 'Purchases and revenue by day and source',
		query: `SELECT
  day, utm_source,
  countMerge(purchase_count_state) AS purchases,
  sumMerge(total_revenue_usd_state) AS revenue_usd,
  uniqMerge(unique_purchasing_sessions_state) AS purchasing_sessions
FROM daily_namespace_purchase_rollups
WHERE day >= today() - 30
GROUP BY day, utm_source
ORDER BY day, revenue_usd DESC`,
	},
	{
		name: 'Daily Visits',
		value: 'daily_namespace_rollups',
		description: 'Views, sessions and conversions by day and source',
		query: `SELECT
  day, utm_source,
  countMerge(views_state) AS views,
  uniqMerge(unique_sessions_state) AS sessions,
  uniqMerge(converting_sessions_state) AS converting_sessions
FROM daily_namespace_rollups
WHERE day >= today() - 30
GROUP BY day, utm_source
ORDER BY day, views DESC`,
	},
	{
		name: 'Events',
		value: 'events_computed',
		description: "Single events with the purchases of their session, in the project's currency",
		query: `SELECT
  date, name, domain, path, title, currencyCode, subject,
  subjectPurchaseCount, subjectPurchaseSum,
  subjectPurchaseFraction, subjectPurchaseFractionalSum
FROM events_computed
WHERE date >= today() - 1
ORDER BY date DESC
LIMIT 1000`,
	},
	{
		name: 'Sessions and Revenue',
		value: 'session_attribution',
		description:
			'Sessions and revenue across linked projects, in US dollars. Both dates are inclusive.',
		query: `SELECT
  domain, path,
  uniq(subject) AS sessions,
  uniqIf(subject, sessionPurchaseCount > 0) AS converting_sessions,
  sum(attributedRevenueUsd) AS attributed_revenue_usd
FROM session_attribution(
  since = {{ $now.toUTC().minus({ days: 30 }).toISODate() }},
  until = {{ $now.toUTC().toISODate() }}
)
GROUP BY domain, path
ORDER BY attributed_revenue_usd DESC`,
	},
];

const rowsInOneItem = toggle(
	'Return as Single Item',
	'rowsInOneItem',
	false,
	'Whether to return a single item with data and rowCount, instead of one item per row',
);

const NO_TEMPLATE = 'own';

export const analytics: Record<string, Operation> = {
	query: {
		description: 'Run a SQL query on the event data of the projects that the API key can access',
		request: 'queryAnalytics',
		fields: [
			field('Query Template', 'table', 'options', NO_TEMPLATE, {
				noDataExpression: true,
				description:
					'Fills in a query that reads this table. A query that you have edited is kept.',
				hint: 'To replace an edited query, choose Own Query, clear the query, and choose a table again',
				options: [
					{ name: 'Own Query', value: NO_TEMPLATE, description: 'Start with an empty query' },
					...ANALYTICS_TABLES.map(({ name, value, description }) => ({ name, value, description })),
				],
			}),
			// The panel shows the default of the chosen table until someone changes it.
			...[{ value: NO_TEMPLATE, query: '' }, ...ANALYTICS_TABLES].map(({ value, query }) => ({
				...queryField,
				default: query,
				displayOptions: { show: { table: [value] } },
			})),
		],
		async prepare({ values: { query } }) {
			// Checks the option before anything is sent. `output` reads it again.
			readParameter(this, rowsInOneItem, 'options.');
			return await (await loadAnalyticsCalls()).prepareQuery(this, String(query));
		},
		async result({ body }) {
			return (await loadAnalyticsCalls()).readResult(this, body);
		},
		/** Returns an item per row, unless the user wants one item. The last row says if rows were cut off. */
		output(items) {
			if (readParameter(this, rowsInOneItem, 'options.')) return items;
			const { data, rowLimitReached } = items[0].json;
			const rows = data as IDataObject[];
			if (rowLimitReached === true) rows.push({ ...rows.pop(), rowLimitReached });
			// `pairedItem` is there from the start, because adding the key later would cost each item another object.
			return rows.map((json) => ({ json, pairedItem: undefined }));
		},
	},
};

export const analyticsOptions: Field[] = showFor<Field>(
	{ '/resource': ['analytics'], '/operation': ['query'] },
	queryParameters,
	rowsInOneItem,
);

// The condition runs in the editor whenever someone types, so its patterns take linear time.

/** Comments and strings, which run to the end of the query if nothing closes them */
const COMMENT_OR_STRING = String.raw`/--.*|\/\/.*|#[ !].*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\]|\\[^]?)*(?:'|$)/g`;

const CALL = String.raw`/\b\w+\s*\([^()]*\)/g`;

const MERGE = String.raw`/^\w*(?:merge|finalizeAggregation)/i`;

const STATE = String.raw`/\b\w+_state\b/`;

/** Warns of aggregate states without a merge function: their bytes are unreadable (API document, POST /analytics/query, rule 5). */
export const bareState: NodeHint = {
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	message:
		'Columns that end in _state hold intermediate results. Read them with their merge function and group by the other columns: countMerge(views_state), uniqMerge(unique_sessions_state), sumMerge(total_revenue_usd_state).',
	displayCondition: `={{ $parameter["resource"] === "analytics" && ${STATE}.test(String($rawParameter["query"] ?? "").replace(${COMMENT_OR_STRING}, " ").replace(${CALL}, (call) => ${MERGE}.test(call) ? " " : call)) }}`,
};
