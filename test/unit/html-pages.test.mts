// A page of a proxy or a login is never the service's word, with any status.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { IndeterminateError } from '../../nodes/shared/errors.ts';
import { classifyAttempt, isHtmlPage } from '../../nodes/shared/client/retryPolicy.ts';
import type { ResponseAttempt } from '../../nodes/shared/client/types.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const STATUSES = [403, 404];
const html = (status: number): Answer => ({ status, body: '<!doctype html><p>Please sign in' });
const response = (status: number, text: string, headers = {}): ResponseAttempt => ({
	kind: 'response',
	status,
	headers,
	body: undefined,
	text,
});

test.each<[string, object, boolean]>([
	['<!doctype html>', {}, true],
	['\ufeff \n<html>', {}, true],
	['<?xml version="1.0"?><Error/>', {}, true],
	['Oops <b>404</b>', { 'content-type': 'text/html; charset=utf-8' }, true],
	['Not found', { 'content-type': 'text/html' }, false],
	['a < b', { 'content-type': 'text/html' }, false],
	['a <b> c', {}, false],
	['', { 'content-type': 'text/html' }, false],
])('%j with %j: a page is %s', (text, headers, isPage) => {
	expect(isHtmlPage(response(404, text, headers))).toBe(isPage);
});

test('a page proves nothing with any status except 429 and 407, which prove that nothing ran', () => {
	fc.assert(
		fc.property(fc.integer({ min: 200, max: 599 }), (status) => {
			const outcome = classifyAttempt(response(status, '<p>'), 'idempotent');
			const proven = { 407: 'rejected', 429: 'notExecuted' }[status];
			expect(outcome).toBe(proven ?? 'unknown');
		}),
	);
});

async function call(
	operation: Parameters<Awaited<ReturnType<typeof apiWith>>['api']['call']>[0],
	answers: Answer[],
	values: object = {},
) {
	const { api, sent, clock } = await apiWith(answers);
	const calling = api.call(operation, { ...values });
	const result = await clock.run(calling.catch((error: WorkspaceAutomationError) => error));
	return { result, sent };
}

describe.each(STATUSES)('a page with %d', (status) => {
	test('is retried for a read, and the next response counts', async () => {
		const { result, sent } = await call('getTask', [html(status), { body: { title: 'x' } }], {
			taskId: ID,
		});
		expect([sent.length, result]).toEqual([2, expect.objectContaining({ body: { title: 'x' } })]);
	});

	test('on every attempt is an error that names the page, with no status that looks like a rejection', async () => {
		const { result } = await call('getTask', [html(status)], { taskId: ID });
		expect(result).toMatchObject({
			message: 'A proxy or login page answered instead of the service',
			description: expect.stringContaining(`status ${status} with a web page`),
			context: expect.not.objectContaining({ httpStatus: expect.anything() }),
		});
	});

	test('leaves a session start unknown, and starts no second session', async () => {
		const { result, sent } = await call('createAgentSession', [html(status)], {
			projectId: ID,
			prompt: 'x',
		});
		expect(result).toBeInstanceOf(IndeterminateError);
		expect(sent).toHaveLength(1);
	});

	test('after a DELETE with a lost response is no proof that it is deleted', async () => {
		const { result, sent } = await call(
			'deleteCustomDomain',
			[{ code: 'ECONNRESET' }, html(status)],
			{ customDomainId: ID },
		);
		expect(result).toMatchObject({
			message: 'A proxy or login page answered instead of the service',
		});
		expect(sent.length).toBeGreaterThan(2);
	});
});

test('a DELETE with a lost response and a page is done when the service itself finds nothing', async () => {
	const answers = [
		{ code: 'ECONNRESET' },
		html(404),
		{ status: 404, body: { error: { code: 'not_found' } } },
	];
	const { result } = await call('deleteCustomDomain', answers, { customDomainId: ID });
	expect(result).toMatchObject({ status: 204 });
});
