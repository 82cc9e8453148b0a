import { describe, expect, test } from '@jest/globals';
import type { INode, NodeApiError } from 'n8n-workflow';
import {
	errorJson,
	toNodeError,
	addSession,
	WorkspaceAutomationError,
} from '../../nodes/shared/errors.ts';
import { excerpt, quote } from '../../nodes/shared/values.ts';
import { attemptError } from '../../nodes/shared/client/attemptError.ts';
import { toFailedAttempt } from '../../nodes/shared/client/httpRequest.ts';
import type { Attempt } from '../../nodes/shared/client/apiTypes.ts';

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
const answer = (status: number, headers = {}): Attempt => ({
	kind: 'response',
	status,
	headers,
	body: envelope,
});

describe('an error names the event and the next step', () => {
	test.each<[Attempt, RegExp, RegExp]>([
		[answer(400), /refused the request as invalid/, /Check the values/],
		[answer(401), /API key was refused/, /complete and still exists/],
		[answer(403), /doesn't allow/, /scope/],
		[answer(404), /wasn't found/, /scopes .* creator/],
		[answer(409), /conflicting/, /current state/],
		[answer(402), /asks for a payment/, /plan/],
		[answer(408), /timed out/, /Run the node again/],
		[answer(413), /too large/, /Shorten/],
		[answer(429, { 'retry-after': '1' }), /too many requests/, /wait 1 second\./],
		[answer(429, { 'retry-after': '90' }), /too many requests/, /wait 90 seconds/],
		[answer(500), /service failed/, /Try again later/],
		[answer(503), /temporarily unavailable/, /Try again later/],
		[answer(418), /refused the request with status 418/, /Check/],
		[answer(599), /failed with status 599/, /Try again/],
		[answer(302), /redirect/, /base URL/],
		[
			{ kind: 'response', status: 200, headers: {}, body: undefined, text: '<html>' },
			/proxy or login page answered/,
			/status 200 with a web page/,
		],
		[
			{ kind: 'response', status: 200, headers: {}, body: undefined, text: 'OK' },
			/didn't answer with JSON/,
			/proxy or login page/,
		],
		[
			{ kind: 'response', status: 502, headers: {}, body: undefined, text: '<html>' },
			/failed with status 502/,
			/proxy or login page answered/,
		],
		[{ kind: 'lost', code: 'ECONNRESET' }, /didn't answer/, /ECONNRESET/],
		[{ kind: 'unsent', code: 'ECONNREFUSED' }, /couldn't be reached/, /ECONNREFUSED/],
		[{ kind: 'unusable', code: 'CERT_HAS_EXPIRED' }, /No secure connection/, /CERT_HAS_EXPIRED/],
	])('%j', (attempt, message, description) => {
		const failure = attemptError(attempt, {}, 0);
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		const error = toNodeError(node, failure, 3);
		expect(error.message).toBe(failure.message);
		expect(error.description).toBe(failure.description);
		expect(error.context.itemIndex).toBe(3);
	});

	test('and holds no HTML, for texts from anyone', () => {
		const html = '<img src=x onerror=alert(1)> & <a href="https://evil.example">Log in</a>';
		const error = { message: html, code: html, doc_url: html };
		const body = { error };
		const { description, context } = attemptError({ ...answer(400), body } as Attempt, {}, 0);
		expect(description).toContain('＜img src=x onerror=alert(1)＞ & ＜a href=');
		expect(description + JSON.stringify(context)).not.toMatch(/[<>]/);
		expect(excerpt(html) + quote({ [html]: html })).not.toMatch(/[<>]/);
	});

	test("with the service's own words, code, link and status", () => {
		const failure = attemptError(answer(404), {}, 0);
		expect(failure.description).toContain('The service says: No such task.');
		expect(failure.description).toContain('https://docs.example.com/not_found');
		const error = toNodeError(node, failure, 0) as NodeApiError;
		expect(error.name).toBe('NodeApiError');
		expect(error.httpCode).toBe('404');
		const told = { error: "The resource wasn't found", message: failure.description };
		expect(errorJson(node, error)).toEqual({
			...told,
			httpStatus: 404,
			code: 'not_found',
			docUrl: 'https://docs.example.com/not_found',
		});
		// n8n 1.123 takes an item for an error by these two keys and no others.
		expect(errorJson({ ...node, onError: 'continueErrorOutput' }, error)).toEqual(told);
	});

	test('an error text that looks like a system error stays unchanged', () => {
		const error = toNodeError(
			node,
			new WorkspaceAutomationError('The agent session failed: ENOENT: no such file', 'Look there.'),
			0,
		);
		expect(error.name).toBe('NodeOperationError');
		expect(error.message).toBe('The agent session failed: ENOENT: no such file');
	});

	test('names the session once', () => {
		const failure = addSession(
			addSession(new WorkspaceAutomationError('A', 'B.'), {
				sessionId: 's',
				dashboardUrl: 'https://d',
			}),
			{ sessionId: 't' },
		);
		expect(failure.description).toBe('B. Session s, https://d.');
		expect(failure.context).toMatchObject({ sessionId: 's', dashboardUrl: 'https://d' });
	});
});

describe('the cause of a broken connection is classified', () => {
	const withMessage = (message: string) => ({
		httpCode: 'ECONNRESET',
		cause: { code: 'ECONNRESET', message },
	});
	test.each([
		[{ code: 'ECONNREFUSED' }, 'unsent'],
		[{ cause: { cause: { code: 'ENOTFOUND' } } }, 'unsent'],
		[{ code: 'EHOSTUNREACH', cause: { code: 'EHOSTUNREACH', syscall: 'connect' } }, 'unsent'],
		[{ code: 'ECONNRESET', cause: { code: 'ECONNRESET', syscall: 'read' } }, 'lost'],
		[{ errors: [{ code: 'EHOSTUNREACH', syscall: 'connect' }] }, 'unsent'],
		[{ syscall: 'connect' }, 'lost'],
		[{ code: ['ENOTFOUND'] }, 'lost'],
		[{ code: 'ERR_INVALID_URL' }, 'unusable'],
		[{ code: 'E_CERT_X' }, 'lost'],
		[{ httpCode: 'ECONNRESET' }, 'lost'],
		[{ httpCode: '500', cause: { code: 'ETIMEDOUT' } }, 'lost'],
		[{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'unusable'],
		[{ code: 'EPROTO', message: 'write EPROTO: wrong version number' }, 'unusable'],
		[{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'unusable'],
		[{ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }, 'lost'],
		[{ code: 'EPROTO', message: 'write EPROTO: sslv3 alert bad record mac' }, 'lost'],
		[
			withMessage(
				'Client network socket disconnected before secure TLS connection was established',
			),
			'unsent',
		],
		[withMessage('Proxy connection ended before receiving CONNECT response'), 'unsent'],
		[withMessage('socket hang up'), 'lost'],
		[{ name: 'NodeApiError', level: 'warning', cause: { level: 'info', message: 'x' } }, 'blocked'],
		[{ name: 'NodeApiError', level: 'warning' }, 'lost'],
		[{ cause: new WorkspaceAutomationError("The API key isn't sent there", 'x') }, 'blocked'],
		[new Error('?'), 'lost'],
		[undefined, 'lost'],
	])('%j is %s', (error, kind) => expect(toFailedAttempt(error).kind).toBe(kind));
});

describe("errors quote the service's own words", () => {
	test('from plain text', () => {
		const attempt: Attempt = { kind: 'response', status: 400, headers: {}, body: undefined };
		const error = attemptError({ ...attempt, text: ' No such task\n' }, {}, 0);
		expect(error.description).toContain('The service answered: No such task.');
	});

	test('but not from a web page, and at most 200 characters', () => {
		const page: Attempt = { kind: 'response', status: 400, headers: {}, body: undefined };
		expect(attemptError({ ...page, text: '<html>Hello' }, {}, 0).description).not.toContain(
			'Hello',
		);
		const long = attemptError({ ...page, text: 'x'.repeat(100_000) }, {}, 0);
		expect(long.description).toMatch(/: x{199}…\.$/);
	});

	test('an error about a file names the scope that may be missing', () => {
		const missing: Attempt = { kind: 'response', status: 404, headers: {}, body: {} };
		const scope = { scope: 'files.read' };
		expect(attemptError(missing, scope, 0).description).toContain('needs the scope files.read');
		expect(attemptError({ ...missing, status: 400 }, scope, 0).description).not.toContain('scope');
	});
});
