import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WorkspaceAutomationApi } from '../../credentials/WorkspaceAutomationApi.credentials.ts';
import { checkBaseUrl, connectionOf } from '../../nodes/shared/connection.ts';
import { Problem } from '../../nodes/shared/problem.ts';
import { ASSUMED_NAMES, readSessionId, wireNames } from '../../nodes/shared/wireNames.ts';

const good = {
	baseUrl: 'https://api.example.com/v1',
	accessToken: 'secret-token',
	apiVersion: '2026-10-05',
	fieldNames: '{}',
};
const credential = new WorkspaceAutomationApi();

describe('the base URL', () => {
	test.each([
		['https://api.example.com/v1', 'https://api.example.com/v1'],
		[' https://api.example.com/public/v1/ ', 'https://api.example.com/public/v1'],
		['http://localhost:4010/v1', 'http://localhost:4010/v1'],
		['http://127.0.0.1:4010/v1', 'http://127.0.0.1:4010/v1'],
		['http://[::1]:4010/v1', 'http://[::1]:4010/v1'],
	])('%j is taken', (given, expected) => expect(checkBaseUrl(given)).toBe(expected));

	test.each([
		['https://api.example.com', /does not end in \/v1/],
		['https://api.example.com/v1/projects', /does not end in \/v1/],
		['https://api.example.com/v12', /does not end in \/v1/],
		['https://api.example.com/v1?x=1', /more than an address/],
		['https://user:pass@api.example.com/v1', /more than an address/],
		['http://api.example.com/v1', /does not use https/],
		['http://localhost.example.com/v1', /does not use https/],
		['http://127.0.0.1.example.com/v1', /does not use https/],
		['ftp://localhost/v1', /does not use https/],
		['api.example.com/v1', /is not a URL/],
		['', /Base URL is empty/],
		[undefined, /Base URL is empty/],
	])('%j is refused', (given, message) => {
		expect(() => checkBaseUrl(given)).toThrow(Problem);
		expect(() => checkBaseUrl(given)).toThrow(message);
	});
});

describe('the credential', () => {
	test.each([
		[{ accessToken: '' }, /Access Token is empty/],
		[{ accessToken: 'two words' }, /Access Token .* characters/],
		[{ apiVersion: 'latest' }, /API Version .* date/],
		[{ fieldNames: '{oops' }, /Field Names is not a valid JSON object/],
		[{ fieldNames: '[]' }, /Field Names is not a valid JSON object/],
		[{ fieldNames: '{"sesionPrompt":"x"}' }, /unknown key "sesionPrompt"/],
		[{ fieldNames: '{"sessionPrompt":""}' }, /no name for "sessionPrompt"/],
		[{ fieldNames: '{"sessionPrompt":3}' }, /no name for "sessionPrompt"/],
	])('with %j is refused, and the message holds no token', async (changes, message) => {
		const problem = await credential
			.authenticate({ ...good, ...changes }, { url: '/projects', baseURL: good.baseUrl })
			.catch((error) => error);
		expect(problem).toBeInstanceOf(Problem);
		expect(problem.message).toMatch(message);
		expect(`${problem.message} ${problem.description}`).not.toContain('secret-token');
	});

	test('sends token and version', async () => {
		const { headers } = await credential.authenticate(good, {
			url: '/projects',
			baseURL: good.baseUrl,
		});
		expect(headers).toEqual({
			Authorization: 'Bearer secret-token',
			'Service-Api-Version': '2026-10-05',
		});
	});

	test("lets a request's own version win, but not its own token", async () => {
		const headers = { 'Service-Api-Version': '2026-08-21', Authorization: 'Bearer other' };
		const sent = await credential.authenticate(good, { url: `${good.baseUrl}/x`, headers });
		expect(sent.headers).toEqual({
			'Service-Api-Version': '2026-08-21',
			Authorization: 'Bearer secret-token',
		});
	});

	test.each([
		'https://files.example.com/v1/x',
		'http://api.example.com/v1/x',
		'https://api.example.com:444/v1/x',
		'https://api.example.com.evil.test/v1',
	])('gives its token to no other origin: %s', async (url) => {
		await expect(credential.authenticate(good, { url })).rejects.toThrow(/is not sent to/);
	});
});

describe('wire names', () => {
	test('are the assumed ones unless corrected, each of them', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...(Object.keys(ASSUMED_NAMES) as Array<keyof typeof ASSUMED_NAMES>)),
				fc.stringMatching(/^[a-z_]+$/),
				(key, name) => {
					expect(wireNames(JSON.stringify({ [key]: name }))).toEqual({
						...ASSUMED_NAMES,
						[key]: name,
					});
					expect(connectionOf({ ...good, fieldNames: { [key]: name } as never }).names[key]).toBe(
						name,
					);
				},
			),
		);
		expect(wireNames(undefined)).toEqual(ASSUMED_NAMES);
	});

	test.each([
		[{ sessionId: 'a' }, 'a'],
		[{ id: 'a' }, 'a'],
		[{ session: { id: 'a' } }, 'a'],
		[{ sessionId: '', id: 7 }, undefined],
		[null, undefined],
		['a', undefined],
	])('the session id is read from %j', (answer, expected) =>
		expect(readSessionId(answer)).toBe(expected),
	);
});
