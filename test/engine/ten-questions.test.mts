// The ten questions of docs/analytics.md, asked through the node and answered by a real ClickHouse, held against the single events.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { TrafficEvent } from '../../local-service/analytics/schema.mts';
import { getTraffic } from '../../local-service/analytics/traffic.mts';
import { createService, type RunningService } from '../../local-service/app.mts';
import { seed } from '../../local-service/seed.mts';
import { run } from './engine.mts';
import { credentialFor } from '../../local-service/caller.mts';
import { createServiceClock } from '../support/virtualClock.mts';

const page = readFileSync(new URL('../../docs/analytics.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## Ten questions'));
const queries = new Map(
	[...section.matchAll(/\*\*(.+?)\*\*[^\n]*\n\n```sql\n([\s\S]*?)```/g)].map(
		([, question, sql]) => [question, sql],
	),
);

// The queries ask for the days up to today, and the traffic ends with the service's start.
const begin = Date.now();
const { events, rates } = getTraffic(seed(begin).projects.all(), begin);
let service: RunningService;
beforeAll(async () => {
	service = await createService({ clock: createServiceClock(begin) }).start();
});
afterAll(() => service.close());

const DAY_MS = 86_400_000;
const getToday = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const getDay = (time: number) => new Date(time).toISOString().slice(0, 10);

const rateAt = new Map(rates.map(({ date, code, rate }) => [`${date} ${code}`, rate]));
const dayOfEvent = ({ date }: TrafficEvent) => date.slice(0, 10);
const usd = (event: TrafficEvent) =>
	event.amount === 0 ? 0 : event.amount / rateAt.get(`${dayOfEvent(event)} ${event.currencyCode}`)!;
const sum = <T,>(items: T[], of: (item: T) => number) =>
	items.reduce((total, item) => total + of(item), 0);
const visits = (some: TrafficEvent[]) => new Set(some.map(({ subject }) => subject)).size;
const groups = <T,>(items: T[], key: (item: T) => string) => [...Map.groupBy(items, key)];
const named = (some: TrafficEvent[], name: TrafficEvent['name']) =>
	some.filter((event) => event.name === name);
const getSource = ({ utm_source }: TrafficEvent) => utm_source || 'direct';
const percent = (part: number, whole: number) => (100 * part) / whole;
/** Visits that saw a page of a project and bought in the same project, whenever */
const converting = (views: TrafficEvent[]) => {
	const buyers = new Set(
		named(events, 'purchase').map(({ subject, project }) => subject + project),
	);
	return visits(views.filter(({ subject, project }) => buyers.has(subject + project)));
};

type Row = Record<string, unknown>;
/** Results from the single events of the days since `daysAgo` days before `today` */
type Answer = (since: (daysAgo: number) => TrafficEvent[], today: number) => Row[];

const answers: Record<string, Answer> = {
	'How much traffic do my sites have?': (since) =>
		groups(named(since(30), 'page_view'), dayOfEvent).map(([day, views]) => ({
			day,
			views: views.length,
			sessions: visits(views),
		})),
	'Where do they come from, and who buys?': (since) =>
		groups(named(since(30), 'page_view'), getSource).map(([source, views]) => ({
			source,
			sessions: visits(views),
			converting: converting(views),
			conversion_percent: percent(converting(views), visits(views)),
		})),
	'Which pages are read most this week?': (since) =>
		groups(named(since(6), 'page_view'), ({ domain, path }) => `${domain}|${path}`).map(
			([page, views]) => ({
				domain: page.split('|')[0],
				path: page.split('|')[1],
				views: views.length,
			}),
		),
	'What do I earn a day?': (since) =>
		groups(named(since(30), 'purchase'), dayOfEvent).map(([day, sales]) => ({
			day,
			purchases: sales.length,
			revenue_usd: sum(sales, usd),
		})),
	'Which source brings the money?': (since) =>
		groups(named(since(30), 'purchase'), getSource).map(([source, sales]) => ({
			source,
			revenue_usd: sum(sales, usd),
		})),
	'Which pages earn it?': (since) => {
		const credit = groups(since(30), ({ subject }) => subject).flatMap(([, visit]) => {
			const views = named(visit, 'page_view');
			return views.map((view) => ({
				page: `${view.domain}|${view.path}`,
				usd: sum(visit, usd) / views.length,
			}));
		});
		return groups(credit, ({ page }) => page).map(([page, parts]) => ({
			domain: page.split('|')[0],
			path: page.split('|')[1],
			revenue_usd: sum(parts, (part) => part.usd),
		}));
	},
	'What is a sale worth?': (since) => {
		const sales = named(since(30), 'purchase');
		return [
			{
				purchases: sales.length,
				revenue_usd: sum(sales, usd),
				average_usd: sum(sales, usd) / sales.length,
			},
		];
	},
	'Is this week better than the one before?': (since, today) => {
		const views = named(since(13), 'page_view');
		const recent = views.filter((view) => dayOfEvent(view) > getDay(today - 7 * DAY_MS));
		const before = views.filter((view) => dayOfEvent(view) <= getDay(today - 7 * DAY_MS));
		return [
			{
				sessions: visits(recent),
				sessions_before: visits(before),
				converting: converting(recent),
				converting_before: converting(before),
			},
		];
	},
	'Where do people give up?': (since) => [
		{
			looked: visits(named(since(30), 'page_view')),
			filled_cart: visits(named(since(30), 'cart_view')),
			went_to_checkout: visits(named(since(30), 'checkout_view')),
			bought: visits(named(since(30), 'purchase')),
		},
	],
	'Which first page makes people buy?': (since) => {
		const all = groups(since(30), ({ subject }) => subject)
			.map(([, visit]) => ({
				views: named(visit, 'page_view').toSorted((a, b) => (a.date < b.date ? -1 : 1)),
				bought: named(visit, 'purchase').length,
			}))
			.filter(({ views }) => views.length > 0);
		return groups(all, ({ views }) => views[0].path).map(([first_page, sessions]) => {
			const bought = sessions.filter((session) => session.bought > 0).length;
			return {
				first_page,
				sessions: sessions.length,
				converting: bought,
				conversion_percent: percent(bought, sessions.length),
			};
		});
	},
};

/** ClickHouse's `uniq` estimates, and the queries round to cents. */
const near = (one: unknown, other: unknown) =>
	typeof one === 'number'
		? Math.abs(one - (other as number)) <= 0.011 + 0.002 * Math.abs(one)
		: one === other;
const same = (one: Row, other: Row) =>
	Object.keys(one).join() === Object.keys(other).join() &&
	Object.keys(one).every((key) => near(one[key], other[key]));

async function ask(query: string): Promise<Row[]> {
	const credentials = credentialFor(service);
	const { outputs, error } = await run({
		node: 'workspaceAutomation',
		// As the editor saves a query with an expression
		parameters: {
			resource: 'analytics',
			operation: 'query',
			query: query.includes('{{') ? `=${query}` : query,
		},
		credentials,
	});
	if (error) throw error;
	return outputs[0].map(({ json }) => json);
}

test('the page has ten questions', () => {
	expect([...queries.keys()]).toEqual(Object.keys(answers));
	expect(queries.size).toBe(10);
});

test.each(Object.entries(answers))('%s', async (question, answer) => {
	const query = queries.get(question)!;
	// Asked again where midnight comes between the question and what is expected
	let today: number;
	let rows: Row[];
	do {
		today = getToday();
		rows = await ask(query);
	} while (today !== getToday());

	const expected = answer(
		(daysAgo) => events.filter((event) => dayOfEvent(event) >= getDay(today - daysAgo * DAY_MS)),
		today,
	);
	expect(rows.length).toBeGreaterThan(0);
	const limit = Number(/LIMIT (\d+)/.exec(query)?.[1] ?? expected.length);
	expect(rows).toHaveLength(Math.min(limit, expected.length));
	expect(rows.filter((row) => !expected.some((other) => same(row, other)))).toEqual([]);
	// In the order that was asked for, so that of a limit the best remain
	const [, column] = /ORDER BY (\w+) DESC/.exec(query) ?? [];
	if (column !== undefined) {
		const best = expected.map((row) => row[column] as number).sort((a, b) => b - a);
		rows.forEach((row, index) =>
			expect([index, near(best[index], row[column])]).toEqual([index, true]),
		);
	}
});

test('session_attribution gets literal dates, as the API document says', () => {
	const dates = [...queries.values()].flatMap((query) =>
		[...query.matchAll(/session_attribution\((.*)\)/g)].map(([, given]) => given),
	);
	expect(dates.length).toBeGreaterThan(0);
	expect(dates.filter((given) => !/^since = \{\{.+\}\}, until = \{\{.+\}\}$/.test(given))).toEqual(
		[],
	);
});
