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
import { apiWith } from '../support/apiWith.mts';

describe('the evidence of a status', () => {
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
	])('of no response, %s, is %s', (kind, evidence) => {
		expect(classifyAttempt({ kind, code: 'x' } as Attempt, 'idempotent')).toBe(evidence);
	});

	test('of success with an empty body is success for a change, and unknown for a read', () => {
		const attempt: Attempt = { kind: 'response', status: 204, headers: {}, body: undefined };
		expect([classifyAttempt(attempt, 'idempotent'), classifyAttempt(attempt, 'read')]).toEqual([
			'succeeded',
			'unknown',
		]);
	});
});

test.each([
	[{ broken: 'ECONNRESET' }, "a body that can't be read (ECONNRESET)"],
	[{}, 'an empty body'],
	[{ text: ' \n' }, 'an empty body'],
	[{ text: '  <html>' }, 'a web page'],
	[{ text: 'a < b' }, "text that isn't JSON"],
])('%j is called %s', (attempt, name) => expect(describeBody(attempt)).toBe(name));

describe('a field of a response', () => {
	const read = (body: unknown, path?: string) =>
		readField(
			applyOverride('listTasks', path ? { answer: { next_cursor: path } } : undefined),
			'next_cursor',
			body,
		);

	test('is searched in the known places, in their order', () => {
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

	test('is read only where an override says', () => {
		expect(read({ next_cursor: 'a', list: [{ token: 'b' }] }, 'list.0.token')).toBe('b');
		expect(read({ next_cursor: 'a' }, 'token')).toBeUndefined();
		expect(read({}, 'constructor.name')).toBeUndefined();
	});

	test('is named with its override', () => {
		expect(answerOverride('listTasks', 'data')).toContain('{"listTasks": {"answer": {"data": ');
		expect(requestOverride('listTasks')).toContain('{"listTasks": {"body": {...}}}');
		expect(requestOverride('listTasks', 'query')).toContain('{"listTasks": {"query": {...}}}');
		expect(requestOverride('getTask', 'version')).toContain('{"version": "YYYY-MM-DD"}');
		expect(requestOverride('moveFile', 'path')).toContain('{"path": "/..."}');
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

	test('are a list of objects, and another number of rows is a warning', async () => {
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
