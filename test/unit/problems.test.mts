import { describe, expect, test } from '@jest/globals';
import type { INode, NodeApiError } from 'n8n-workflow';
import { problemOf } from '../../nodes/shared/answers.ts';
import { errorJson, inSession, Problem, toNodeError } from '../../nodes/shared/problem.ts';
import type { Outcome } from '../../nodes/shared/resend.ts';
import { outcomeOfAnswer, outcomeOfError } from '../../nodes/shared/transport.ts';

const node = {
	id: '1',
	name: 'N',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
} as INode;
const envelope = {
	error: {
		code: 'not_found',
		message: 'No such task',
		doc_url: 'https://docs.example.com/not_found',
	},
};
const answer = (status: number, headers = {}): Outcome => ({
	kind: 'answer',
	status,
	headers,
	body: envelope,
});

describe('a problem says what happened and what to do', () => {
	test.each<[Outcome, RegExp, RegExp]>([
		[answer(400), /refused the request as invalid/, /Check the values/],
		[answer(401), /access token was refused/, /complete and still exists/],
		[answer(403), /does not permit/, /scope/],
		[answer(404), /not found/, /lacks a scope .* lost access/],
		[answer(409), /conflicting/, /Nothing was overwritten/],
		[answer(413), /too large/, /10 MiB/],
		[answer(429, { 'retry-after': '1' }), /too many requests/, /wait 1 second\./],
		[answer(429, { 'retry-after': '90' }), /too many requests/, /wait 90 seconds/],
		[answer(500), /service failed/, /Try again later/],
		[answer(503), /temporarily unavailable/, /Try again later/],
		[answer(418), /refused the request with status 418/, /Check/],
		[answer(599), /failed with status 599/, /Try again/],
		[answer(302), /redirect/, /base URL/],
		[
			{ kind: 'malformed', status: 200, found: 'a web page' },
			/did not answer with JSON/,
			/proxy or login page/,
		],
		[{ kind: 'lost', code: 'ECONNRESET' }, /did not answer/, /ECONNRESET/],
		[{ kind: 'unsent', code: 'ECONNREFUSED' }, /could not be reached/, /ECONNREFUSED/],
		[{ kind: 'unusable', code: 'CERT_HAS_EXPIRED' }, /No safe connection/, /CERT_HAS_EXPIRED/],
	])('%j', (outcome, message, description) => {
		const problem = problemOf(outcome, 0);
		expect(problem.message).toMatch(message);
		expect(problem.description).toMatch(description);
		const error = toNodeError(node, problem, 3);
		expect(error.message).toBe(problem.message);
		expect(error.description).toBe(problem.description);
		expect(error.context.itemIndex).toBe(3);
	});

	test("with the service's own words, code, link and status", () => {
		const problem = problemOf(answer(404), 0);
		expect(problem.description).toContain('The service says: No such task.');
		expect(problem.description).toContain('https://docs.example.com/not_found');
		const error = toNodeError(node, problem, 0) as NodeApiError;
		expect(error.name).toBe('NodeApiError');
		expect(error.httpCode).toBe('404');
		const told = { error: 'The resource was not found', message: problem.description };
		expect(errorJson(node, error)).toEqual({
			...told,
			httpStatus: 404,
			code: 'not_found',
			docUrl: 'https://docs.example.com/not_found',
		});
		// n8n 1.123 takes an item for an error by these two keys and no others.
		expect(errorJson({ ...node, onError: 'continueErrorOutput' }, error)).toEqual(told);
	});

	test('an error text that looks like a system error stays what it was', () => {
		const error = toNodeError(
			node,
			new Problem('The agent session failed: ENOENT: no such file', 'Look there.'),
			0,
		);
		expect(error.name).toBe('NodeOperationError');
		expect(error.message).toBe('The agent session failed: ENOENT: no such file');
	});

	test('names the session once', () => {
		const problem = inSession(
			inSession(new Problem('A', 'B.'), { sessionId: 's', dashboardUrl: 'https://d' }),
			{ sessionId: 't' },
		);
		expect(problem.description).toBe('B. Session s, https://d.');
		expect(problem.facts).toMatchObject({ sessionId: 's', dashboardUrl: 'https://d' });
	});
});

describe('what came back is sorted', () => {
	test.each<[number, string, Partial<Outcome>]>([
		[200, '{"a":1}', { kind: 'answer', body: { a: 1 } }],
		[200, '', { kind: 'malformed', found: 'an empty body' }],
		[200, ' <html>', { kind: 'malformed', found: 'a web page' }],
		[200, '{"a":', { kind: 'malformed', found: 'text that is not JSON' }],
		[502, '<html>', { kind: 'answer', status: 502, body: undefined }],
	])('%d %j', (status, text, expected) =>
		expect(outcomeOfAnswer(status, {}, text)).toMatchObject(expected),
	);

	test.each([
		[{ code: 'ECONNREFUSED' }, 'unsent'],
		[{ cause: { cause: { code: 'ENOTFOUND' } } }, 'unsent'],
		[{ httpCode: 'ECONNRESET' }, 'lost'],
		[{ httpCode: '500', cause: { code: 'ETIMEDOUT' } }, 'lost'],
		[{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'unusable'],
		[new Error('?'), 'lost'],
		[undefined, 'lost'],
	])('%j is %s', (error, kind) => expect(outcomeOfError(error).kind).toBe(kind));
});
