// The tables of the API document ("Queryable analytics tables"), each with a query to start from: aggregate states are read with
// their merge functions, and sessions are counted once.

export const TABLES = [
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
			'Views, sessions and conversions by day, page and source; revenue is that of each project alone',
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
		description: 'Single events with what their session bought, in the currency of the project',
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
FROM session_attribution(since = toString(today() - 30), until = toString(today()))
GROUP BY domain, path
ORDER BY attributed_revenue_usd DESC`,
	},
];
