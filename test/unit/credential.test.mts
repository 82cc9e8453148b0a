import { describe, expect, test } from '@jest/globals';
import { WorkspaceAutomationApi } from '../../credentials/WorkspaceAutomationApi.credentials.ts';
import { checkBaseUrl, readCredential } from '../../nodes/shared/client/credential.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';

const good = {
	baseUrl: 'https://api.example.com/v1',
	accessToken: 'secret-token',
	apiVersion: '2026-10-05',
	overrides: '{}',
};
const credential = new WorkspaceAutomationApi();

describe('the base URL', () => {
	test.each([
		['https://api.example.com/v1', 'https://api.example.com/v1'],
		[' https://api.example.com/public/v1/ ', 'https://api.example.com/public/v1'],
		['http://localhost:4010/v1', 'http://localhost:4010/v1'],
		['http://[::1]:4010/v1', 'http://[::1]:4010/v1'],
		['http://api.localhost:4010/v1', 'http://api.localhost:4010/v1'],
	])('%j is accepted', (given, expected) => expect(checkBaseUrl(given)).toBe(expected));

	test.each([
		['https://api.example.com', /doesn't end in \/v1/],
		['https://api.example.com/v1/projects', /doesn't end in \/v1/],
		['https://api.example.com/v12', /doesn't end in \/v1/],
		['https://api.example.com/v1?x=1', /more than a host/],
		['https://api.example.com/v1#', /more than a host/],
		['https://user:pass@api.example.com/v1', /more than a host/],
		['http://api.example.com/v1', /doesn't use https/],
		['http://localhost.example.com/v1', /doesn't use https/],
		['ftp://localhost/v1', /doesn't use https/],
		['api.example.com/v1', /is not a URL/],
		['', /'Base URL' is empty/],
		[undefined, /'Base URL' is empty/],
	])('%j is refused', (given, message) => {
		expect(() => checkBaseUrl(given)).toThrow(WorkspaceAutomationError);
		expect(() => checkBaseUrl(given)).toThrow(message);
	});
});

describe('the credential', () => {
	test('may have spaces and line breaks around its values', () => {
		const values = { accessToken: ' secret-token\n', apiVersion: ' 2026-10-05 ' };
		expect(readCredential({ ...good, ...values })).toEqual({
			baseUrl: 'https://api.example.com/v1',
			apiKey: 'secret-token',
			apiVersion: '2026-10-05',
			overrides: {},
		});
	});

	test.each([
		[{ accessToken: 'two words' }, /Copy the API key again/],
		[{ apiVersion: 'latest' }, /such as \d{4}-\d\d-\d\d\.$/],
	])('with %j is refused with advice', (changes, advice) => {
		expect(() => readCredential({ ...good, ...changes })).toThrow(
			expect.objectContaining({ description: expect.stringMatching(advice) }),
		);
	});

	test.each([
		[{ accessToken: '' }, /'API Key' is empty/],
		[{ accessToken: 'two words' }, /'API Key' .* characters/],
		[{ accessToken: 'schlüssel' }, /'API Key' .* characters/],
		[{ apiVersion: '' }, /'API Version' is empty/],
		[{ apiVersion: 'latest' }, /'API Version' .* date/],
		[{ apiVersion: '2026-10-051' }, /'API Version' .* date/],
		[{ overrides: '{oops' }, /'Overrides' isn't a valid JSON object/],
		[{ overrides: {} }, /'Overrides' .* isn't a text/],
	])('with %j is refused, and the message holds no key', async (changes, message) => {
		const error = await credential
			.authenticate({ ...good, ...changes }, { url: '/projects', baseURL: good.baseUrl })
			.catch((thrown) => thrown);
		expect(error).toBeInstanceOf(WorkspaceAutomationError);
		expect(error.message).toMatch(message);
		expect(`${error.message} ${error.description}`).not.toContain('secret-token');
	});

	test('sends key and version, and follows no redirect', async () => {
		const { headers, ...options } = await credential.authenticate(good, {
			url: '/projects',
			baseURL: good.baseUrl,
		});
		expect(headers).toEqual({
			Authorization: 'Bearer secret-token',
			'Service-Api-Version': '2026-10-05',
		});
		expect(options).toMatchObject({
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
		});
	});

	test("does so in n8n's HTTP Request node, which has other names", async () => {
		const uri = `${good.baseUrl}/projects`;
		const redirects = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
		const sent = await credential.authenticate(good, { uri, ...redirects } as never);
		expect(sent).toMatchObject({ uri, followRedirect: false, followAllRedirects: false });
		expect(sent.headers).toMatchObject({ Authorization: 'Bearer secret-token' });
	});

	test("lets a request's own version win, but not its own key", async () => {
		const own = { version: 'service-api-version', key: 'authorization' };
		const headers = { [own.version]: '2026-08-21', [own.key]: 'Bearer other' };
		const sent = await credential.authenticate(good, { url: `${good.baseUrl}/x`, headers });
		expect(sent.headers).toEqual({
			[own.version]: '2026-08-21',
			Authorization: 'Bearer secret-token',
		});
	});

	test.each([
		'https://files.example.com/v1/x',
		'http://api.example.com/v1/x',
		'https://api.example.com:444/v1/x',
		'https://api.example.com.evil.test/v1',
	])('sends its key to no other origin: %s', async (url) => {
		for (const request of [{ url }, { uri: url }, { url: `${good.baseUrl}/x`, uri: url }])
			await expect(credential.authenticate(good, request as never)).rejects.toThrow(
				/isn't sent to http/,
			);
	});

	test.each([{}, { uri: '' }, { uri: '/projects' }])('is not sent to no origin: %j', async (to) => {
		await expect(credential.authenticate(good, to as never)).rejects.toThrow(
			"The API key isn't sent to an invalid URL",
		);
	});
});
