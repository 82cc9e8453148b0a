// The workflows of examples/ that ask analytics, in the real n8n against the local service. What they say is compared with the single events
// that the service's traffic is made of.
import { sendOver } from '../../local-service/control/client.mts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { trafficOf } from '../../local-service/analytics/traffic.mts';
import type { ExchangeRate, TrafficEvent } from '../../local-service/analytics/schema.mts';
import { seed } from '../../local-service/seed.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import {
	byId,
	callApi,
	describeWith,
	example,
	node,
	play,
	projectId,
	TEST_TIMEOUT_MS,
	useStage,
} from './support.mts';

const describe = describeWith('ClickHouse');

const DAY_MS = 86_400_000;
const stage = useStage();

let events: TrafficEvent[];
let rates: ExchangeRate[];

const control = async (
	method: 'GET' | 'POST' | 'DELETE',
	path: string,
	body?: unknown,
): Promise<any> => (await sendOver(stage.service.controlUrl)(method, path, body)).body;

const call = async (method: string, path: string, body?: object): Promise<any> =>
	await callApi(stage, method, path, body);

beforeAll(async () => {
	// The traffic ends when the service started: the last day has a rate, the last moment an event.
	const { data } = await call('POST', '/analytics/query', {
		query:
			'SELECT (SELECT max(date) FROM currency_exchange_rates) AS day, toString(max(date)) AS moment FROM events_computed',
	});
	const [{ day, moment }] = data;
	const end = Date.parse(day) + DAY_MS - 1;
	const traffic = trafficOf(seed(end).projects.all(), end);
	events = traffic.events.filter(({ date }) => date <= moment);
	rates = traffic.rates;
}, TEST_TIMEOUT_MS);

beforeEach(async () => {
	await control('POST', '/reset');
	await control('POST', '/speed', { speed: 20 });
}, TEST_TIMEOUT_MS);

/** The UTC day so many days ago */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** The result of `work`, which is done again if midnight came in between: its question and what is expected would be about different days. */
async function withinOneDay<T>(work: () => Promise<T>): Promise<T> {
	for (;;) {
		const today = daysAgo(0);
		const result = await work();
		if (today === daysAgo(0)) return result;
	}
}

/** The events of the days from so many days ago until so many days ago, both inclusive */
const between = (from: number, until: number) =>
	events.filter(
		({ date }) => date.slice(0, 10) >= daysAgo(from) && date.slice(0, 10) <= daysAgo(until),
	);
const named = (some: TrafficEvent[], name: TrafficEvent['name']) =>
	some.filter((event) => event.name === name);
const visits = (some: TrafficEvent[]) => new Set(some.map(({ subject }) => subject)).size;
const sourceOf = ({ utm_source }: TrafficEvent) => utm_source || 'direct';
const usd = ({ date, currencyCode, amount }: TrafficEvent) =>
	amount /
	rates.find((rate) => rate.date === date.slice(0, 10) && rate.code === currencyCode)!.rate;
const cents = (some: TrafficEvent[]) =>
	expect.closeTo(
		some.reduce((sum, event) => sum + usd(event), 0),
		1,
	);
const sources = (some: TrafficEvent[]) => [...new Set(some.map(sourceOf))];
const descending =
	(...keys: string[]) =>
	(one: any, other: any): number => {
		const key = keys.find((each) => one[each] !== other[each]);
		return key === undefined ? 0 : other[key] - one[key];
	};

/** An example in which the numbers of **Settings** are others */
function withSettings(name: string, settings: Record<string, unknown>): WorkflowFile {
	const file = example(name);
	const { assignments } = file.nodes.find((node) => node.name === 'Settings')!.parameters
		.assignments;
	for (const [setting, value] of Object.entries(settings))
		Object.assign(
			assignments.find((one: any) => one.name === setting),
			{ value },
		);
	return file;
}

/** Makes a table as somebody does who reads the note, and returns its place. */
async function makeTable(
	columns: Record<string, string>,
): Promise<{ id: string; rows(): Promise<any[]> }> {
	const { rest } = stage.host;
	const { id: owner } = await rest.get('/projects/personal');
	const tables = `/projects/${owner}/data-tables`;
	const name = `Revenue ${Object.keys(columns)} ${Date.now()}`;
	const { id } = await rest.post(tables, {
		name,
		columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
	});
	const rows = async () =>
		(await rest.get(`${tables}/${id}/rows?take=100`)).data.map(
			({ day, source, purchases, revenue_usd }: any) => ({ day, source, purchases, revenue_usd }),
		);
	return { id, rows };
}

/** A number that is shown with one decimal may be so far off. */
const TENTH = 0.0501;

const COLUMNS = { day: 'string', source: 'string', purchases: 'number', revenue_usd: 'number' };

/** The example with that table chosen */
const intoTable = (id: string, more = {}) =>
	example('daily-revenue', {
		'Save in the table': { dataTableId: { __rl: true, mode: 'list', value: id } },
		...more,
	});

describe('daily-revenue.json', () => {
	test(
		"writes yesterday's revenue of each source into the table, and doubles nothing when it runs again",
		async () => {
			await withinOneDay(async () => {
				const table = await makeTable(COLUMNS);
				const execution = await play(stage, intoTable(table.id));

				expect(execution.error).toBeUndefined();
				const sold = named(between(31, 1), 'purchase');
				const yesterday = named(between(1, 1), 'purchase');
				const expected = sources(sold).map((source) => {
					const own = yesterday.filter((event) => sourceOf(event) === source);
					return { day: daysAgo(1), source, purchases: own.length, revenue_usd: cents(own) };
				});
				expect(expected).toHaveLength(5);
				const rows = await table.rows();
				expect(rows.toSorted((a, b) => (a.source < b.source ? -1 : 1))).toEqual(
					expected.sort((a, b) => (a.source < b.source ? -1 : 1)),
				);

				await play(stage, intoTable(table.id));
				expect(await table.rows()).toEqual(rows);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'writes a zero for a source that sold something in the days before and nothing on that day',
		async () => {
			await withinOneDay(async () => {
				const table = await makeTable(COLUMNS);
				const file = intoTable(table.id);
				const { parameters } = file.nodes.find(({ name }) => name === 'Revenue of yesterday')!;
				// Nobody has bought anything tomorrow
				parameters.query = parameters.query.replaceAll('yesterday()', '(today() + 1)');
				const execution = await play(stage, file);

				expect(execution.error).toBeUndefined();
				const expected = sources(named(between(29, 0), 'purchase'))
					.sort()
					.map((source) => ({ day: daysAgo(-1), source, purchases: 0, revenue_usd: 0 }));
				expect(await table.rows()).toEqual(expected);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'keeps the days that stand there, and corrects the one that it writes',
		async () => {
			await withinOneDay(async () => {
				const table = await makeTable(COLUMNS);
				await play(
					stage,
					intoTable(table.id, {
						'Revenue of yesterday': {
							query:
								"SELECT '2026-01-01' AS day, 'google' AS source, 1 AS purchases, 9.5 AS revenue_usd",
						},
					}),
				);
				await play(
					stage,
					intoTable(table.id, {
						'Revenue of yesterday': {
							query:
								"SELECT yesterday() AS day, 'google' AS source, 999 AS purchases, 1 AS revenue_usd",
						},
					}),
				);
				await play(stage, intoTable(table.id));

				const google = named(between(1, 1), 'purchase').filter(
					(event) => sourceOf(event) === 'google',
				);
				expect((await table.rows()).filter(({ source }) => source === 'google')).toEqual([
					{ day: '2026-01-01', source: 'google', purchases: 1, revenue_usd: 9.5 },
					{
						day: daysAgo(1),
						source: 'google',
						purchases: google.length,
						revenue_usd: cents(google),
					},
				]);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says the same in words',
		async () => {
			await withinOneDay(async () => {
				const execution = await play(stage, intoTable((await makeTable(COLUMNS)).id));
				const [{ text }, ...more] = execution.items('Report');
				expect(more).toEqual([]);
				const total = Number(/^Revenue of (.+): ([\d.]+) USD\n/.exec(text)?.[2]);
				expect(total).toEqual(cents(named(between(1, 1), 'purchase')));
				expect(text.split('\n')).toHaveLength(6);
				expect(text).toMatch(new RegExp(`^Revenue of ${daysAgo(1)}: `));
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'ends with an error that names the column that the table lacks, and does not start without a table',
		async () => {
			const lacking = await play(
				stage,
				intoTable(
					(await makeTable({ day: 'string', purchases: 'number', revenue_usd: 'number' })).id,
				),
			);
			expect([lacking.status, lacking.lastNodeExecuted]).toEqual(['error', 'Save in the table']);
			expect(lacking.error!.message).toContain('source');

			// n8n 2 makes an execution of it that has failed, n8n 1 refuses to start one
			await control('DELETE', '/requests');
			const refusal = await play(stage, example('daily-revenue')).then(
				({ error }) => error?.message,
				(error: Error) => error.message,
			);
			expect(refusal).toMatch(/has issues/);
			expect(await stage.service.requests()).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('top-pages.json', () => {
	const EXAMPLE = 'top-pages';

	/** The ten pages as the single events have them */
	function expectedPages() {
		const views = named(between(7, 1), 'page_view');
		const before = named(between(14, 8), 'page_view');
		const pageOf = ({ domain, path }: TrafficEvent) => `${domain}${path}`;
		return [...Map.groupBy(views, pageOf)]
			.map(([page, own]) => {
				const earlier = before.filter((event) => pageOf(event) === page).length;
				return {
					page,
					views: own.length,
					sessions: visits(own),
					change: earlier === 0 ? null : 100 * (own.length / earlier - 1),
				};
			})
			.sort((one, other) => descending('views')(one, other) || (one.page < other.page ? -1 : 1))
			.slice(0, 10);
	}

	test(
		'reports the ten most read pages of seven whole days, with the change to the seven before',
		async () => {
			await withinOneDay(async () => {
				const execution = await play(stage, example(EXAMPLE));

				expect(execution.error).toBeUndefined();
				const [report, ...more] = execution.items('Report');
				expect(more).toEqual([]);
				expect(report.subject).toBe(`Most read pages, ${daysAgo(7)} to ${daysAgo(1)}`);
				const lines: string[] = report.text.split('\n');
				const expected = expectedPages();
				expect(lines).toHaveLength(10);
				expect(lines.map((line) => line.replace(/, [^,]*$/, ''))).toEqual(
					expected.map(
						({ page, views, sessions }, index) =>
							`${index + 1}. ${page}: ${views} views in ${sessions} sessions`,
					),
				);
				expected.forEach(({ change }, index) => {
					const [, shown] = /, ([+-]?[\d.]+) %$/.exec(lines[index]) ?? [];
					if (change === null) expect(lines[index]).toMatch(/, new$/);
					else expect(shown).toMatch(change > 0.05 ? /^\+/ : /./);
					if (change !== null) expect(Math.abs(Number(shown) - change)).toBeLessThan(TENTH);
				});
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'hands on the same as a table for a spreadsheet',
		async () => {
			await withinOneDay(async () => {
				const file = example(EXAMPLE);
				file.nodes.push(
					node('Read it', 'n8n-nodes-base.extractFromFile', 1, {
						parameters: { operation: 'csv', options: { enableBOM: true } },
					}),
				);
				file.connections.Report = { main: [[{ node: 'Read it', type: 'main', index: 0 }]] };
				const execution = await play(stage, file);

				expect(execution.error).toBeUndefined();
				expect(execution.runData.Report[0].data!.main[0]).toMatchObject([
					{
						binary: {
							data: { fileName: `most-read-pages ${daysAgo(1)}.csv`, mimeType: 'text/csv' },
						},
					},
				]);
				const rows = execution.items('Read it');
				expect(Object.keys(rows[0])).toEqual([
					'domain',
					'path',
					'views',
					'sessions',
					'views_before',
					'change_percent',
					'first_day',
					'last_day',
				]);
				expect(
					rows.map(({ domain, path, views, sessions }) => ({
						page: domain + path,
						views: Number(views),
						sessions: Number(sessions),
					})),
				).toEqual(expectedPages().map(({ page, views, sessions }) => ({ page, views, sessions })));
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'calls a page new that nobody read before',
		async () => {
			const query =
				"SELECT 'a.example' AS domain, '/' AS path, 3 AS views, 2 AS sessions, NULL AS change_percent, today() - 7 AS first_day, today() - 1 AS last_day";
			const execution = await play(stage, example(EXAMPLE, { 'Most read pages': { query } }));
			expect(execution.items('Report')[0].text).toBe('1. a.example/: 3 views in 2 sessions, new');
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'says so when nobody read anything',
		async () => {
			const execution = await play(
				stage,
				example(EXAMPLE, { 'Most read pages': { query: 'SELECT 1 AS views WHERE 0' } }),
			);
			expect(execution.error).toBeUndefined();
			expect(execution.items('Report')).toEqual([
				{
					subject: 'Most read pages: none',
					text: 'Nobody read a page in the seven days that ended with yesterday.',
				},
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('conversion-alert.json', () => {
	const EXAMPLE = 'conversion-alert';

	/** Conversion as the single events have it: sessions, those that bought in the same project, and how far it fell */
	function expectedNumbers(days: number) {
		const buyers = new Set(
			named(events, 'purchase').map(({ subject, project }) => subject + project),
		);
		const of = (some: TrafficEvent[]) => {
			const views = named(some, 'page_view');
			return {
				sessions: visits(views),
				converting: visits(views.filter(({ subject, project }) => buyers.has(subject + project))),
			};
		};
		const last = of(between(1, 1));
		const before = of(between(1 + days, 2));
		const fell =
			100 * (1 - last.converting / last.sessions / (before.converting / before.sessions));
		return { last, before, fell };
	}
	const inWords = (
		{ sessions, converting }: { sessions: number; converting: number },
		period = '',
	) =>
		`${((100 * converting) / sessions).toFixed(2)} %${period} (${converting} of ${sessions} sessions)`;

	test.each([14, 7])(
		"ends with an error that says the numbers when yesterday's conversion fell further than it may from that of %d days",
		async (days) => {
			await withinOneDay(async () => {
				const { last, before, fell } = expectedNumbers(days);
				const execution = await play(
					stage,
					withSettings(EXAMPLE, { days, fellByPercent: fell - 0.2, leastSessions: last.sessions }),
				);

				expect([execution.status, execution.lastNodeExecuted]).toEqual(['error', 'Tell somebody']);
				const { message } = execution.error!;
				const [, shown = '0'] = /: it fell by ([\d.]+) %\.$/.exec(message) ?? [];
				expect(message.replace(/: it .*/, '')).toBe(
					`Conversion on ${daysAgo(1)} was ${inWords(last)}, after ${inWords(before, ` in the ${days} days before`)}`,
				);
				expect(Math.abs(Number(shown) - Math.max(fell, 0))).toBeLessThan(TENTH);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'ends quietly when it fell no further than it may',
		async () => {
			await withinOneDay(async () => {
				const execution = await play(
					stage,
					withSettings(EXAMPLE, { fellByPercent: expectedNumbers(14).fell + 0.2 }),
				);
				expect([execution.status, execution.items('Report')[0].alert]).toEqual(['success', false]);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'ends quietly when a day has too few sessions to say anything',
		async () => {
			await withinOneDay(async () => {
				const execution = await play(
					stage,
					withSettings(EXAMPLE, {
						fellByPercent: -1000,
						leastSessions: expectedNumbers(14).last.sessions + 1,
					}),
				);
				expect([execution.status, execution.items('Report')[0].alert]).toEqual(['success', false]);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'takes nothing but a number of days into the query: anything else is an error that says so',
		async () => {
			const execution = await play(
				stage,
				example(EXAMPLE, {
					'Conversion of yesterday': {
						options: { parameters: { values: [{ name: 'days', value: '14 OR 1 = 1' }] } },
					},
				}),
			);
			expect([execution.status, execution.lastNodeExecuted]).toEqual([
				'error',
				'Conversion of yesterday',
			]);
			expect(execution.error!.description).toContain('14 OR 1 = 1');
		},
		TEST_TIMEOUT_MS,
	);
});

describe('weekly-digest.json', () => {
	const EXAMPLE = 'weekly-digest';

	async function savedDigests(): Promise<string[]> {
		const files = (await control('GET', '/seed')).files.filter(({ name }: any) =>
			name.startsWith('digest of the week'),
		);
		return await Promise.all(
			files.map(async ({ id }: any) => (await call('GET', `/files/${id}/content`)).text),
		);
	}

	/** A row for each source, as the single events have them */
	function expectedRows() {
		const [week, before] = [between(7, 1), between(14, 8)];
		return sources(named(between(14, 1), 'page_view'))
			.map((source) => {
				const own = (some: TrafficEvent[], name: TrafficEvent['name']) =>
					named(some, name).filter((event) => sourceOf(event) === source);
				return {
					source,
					sessions: visits(own(week, 'page_view')),
					sessions_before: visits(own(before, 'page_view')),
					purchases: own(week, 'purchase').length,
					purchases_before: own(before, 'purchase').length,
					revenue_usd: cents(own(week, 'purchase')),
					revenue_usd_before: cents(own(before, 'purchase')),
					first_day: daysAgo(7),
					last_day: daysAgo(1),
				};
			})
			.sort(
				(one, other) => descending('sessions')(one, other) || (one.source < other.source ? -1 : 1),
			);
	}

	test(
		'gives the agent the numbers of the week, saves what it writes with them, and hands it on',
		async () => {
			await withinOneDay(async () => {
				await control('POST', '/reset');
				await control('POST', '/speed', { speed: 20 });
				const execution = await play(stage, example(EXAMPLE));

				expect(execution.error).toBeUndefined();
				expect(execution.status).toBe('success');
				const [session, ...others] = await stage.service.sessions();
				expect(others).toEqual([]);
				expect(session).toMatchObject({ projectId, status: 'completed', interactions: [] });
				const [, json] = /\n\n(\[\{.*\}\])\n\n/.exec(session.prompt) ?? [];
				const rows = JSON.parse(json);
				expect(rows).toEqual(expectedRows());

				const [digest, ...more] = await savedDigests();
				expect(more).toEqual([]);
				const [heading, words, table] = digest.split('\n\n');
				expect(heading).toBe(`# The week from ${daysAgo(7)} to ${daysAgo(1)}`);
				expect(words).toBe(
					`${rows[0].source} brought the most sessions: ${rows[0].sessions}, after ${rows[0].sessions_before} in the week before.`,
				);
				expect(table.split('\n').slice(2)).toEqual(
					rows.map(
						(row: any) =>
							`| ${row.source} | ${row.sessions} | ${row.sessions_before} | ${row.purchases} | ${row.purchases_before} | ${row.revenue_usd.toFixed(2)} | ${row.revenue_usd_before.toFixed(2)} |`,
					),
				);
				expect(execution.items('Report')).toEqual([
					{ text: digest, file: expect.stringContaining(daysAgo(1)), fileId: expect.any(String) },
				]);
			});
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'lets the agent do nothing',
		async () => {
			const prompt = '[ask edit: index.html + bash: ls] [ask webfetch: *] [say Left as it was.]';
			const execution = await play(stage, example(EXAMPLE, { 'Write the digest': { prompt } }));

			expect(execution.status).toBe('success');
			expect(await stage.service.sessions()).toMatchObject([
				{ interactions: [{ value: 'reject' }, { value: 'reject' }, { value: 'reject' }] },
			]);
		},
		TEST_TIMEOUT_MS,
	);

	const troubles = {
		'the agent fails': [
			{ prompt: '[fail Out of words]' },
			/^No digest: .*Out of words/,
			[{ status: 'failed' }],
		],
		'it takes too long': [
			{ prompt: '[work 10h]', options: { maxWait: 0.05, onMaxWait: 'abort' } },
			/^No digest: \S/,
			[{ aborted: true }],
		],
		'it asks for what no rule can decide': [
			{ prompt: '[question Which colour?]' },
			/^No digest: the agent asks for something that no rule can decide\.\nhttp/,
			[{ status: 'running' }],
		],
		'it cannot be started': [
			{ projectId: byId('00000000-0000-4000-8000-000000000000') },
			/^No digest: \S/,
			[],
		],
	} satisfies Record<string, [object, RegExp, object[]]>;
	test.each(Object.entries(troubles))(
		'saves the numbers when %s, and ends with an error that says so',
		async (_, [parameters, reason, sessions]) => {
			const execution = await play(stage, example(EXAMPLE, { 'Write the digest': parameters }));

			expect([execution.status, execution.lastNodeExecuted]).toEqual(['error', 'Tell somebody']);
			const [digest, ...more] = await savedDigests();
			expect(more).toEqual([]);
			expect(execution.error!.message).toBe(digest);
			expect(digest.split('\n\n')[1]).toMatch(reason);
			expect(digest.match(/^\| (google|direct|instagram|newsletter|partner) \|/gm)).toHaveLength(5);
			expect(await stage.service.sessions()).toMatchObject(sessions);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'tells the digest to somebody when it cannot be saved',
		async () => {
			await control('POST', '/faults', { operationId: 'createFile', kind: 'status', status: 403 });
			const execution = await play(stage, example(EXAMPLE));

			expect([execution.status, execution.lastNodeExecuted]).toEqual(['error', 'Tell somebody']);
			expect(execution.error!.message).toMatch(
				/^The digest was not saved: .+\n\n# The week from .+\n\n\w+ brought the most sessions/,
			);
			expect(execution.items('Report')).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'starts no agent when there are no numbers, and says so',
		async () => {
			const execution = await play(
				stage,
				example(EXAMPLE, { 'Numbers of the week': { query: 'SELECT 1 AS sessions WHERE 0' } }),
			);
			expect([execution.status, execution.lastNodeExecuted]).toEqual(['error', 'No numbers']);
			expect(await stage.service.sessions()).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe.each(['daily-revenue', 'top-pages', 'conversion-alert', 'weekly-digest'])(
	'%s.json without an answer from analytics',
	(name) => {
		test.each([503, 400])(
			'ends with an error that names the reason (%d), and writes nothing',
			async (status) => {
				await control('POST', '/faults', {
					operationId: 'queryAnalytics',
					kind: 'status',
					status,
					message: 'The numbers are being counted again.',
					times: 0,
				});
				const file =
					name === 'daily-revenue' ? intoTable((await makeTable(COLUMNS)).id) : example(name);
				const execution = await play(stage, file);

				expect(execution.status).toBe('error');
				expect(execution.error!.httpCode).toBe(String(status));
				expect(execution.error!.description).toContain('The numbers are being counted again.');
				expect(execution.lastNodeExecuted).toBe(
					file.nodes.find(({ parameters }) => parameters.resource === 'analytics')!.name,
				);
				expect([...new Set((await stage.service.requests()).map(({ path }) => path))]).toEqual([
					expect.stringMatching(/\/analytics\/query$/),
				]);
			},
			TEST_TIMEOUT_MS,
		);
	},
);
