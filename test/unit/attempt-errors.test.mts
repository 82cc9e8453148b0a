// What an attempt proves to the callers, and what its error says and holds.
import { describe, expect, test } from '@jest/globals';
import { attemptError, RateLimitError } from '../../nodes/shared/client/attemptError.ts';
import type { Attempt, FailedAttempt, ResponseAttempt } from '../../nodes/shared/client/types.ts';

const NOW = Date.parse('2026-10-05T12:00:00Z');
const DOCS = 'https://docs.example.com/not_found';
const PAGE = '<html>Please log in';

const response = (status: number, more: Partial<ResponseAttempt> = {}): ResponseAttempt => ({
	kind: 'response',
	status,
	headers: {},
	body: undefined,
	...more,
});
const toError = (attempt: Attempt, request: { scope?: string; conflict?: string } = {}) =>
	attemptError(attempt, request, NOW);

describe('the kind of an error', () => {
	test.each<[number, string | undefined]>([
		[200, 'unusable'],
		[302, 'unusable'],
		[400, 'rejected'],
		[404, 'rejected'],
		[408, 'unusable'],
		[409, 'rejected'],
		[429, undefined],
		[499, 'rejected'],
		[500, undefined],
		[503, undefined],
	])('of a response with status %d is %s', (status, kind) => {
		expect(toError(response(status, { text: 'no' })).kind).toBe(kind);
	});

	test.each<[number, string | undefined]>([
		[200, 'unusable'],
		[404, 'unusable'],
		[429, undefined],
		[502, undefined],
	])('of a page with status %d is %s', (status, kind) => {
		expect(toError(response(status, { text: PAGE })).kind).toBe(kind);
	});

	test.each<[FailedAttempt['kind'], string | undefined]>([
		['unsent', undefined],
		['lost', undefined],
		['unusable', undefined],
		['tooLarge', 'unusable'],
	])('without a response, %s, is %s', (kind, expected) => {
		expect(toError({ kind, code: 'x' }).kind).toBe(expected);
	});
});

test.each<[FailedAttempt['kind'], string, RegExp]>([
	['unsent', 'ECONNREFUSED', / with ECONNREFUSED\./],
	['lost', 'ECONNRESET', / with ECONNRESET\./],
	['unusable', 'CERT_HAS_EXPIRED', / is CERT_HAS_EXPIRED\./],
	['tooLarge', '16 MiB', / than 16 MiB\./],
])('an error without a response, %s, names %s once', (kind, code, sentence) => {
	const { description } = toError({ kind, code });
	expect(description).toMatch(sentence);
	expect(description.split(code)).toHaveLength(2);
});

describe('the status in the context', () => {
	test.each([
		[200, PAGE, 200],
		[200, 'OK', 200],
		[300, '', 300],
		[404, 'no', 404],
		[404, PAGE, undefined],
		[502, PAGE, 502],
	])('of %d with %j is %s, because a page is no rejection', (status, text, expected) => {
		expect(toError(response(status, { text })).context.httpStatus).toBe(expected);
	});
});

test('a status from 300 on that is no error is a redirect, and one below is no JSON', () => {
	expect(toError(response(299, { text: 'OK' })).message).toMatch(/didn't answer with JSON/);
	for (const status of [300, 301, 399])
		expect(toError(response(status)).message).toMatch(/redirect/);
});

test.each([
	[418, /refused the request with status 418/],
	[499, /refused the request with status 499/],
	[501, /failed with status 501/],
	[599, /failed with status 599/],
])('status %d has its number in the message', (status, message) => {
	expect(toError(response(status)).message).toMatch(message);
});

describe('Retry-After', () => {
	const at = (text: string) => `Mon, 05 Oct 2026 ${text} GMT`;

	test.each<[object, number | undefined, string | undefined]>([
		[{ 'retry-after': '90' }, 90, 'It asked to wait 90 seconds.'],
		[{ 'retry-after': '1' }, 1, 'It asked to wait 1 second.'],
		[{ 'retry-after': '0.2' }, 1, 'It asked to wait 1 second.'],
		[{ 'retry-after': '0' }, 0, 'It asked to wait 0 seconds.'],
		[{ 'retry-after': at('12:00:30') }, 30, 'It asked to wait 30 seconds.'],
		[{ 'retry-after': at('15:00:30'), date: at('15:00:00') }, 30, 'It asked to wait 30 seconds.'],
		[{ 'retry-after': 'soon' }, undefined, undefined],
		[{}, undefined, undefined],
	])('%j is a wait of %s seconds', (headers, seconds, sentence) => {
		for (const status of [429, 503]) {
			const { description, context } = toError(response(status, { headers: { ...headers } }));
			expect(context.retryAfter).toBe(seconds);
			expect(/It asked.*?\./.exec(description)?.[0]).toBe(sentence);
		}
	});

	test.each([
		[0, {}],
		[1, { 'retry-after': '1' }],
		[1_001, { 'retry-after': '2' }],
		[90_000, { 'retry-after': '90' }],
	])("a request that can't be sent for %d ms has the error of a 429 with %j", (waitMs, headers) => {
		const { message, description, context } = new RateLimitError(waitMs);
		const refused = toError(response(429, { headers }));
		expect([message, description]).toEqual([refused.message, refused.description]);
		expect(context).toEqual(refused.context);
	});
});

describe("the service's words", () => {
	test.each<[string, unknown, string]>([
		['a message', { message: 'No such task' }, 'No such task'],
		['a detail', { detail: 'No such task' }, 'No such task'],
		['a title', { title: 'No such task' }, 'No such task'],
		['a message before a title', { title: 'Not found', message: 'No such task' }, 'No such task'],
		['a title after an empty message', { message: '', title: 'Not found' }, 'Not found'],
		['a text', 'No such task', 'No such task'],
		['the third of a list', { errors: [null, {}, 'No such task'] }, 'No such task'],
		['an error in a list', { errors: [{ message: 'No such task' }] }, 'No such task'],
		['three levels', { error: { error: { message: 'No such task' } } }, 'No such task'],
	])('are read from %s', (_, body, words) => {
		const { description, context } = toError(response(404, { body }));
		expect(description).toContain(`The service says: ${words}.`);
		expect(context.serviceMessage).toBe(words);
	});

	test.each<[string, unknown]>([
		['the fourth of a list', { errors: [null, {}, 1, 'No such task'] }],
		['four levels', { error: { error: { error: { message: 'No such task' } } } }],
		['another field', { reason: 'No such task' }],
	])('are not read from %s, and the whole body is quoted', (_, body) => {
		const { description, context } = toError(response(404, { body }));
		expect(description).toContain(`The service answered: ${JSON.stringify(body)}.`);
		expect(context.serviceMessage).toBeUndefined();
	});

	test.each(['No such task', 'No such task.', 'No such task...', ' No such task. \n'])(
		'%j ends in one period',
		(text) => {
			const { description } = toError(response(404, { text }));
			expect(description).toMatch(/ The service says: No such task\.$/);
		},
	);

	test.each(['', ' \n'])('%j is nothing to quote', (text) => {
		const { description, context } = toError(response(404, { text }));
		expect(description).not.toMatch(/The service (says|answered)/);
		expect(context.serviceMessage).toBeUndefined();
	});

	test("aren't on a page with a 5xx, which is named as a proxy's or a login", () => {
		const { description, context } = toError(response(502, { text: PAGE }));
		expect(description).toMatch(/proxy or login page answered/);
		expect(description).not.toContain('log in');
		expect(context.serviceMessage).toBeUndefined();
	});
});

describe('code and link', () => {
	test.each([
		['in an error', { error: { code: 'not_found', doc_url: DOCS, message: 'No' } }],
		['beside a message', { code: 'not_found', doc_url: DOCS, message: 'No' }],
		['beside an error that is a text', { code: 'not_found', doc_url: DOCS, error: 'No' }],
	])('%s are in the context, and the link is the last word', (_, body) => {
		const { description, context } = toError(response(404, { body }));
		expect(context).toEqual({
			httpStatus: 404,
			code: 'not_found',
			docUrl: DOCS,
			serviceMessage: 'No',
		});
		expect(description).toMatch(/ The service says: No\. More: https:\S+\/not_found$/);
	});

	test.each([{ error: { message: 'No', doc_url: '' } }, { message: 'No', code: 7, doc_url: {} }])(
		'that are no texts are left out: %j',
		(body) => {
			const { description, context } = toError(response(404, { body }));
			expect(context).toEqual({ httpStatus: 404, serviceMessage: 'No' });
			expect(description).toMatch(/The service says: No\.$/);
		},
	);
});

test.each([
	[401, false],
	[403, true],
	[404, true],
	[409, false],
])("status %d names the operation's scope: %s", (status, isNamed) => {
	const { description } = toError(response(status), { scope: 'files.read' });
	expect(description.includes('needs the scope files.read.')).toBe(isNamed);
});

test.each([
	[409, 'Rename the file.', /^Rename the file\.$/],
	[409, undefined, /^Check the current state/],
	[400, 'Rename the file.', /^Check the values/],
])(
	'the advice for conflicts replaces the usual one only after a 409: %d, %j',
	(status, conflict, advice) => {
		expect(toError(response(status), { conflict }).description).toMatch(advice);
	},
);

test('all sentences are separated by one space, and nothing stands for those that are missing', () => {
	const full = response(404, {
		headers: { 'retry-after': '2' },
		body: { error: { message: 'No such task', doc_url: DOCS } },
	});
	expect(toError(full, { scope: 'tasks.read' }).description).toMatch(
		/^Check the ID\. .*\. It asked to wait 2 seconds\. This operation needs the scope tasks\.read\. The service says: No such task\. More: \S+$/,
	);
	for (const status of [302, 400, 404, 409, 429, 500])
		expect(toError(response(status)).description).toMatch(/^\S+( \S+)*\.$/);
	expect(toError(response(429)).description).not.toMatch(/undefined|false|NaN|It asked/);
});
