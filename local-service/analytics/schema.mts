// The six tables of the API document: stored once for all projects; each caller sees views with the rows of its projects.
// The README ("Analytics") says how we read what the document leaves open.
import type { Connection } from './engine.mts';

/** An event on a page: a row of the stored table `events`. */
export interface TrafficEvent {
	project: string;
	/** Projects of one namespace are siblings: a visit may span several of them, and its revenue counts for all its pages. */
	namespace: string;
	/** The visit: UUID */
	subject: string;
	/** `2026-10-05 09:00:00.000`, UTC */
	date: string;
	name: 'page_view' | 'cart_view' | 'checkout_view' | 'purchase';
	domain: string;
	path: string;
	title: string;
	utm_source: string;
	currencyCode: string;
	/** Paid, in that currency; 0 for views */
	amount: number;
}

/** Returns the units of a currency per US dollar on a day (`2026-10-05`). */
export interface ExchangeRate {
	date: string;
	code: string;
	rate: number;
}

const STORED = [
	`events (project UUID, namespace String, subject UUID, date DateTime64(3), name LowCardinality(String), domain String, path String,
		title String, utm_source String, currencyCode String, amount Float64)`,
	'currency_exchange_rates (date Date, code String, rate Float32)',
	`events_computed (project UUID, subject UUID, date DateTime64(3), name LowCardinality(String), path String, domain String, currencyCode String,
		subjectPurchaseSum Float64, subjectPurchaseCount Float64, subjectPurchaseFraction Float64, subjectPurchaseFractionalSum Float64,
		title String, utm_source String, amountUsd Float64, subjectPurchaseSumUsd Float64)`,
	`daily_page_rollups (project UUID, day Date, domain String, path String, utm_source String, views_state AggregateFunction(count),
		unique_sessions_state AggregateFunction(uniq, UUID), converting_sessions_state AggregateFunction(uniq, UUID),
		fractional_conversions_state AggregateFunction(sum, Float64), fractional_revenue_usd_state AggregateFunction(sum, Float64),
		session_conversions_state AggregateFunction(sum, UInt64), session_revenue_usd_state AggregateFunction(sum, Float64))`,
	`daily_namespace_rollups (project UUID, day Date, utm_source String, views_state AggregateFunction(count),
		unique_sessions_state AggregateFunction(uniq, UUID), converting_sessions_state AggregateFunction(uniq, UUID))`,
	`daily_namespace_purchase_rollups (project UUID, day Date, utm_source String, purchase_count_state AggregateFunction(count),
		total_revenue_usd_state AggregateFunction(sum, Float64), unique_purchasing_sessions_state AggregateFunction(uniq, UUID))`,
];

// A visit's purchases are credited to its page views in equal parts; cart and checkout views get none.
const computed = (db: string) => `
	INSERT INTO ${db}.events_computed
	SELECT project, subject, date, name, path, domain, currencyCode,
		sum(amount) OVER visit AS subjectPurchaseSum,
		countIf(name = 'purchase') OVER visit AS subjectPurchaseCount,
		if(name = 'page_view', subjectPurchaseCount / countIf(name = 'page_view') OVER visit, 0) AS subjectPurchaseFraction,
		if(name = 'page_view', subjectPurchaseSum / countIf(name = 'page_view') OVER visit, 0) AS subjectPurchaseFractionalSum,
		title, utm_source, amountUsd, sum(amountUsd) OVER visit AS subjectPurchaseSumUsd
	FROM (${withUsd(db)})
	WINDOW visit AS (PARTITION BY project, subject)`;

/** Events with their amount in US dollars, at the day's rate. */
const withUsd = (db: string) => `
	SELECT e.*, if(amount = 0, 0, amount / rate) AS amountUsd
	FROM ${db}.events AS e LEFT JOIN ${db}.currency_exchange_rates AS r ON r.date = toDate(e.date) AND r.code = e.currencyCode`;

const ROLLUPS = (db: string) => [
	// A visit's conversions and revenue count once per page and day, however often it viewed the page.
	`INSERT INTO ${db}.daily_page_rollups
	SELECT project, toDate(date) AS day, domain, path, utm_source, countState(), uniqState(subject), uniqStateIf(subject, subjectPurchaseCount > 0),
		sumState(subjectPurchaseFraction), sumState(subjectPurchaseSumUsd * subjectPurchaseFraction / greatest(subjectPurchaseCount, 1)),
		sumState(if(first, toUInt64(subjectPurchaseCount), 0)), sumState(if(first, subjectPurchaseSumUsd, 0))
	FROM (
		SELECT *, row_number() OVER (PARTITION BY project, subject, toDate(date), domain, path, utm_source ORDER BY date) = 1 AS first
		FROM ${db}.events_computed WHERE name = 'page_view'
	) GROUP BY project, day, domain, path, utm_source`,
	`INSERT INTO ${db}.daily_namespace_rollups
	SELECT project, toDate(date) AS day, utm_source, countState(), uniqState(subject), uniqStateIf(subject, subjectPurchaseCount > 0)
	FROM ${db}.events_computed WHERE name = 'page_view' GROUP BY project, day, utm_source`,
	`INSERT INTO ${db}.daily_namespace_purchase_rollups
	SELECT project, toDate(date) AS day, utm_source, countState(), sumState(amountUsd), uniqState(subject)
	FROM ${db}.events_computed WHERE name = 'purchase' GROUP BY project, day, utm_source`,
];

/** Creates a database with the stored tables and fills them. */
export async function createTables(
	connection: Connection,
	db: string,
	events: TrafficEvent[],
	rates: ExchangeRate[],
): Promise<void> {
	await connection.run(`CREATE DATABASE ${db} ENGINE = Memory`);
	for (const table of STORED) await connection.run(`CREATE TABLE ${db}.${table} ENGINE = Memory`);
	if (rates.length > 0) await connection.insert(`${db}.currency_exchange_rates`, rates);
	if (events.length > 0) await connection.insert(`${db}.events`, events);
	await fillComputed(connection, db);
}

const COMPUTED = [
	'events_computed',
	'daily_page_rollups',
	'daily_namespace_rollups',
	'daily_namespace_purchase_rollups',
];

/** Fills the tables that follow from the events. */
async function fillComputed(connection: Connection, db: string): Promise<void> {
	for (const statement of [computed(db), ...ROLLUPS(db)]) await connection.run(statement);
}

/** Fills them again, after the events have changed. */
export async function recompute(connection: Connection, db: string): Promise<void> {
	for (const table of COMPUTED) await connection.run(`TRUNCATE TABLE ${db}.${table}`);
	await fillComputed(connection, db);
}

/** The views that callers see, with the columns that the API document lists */
const SHOWN = {
	events_computed: `subject, date, name, path, domain, currencyCode, subjectPurchaseSum, subjectPurchaseCount, subjectPurchaseFraction,
		subjectPurchaseFractionalSum, title`,
	daily_page_rollups: `day, domain, path, utm_source, views_state, unique_sessions_state, converting_sessions_state, fractional_conversions_state,
		fractional_revenue_usd_state, session_conversions_state, session_revenue_usd_state`,
	daily_namespace_rollups:
		'day, utm_source, views_state, unique_sessions_state, converting_sessions_state',
	daily_namespace_purchase_rollups:
		'day, utm_source, purchase_count_state, total_revenue_usd_state, unique_purchasing_sessions_state',
};

/** The parameterized view. A visit's revenue is what all sibling projects that the caller may see earned within the window. */
const attribution = (db: string, own: string) => `
	SELECT subject, date, name, domain, path, title, amountUsd AS purchaseRevenueUsd,
		sum(amountUsd) OVER visit AS sessionRevenueUsd,
		countIf(name = 'purchase') OVER visit AS sessionPurchaseCount,
		if(name = 'page_view', sessionRevenueUsd / countIf(name = 'page_view') OVER visit, 0) AS attributedRevenueUsd
	FROM (${withUsd(db)} WHERE ${own} AND toDate(e.date) BETWEEN toDate({since:String}) AND toDate({until:String}))
	WINDOW visit AS (PARTITION BY namespace, subject)`;

/** Creates a database of views onto the stored one that show the rows of `projects` (UUIDs) and no others. */
export async function createViews(
	connection: Connection,
	db: string,
	stored: string,
	projects: string[],
): Promise<void> {
	// `has` of an empty list is false for every row: a key without projects sees empty tables
	const own = `has([${projects.map((id) => `'${id}'`).join(', ')}]::Array(UUID), project)`;
	await connection.run(`CREATE DATABASE ${db} ENGINE = Memory`);
	await connection.run(
		`CREATE VIEW ${db}.currency_exchange_rates AS SELECT * FROM ${stored}.currency_exchange_rates`,
	);
	for (const [table, columns] of Object.entries(SHOWN)) {
		await connection.run(
			`CREATE VIEW ${db}.${table} AS SELECT ${columns} FROM ${stored}.${table} WHERE ${own}`,
		);
	}
	await connection.run(`CREATE VIEW ${db}.session_attribution AS ${attribution(stored, own)}`);
}

/** The table that takes its dates as arguments, like a function */
export const ATTRIBUTION = 'session_attribution';
