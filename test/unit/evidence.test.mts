// Proof that a response gives: unusual statuses and bodies, and places of values in a body.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import {
	answerOverride,
	applyOverride,
	readField,
	requestOverride,
	readRows,
	unreadableResponse,
} from '../../nodes/shared/client/overrides.ts';
import { describeBody } from '../../nodes/shared/client/attemptError.ts';
import { classifyAttempt } from '../../nodes/shared/client/retryPolicy.ts';
import type { Attempt } from '../../nodes/shared/client/types.ts';
import { apiWith } from '../apiWith.mts';

describe('a status', () => {
	test.each([
		[199, 'unknown'],
		[200, 'succeeded'],
		[299, 'succeeded'],
		[300, 'unknown'],
		[399, 'unknown'],
		[400, 'rejected'],
		[408, 'unknown'],
		[429, 'notExecuted'],
		[499, 'rejected'],
		[500, 'unknown'],
	])('%d is %s', (status, evidence) => {
		const attempt: Attempt = { kind: 'response', status, headers: {}, body: {} };
		expect([classifyAttempt(attempt, 'idempotent'), classifyAttempt(attempt, 'read')]).toEqual([
			evidence,
			evidence,
		]);
	});

	test.each<[Attempt['kind'], string]>([
		['lost', 'unknown'],
		['tooLarge', 'unknown'],
		['unsent', 'notExecuted'],
		['unusable', 'rejected'],
	])('none, %s, is %s', (kind, evidence) => {
		expect(classifyAttempt({ kind, code: 'x' } as Attempt, 'idempotent')).toBe(evidence);
	});

	test('of success without any body is done, but for what was to be read', () => {
		const attempt: Attempt = { kind: 'response', status: 204, headers: {}, body: undefined };
		expect([classifyAttempt(attempt, 'idempotent'), classifyAttempt(attempt, 'read')]).toEqual([
			'succeeded',
			'unknown',
		]);
	});
});

test.each([
	[{ broken: 'ECONNRESET' }, 'a body that did not arrive (ECONNRESET)'],
	[{}, 'an empty body'],
	[{ text: ' \n' }, 'an empty body'],
	[{ text: '  <html>' }, 'a web page'],
	[{ text: 'a < b' }, "text that isn't JSON"],
])('%j is called %s', (attempt, name) => expect(describeBody(attempt)).toBe(name));

describe('a name of an answer', () => {
	const read = (body: unknown, path?: string) =>
		readField(
			applyOverride('listTasks', path ? { answer: { next_cursor: path } } : undefined),
			'next_cursor',
			body,
		);

	test('is looked for in the places that are known, first come first served', () => {
		expect(read({ next_cursor: 'a', nextCursor: 'b' })).toBe('a');
		for (const nothing of [null, '', undefined])
			expect(read({ next_cursor: nothing, nextCursor: 'b' })).toBe('b');
		expect(read({ paging: { next: 'c' } })).toBe('c');
		expect(read({ next_cursor: 0 })).toBe(0);
		expect([read({}), read('text'), read(null)]).toEqual([undefined, undefined, undefined]);
		expect(readField(applyOverride('listTasks'), 'nonsense', { nonsense: 1 })).toBeUndefined();
		expect(
			readField(applyOverride('deleteCustomDomain', { path: '/x' }), 'id', { id: 1 }),
		).toBeUndefined();
	});

	test('is where an override says and nowhere else', () => {
		expect(read({ next_cursor: 'a', list: [{ token: 'b' }] }, 'list.0.token')).toBe('b');
		expect(read({ next_cursor: 'a' }, 'token')).toBeUndefined();
		expect(read({}, 'constructor.name')).toBeUndefined();
	});

	test('is named with the way to correct it', () => {
		expect(answerOverride('listTasks', 'data')).toContain('{"listTasks": {"answer": {"data": ');
		expect(requestOverride('listTasks')).toContain('{"listTasks": {"body": {...}}}');
		expect(requestOverride('listTasks', 'query')).toContain('{"listTasks": {"query": {...}}}');
		expect(unreadableResponse('listTasks', 'data', 'a list', { a: 1 })).toMatchObject({
			message: 'The service answered without a list',
			description: expect.stringMatching(/^It answered: \{"a":1\}\. If the response .*"data"/),
		});
	});
});

describe('rows', () => {
	const rows = async (body: unknown) => {
		const { api } = await apiWith();
		const warnings: string[] = [];
		const found: IDataObject[] = readRows(api, body, (warning) => warnings.push(warning));
		return { found, warnings };
	};

	test('are a list of objects; a number that differs is a warning', async () => {
		const data = [{ a: 1 }, { a: 2 }];
		expect(await rows({ data, rowCount: 2 })).toEqual({ found: data, warnings: [] });
		expect(await rows({ data, rowCount: '3' })).toEqual({ found: data, warnings: [] });
		const { warnings } = await rows({ data, rowCount: 3 });
		expect(warnings).toEqual(['The analytics query returned 2 rows and says that there are 3.']);
	});

	test.each([{}, { data: 'x' }, { data: [{ a: 1 }, 'x'] }, null])('are not in %j', async (body) => {
		await expect(rows(body)).rejects.toMatchObject({
			message: 'The service answered without rows',
			description: expect.stringContaining('"queryAnalytics": {"answer": {"data"'),
		});
	});
});
