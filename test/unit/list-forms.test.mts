// Forms in which services send lists. Each is read completely, or is an error that names the override: none is silently short.
import { expect, test } from '@jest/globals';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { readPages } from '../../nodes/shared/client/lists.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

interface Page {
	data: object[];
	/** Cursor of the next page, which is the position of its first entry */
	next?: string;
	/** From 1 */
	number: number;
	pages: number;
	total: number;
	from: number;
	isLast: boolean;
}

type Form = (page: Page) => unknown;

interface Service {
	total?: number;
	/** Entries of a page, for any `limit` */
	size?: number;
	/** Reads no cursor, so that it sends the first page for ever */
	ignoresCursor?: boolean;
}

const DEFAULTS = { total: 60, size: 25 };

/** Reads the list of a service that has this form. Returns the number of entries, or the error. */
async function read(form: Form, service: Service = {}, override?: object) {
	const { total, size, ignoresCursor } = { ...DEFAULTS, ...service };
	const { api, clock } = await apiWith(
		({ query }): Answer => {
			const from = ignoresCursor ? 0 : Number(query.cursor ?? 0);
			if (!Number.isInteger(from)) return { status: 400, body: { message: 'Not a cursor' } };
			const length = Math.min(size, total - from);
			const data = Array.from({ length }, (_, index) => ({ id: `e${from + index}` }));
			const isLast = from + length >= total;
			const written = form({
				data,
				next: isLast ? undefined : String(from + length),
				number: Math.floor(from / size) + 1,
				pages: Math.ceil(total / size),
				total,
				from,
				isLast,
			});
			return whole.has(written as object) ? (written as Answer) : { body: written };
		},
		override && { listTasks: { response: override } },
	);
	const found = new Set<unknown>();
	const reading = async () => {
		for await (const { data } of readPages(api, 'listTasks', {}))
			for (const { id } of data) found.add(id);
		return undefined;
	};
	const error = await clock.run(reading().catch((thrown: WorkspaceAutomationError) => thrown));
	return error ?? found.size;
}

const whole = new WeakSet<object>();
/** A response with more than its body */
function answer(given: Answer): Answer {
	whole.add(given);
	return given;
}

const link = (cursor: string) => `https://api.example.com/v1/tasks?cursor=${cursor}`;
const orNull = <T,>(value: T | undefined) => value ?? null;
const withLink =
	(write: (next: string) => string): Form =>
	({ data, next }) =>
		answer({ body: data, headers: next === undefined ? {} : { link: write(link(next)) } });
const withHeader =
	(name: string, value: (page: Page) => unknown): Form =>
	(page) =>
		answer({ body: page.data, headers: { [name]: String(value(page) ?? '') } });

/** Read without a setting */
const RIGHT: Record<string, Form> = {
	'the envelope of the document': ({ data, next, isLast }) => ({
		object: 'list',
		data,
		has_more: !isLast,
		next_cursor: orNull(next),
	}),
	'no has_more': ({ data, next }) => ({ data, next_cursor: orNull(next) }),
	'no cursor at the end': ({ data, next }) => ({ data, ...(next && { next_cursor: next }) }),
	'a cursor of 0 at the end': ({ data, next }) => ({ data, next_cursor: next ?? 0 }),
	'a number as the cursor': ({ data, next }) => ({ data, next_cursor: next && Number(next) }),
	'has_more as text': ({ data, next, isLast }) => ({
		data,
		has_more: String(!isLast),
		next_cursor: next ?? 'end',
	}),
	'nextCursor and hasMore': ({ data, next, isLast }) => ({
		items: data,
		nextCursor: next,
		hasMore: !isLast,
	}),
	'next below meta': ({ data, next }) => ({ data, meta: { next_cursor: orNull(next) } }),
	'a total beside the cursor': ({ data, next, total }) => ({ data, next_cursor: next, total }),
	'the number on the page as count': ({ data, next }) => ({
		data,
		next_cursor: next,
		count: data.length,
	}),
	'all counts of pages beside the cursor': ({ data, next, number, pages, total }) => ({
		data,
		next_cursor: next,
		meta: { current_page: number, last_page: pages, total, per_page: 25 },
	}),
	'a link to the next page and a cursor': ({ data, next }) =>
		answer({
			body: { data, next_cursor: orNull(next) },
			headers: next ? { link: `<${link(next)}>; rel="next"` } : {},
		}),
	'a link to the last page': ({ data, next, pages }) => ({
		data,
		next_cursor: orNull(next),
		links: { first: '/tasks?page=1', last: `/tasks?page=${pages}` },
	}),
	'links to other pages at the end': ({ data, next, isLast }) =>
		answer({
			body: { data, next_cursor: orNull(next), links: { self: link('0'), next: null } },
			headers: isLast ? { link: `<${link('0')}>; rel="first", <${link('0')}>; rel="prev"` } : {},
		}),
	'a range that reaches the end': ({ data, next, from, total }) =>
		answer({
			body: { data, next_cursor: next },
			headers: { 'content-range': `items ${from}-${from + data.length - 1}/${total}` },
		}),
	'limits of requests': ({ data, next }) =>
		answer({
			body: { data, next_cursor: next, rate_limit: { remaining: 59, limit: 60 } },
			headers: { 'x-ratelimit-remaining': '59', 'retry-after': '1', 'content-length': '900' },
		}),
	'numbers and texts about something else': ({ data, next }) =>
		answer({
			body: {
				...{ data, next_cursor: next, object: 'list', status: 'ok', message: 'OK', version: 2026 },
				...{ code: 200, took: 350, elapsed_ms: 120, timestamp: 1_790_000_000, size: 100 },
				...{
					limit: 100,
					page_size: 100,
					request_id: 'r-12',
					date: '2026-11-27',
					usage: { total: 900 },
				},
			},
			headers: { 'x-nextjs-cache': 'HIT', 'content-length': '9000', 'x-runtime': '3' },
		}),
};

/** Read with the override, and an error that names it without */
const WITH_OVERRIDE: Record<string, [form: Form, override: object]> = {
	'a token below cursors': [
		({ data, next }) => ({ data, cursors: { forward: orNull(next) } }),
		{ next_cursor: 'cursors.forward' },
	],
	'pageInfo.endCursor': [
		({ data, next, isLast }) => ({
			data,
			pageInfo: { hasNextPage: !isLast, endCursor: orNull(next) },
		}),
		{ next_cursor: 'pageInfo.endCursor' },
	],
	'entries and a cursor below data': [
		({ data, next }) => ({ data: { items: data, next_cursor: next }, errors: [] }),
		{ data: 'data.items', next_cursor: 'data.next_cursor' },
	],
	'entries below a name, with a total': [
		({ data, next, total }) => ({ tasks: { list: data, total, token: next }, status: 'ok' }),
		{ data: 'tasks.list', next_cursor: 'tasks.token' },
	],
};

/** An error that names the override, because the service has no cursor that the package could send */
const REFUSED: Record<string, Form> = {
	'a Link header': withLink((next) => `<${next}>; rel="next"`),
	'a Link header with several relations': withLink((next) => `<${next}>; rel="last next"`),
	'X-Total-Count': withHeader('x-total-count', ({ total }) => total),
	'X-WP-TotalPages': withHeader('x-wp-totalpages', ({ pages }) => pages),
	'X-Per-Page': withHeader('x-per-page', () => 25),
	'X-Next-Page': withHeader('x-next-page', ({ next, number }) => next && number + 1),
	'X-Has-More': withHeader('x-has-more', ({ isLast }) => !isLast),
	'X-Continuation-Token': withHeader('x-continuation-token', ({ next }) => next),
	'X-Pagination with JSON': withHeader('x-pagination', ({ number, pages, total }) =>
		JSON.stringify({ CurrentPage: number, TotalPages: pages, TotalCount: total }),
	),
	'a range with a total': withHeader(
		'content-range',
		({ from, data, total }) => `items ${from}-${from + data.length - 1}/${total}`,
	),
	'status 206': ({ data, isLast }) => answer({ status: isLast ? 200 : 206, body: data }),
	'a total of pages': ({ data, number, pages }) => ({
		data,
		page: { current: number, total: pages },
	}),
	'links.last with a number': ({ data, pages }) => ({
		data,
		links: { first: '/tasks?page=1', last: `/tasks?page=${pages}`, next: null },
	}),
	'links.last that is not this page': ({ data, pages }) => ({
		data,
		links: { self: link('a'), last: link(pages === 1 ? 'a' : 'z') },
	}),
	pages: ({ data, pages }) => ({ data, pages }),
	'isLast: false': ({ data, isLast }) => ({ values: data, isLast }),
	'truncated: true': ({ data, isLast }) => ({ data, truncated: !isLast }),
	'partial: true': ({ data }) => ({ data, partial: true }),
	'errors beside the entries': ({ data }) => ({ data, errors: [{ message: 'A part failed' }] }),
	remaining: ({ data, total, from }) => ({ data, remaining: total - from - data.length }),
	'has_more without a cursor': ({ data, isLast }) => ({ data, has_more: !isLast }),
	'has_more as text, without a cursor': ({ data, isLast }) => ({ data, has_more: String(!isLast) }),
	'a link in next': ({ data, next }) => ({ results: data, next: next ? link(next) : null }),
	'@odata.nextLink': ({ data, next }) => ({ value: data, '@odata.nextLink': next && link(next) }),
	'links as a list': ({ data, next }) => ({
		data,
		links: [{ rel: 'self', href: link('0') }, ...(next ? [{ rel: 'next', href: link(next) }] : [])],
	}),
	'all_loaded: false': ({ data, isLast }) => ({ data, all_loaded: isLast }),
	'a status': ({ data, isLast }) => ({ data, status: isLast ? 'complete' : 'partial' }),
	'a range in words': ({ data, from, total }) => ({
		data,
		showing: `${from + 1}-${from + data.length} of ${total}`,
	}),
	'an offset': ({ data, next }) => ({ records: data, offset: next }),
	'a link whose relation has another name': ({ data, next }) => ({
		data,
		links: next ? [{ relation: 'next', url: link(next) }] : [],
	}),
	'links as pairs': ({ data, next }) => ({ data, links: next ? [{ next: link(next) }] : [] }),
	'a page size of its own': ({ data }) => ({ data, per_page: 25 }),
	'a map instead of a list': ({ data }) => ({
		tasks: Object.fromEntries(data.map((each: any) => [each.id, each])),
	}),
	'two lists': ({ data }) => ({ tasks: data, archived: [{ id: 'z' }] }),
	'columns and rows': ({ data }) => ({ columns: ['id'], rows: data.map((each: any) => [each.id]) }),
	'no cursor at the end of pages of the same length': ({ data, next }) => ({
		data,
		...(next && { next_cursor: next }),
	}),
};

/** Services that differ from the one of 60 entries in pages of 25 */
const SERVICES: Record<string, Service> = {
	'no cursor at the end of pages of the same length': { total: 75 },
};

test.each(Object.entries(RIGHT))('%s is read completely', async (name, form) => {
	expect(await read(form, SERVICES[name])).toBe(60);
});

const namesOverride = expect.objectContaining({
	description: expect.stringMatching(/\{"listTasks": \{"(response|query)"/),
});

test.each(Object.entries(WITH_OVERRIDE))(
	'%s is an error that names the override, and is read completely with it',
	async (_, [form, override]) => {
		expect(await read(form)).toEqual(namesOverride);
		expect(await read(form, {}, override)).toBe(60);
	},
);

test.each(Object.entries(REFUSED))('%s is an error that names the override', async (name, form) => {
	expect(await read(form, SERVICES[name])).toEqual(namesOverride);
});

test.each(Object.entries({ ...RIGHT, ...REFUSED }))(
	'%s of a list on one page is read completely',
	async (name, form) => {
		const hasError = ['partial: true', 'errors beside the entries'].includes(name);
		const isUnreadable = /map|two lists|columns/.test(name);
		if (hasError || isUnreadable) return;
		expect(await read(form, { total: 3 })).toBe(3);
	},
);

test.each<[string, number, number, boolean]>([
	['as many as requested', 100, 100, false],
	['as many as the pages of another size', 250, 250, false],
	['more than requested, in a number that no page has', 163, 163, true],
	['fewer than requested', 99, 99, true],
])('a bare list of %s: read completely? %d %d %j', async (_, total, size, isRight) => {
	const result = await read(({ data }) => data, { total, size });
	expect(result).toEqual(isRight ? total : namesOverride);
});

test('a page that comes again for another cursor is an error that names the query', async () => {
	const form: Form = ({ data, number }) => ({ data, next_cursor: `c${number}${Math.random()}` });
	expect(await read(form, { ignoresCursor: true })).toEqual(namesOverride);
});

test("an empty cursor at the place of an override is the end of a full page, and a missing one isn't", async () => {
	const override = { next_cursor: 'token' };
	const service = { total: 100, size: 100 };
	expect(await read(({ data }) => ({ data, token: null }), service, override)).toBe(100);
	expect(await read(({ data }) => ({ data }), service, override)).toEqual(namesOverride);
});
