// Targets of a download: the service names a URL, and its host may redirect to another.
import { expect, test } from '@jest/globals';
import { download } from '../../nodes/WorkspaceAutomation/fileContent.ts';
import { realClock } from '../../nodes/shared/client/clock.ts';

const SERVICE = 'https://api.example.com/v1';
const getBody = (text: string) => ({ text, destroy: () => {}, emit: () => true });

/** Downloads from scripted hosts. Returns the result and the requested URLs. */
async function downloaded(first: string, redirects: Record<string, string>) {
	const requested: string[] = [];
	const httpRequest = async ({ url, ...options }: any) => {
		requested.push(url);
		expect(options).not.toHaveProperty('auth');
		expect(options.headers).toBeUndefined();
		const location = redirects[url];
		return location
			? { statusCode: 302, headers: { location }, body: getBody('') }
			: { statusCode: 200, headers: {}, body: getBody('content') };
	};
	const context: any = { helpers: { httpRequest } };
	const api: any = { clock: realClock, baseUrl: SERVICE, signal: undefined };
	const result = await download(context, api, first, async (body: any) => body.text).catch(
		(error: Error & { description: string }) => error.description,
	);
	return { result, requested };
}

test('follows a redirect to another public host, and one that is relative', async () => {
	const { result, requested } = await downloaded('https://files.example.com/a', {
		'https://files.example.com/a': '/b',
		'https://files.example.com/b': 'https://cdn.example.net/c',
	});
	expect(result).toBe('content');
	expect(requested).toEqual([
		'https://files.example.com/a',
		'https://files.example.com/b',
		'https://cdn.example.net/c',
	]);
});

test.each([
	'http://cdn.example.net/c',
	'https://169.254.169.254/latest/meta-data',
	'https://10.0.0.1/',
	'https://[::1]/',
	'https://localhost/',
	'https://user:pw@cdn.example.net/',
])('requests nothing from a redirect to %s', async (target) => {
	const { result, requested } = await downloaded('https://files.example.com/a', {
		'https://files.example.com/a': target,
	});
	expect(result).toMatch(/Nothing was downloaded\.$/);
	expect(requested).toEqual(['https://files.example.com/a']);
});
