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

test.each([
	'http://cdn.example.net/c',
	'https://user:pw@cdn.example.net/',
	'file:///etc/passwd',
	...['localhost', 'app.localhost', 'localhost.', '127.0.0.1', '127.1', '2130706433', '0x7f.1'],
	...['0.0.0.0', '0', '10.1.2.3', '012.1.2.3', '100.64.0.1', '100.127.255.254'],
	...['169.254.169.254', '172.16.0.1', '172.31.255.254', '192.168.1.1', '192.0.0.8'],
	...['192.0.2.1', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1'],
	...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
	...['[::]', '[::1]', '[::7f00:1]', '[fd00::1]', '[fc00::]', '[fe80::1]', '[febf::1]'],
	...['[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[2001::1]', '[5f00::1]'],
	...['[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[0:0:0:0:0:ffff:c0a8:101]', '[::ffff:0:10.0.0.1]'],
	...['[2001:2::1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::8.8.8.8]', '[64:ff9b::1:808:808]'],
	...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:c0a8:101::8.8.8.8]', '[3fff::1]'],
])('requests nothing from a redirect to %s', async (host) => {
	const target = host.includes('://') ? host : `https://${host}/latest/meta-data`;
	const { result, requested } = await downloaded('https://files.example.com/a', {
		'https://files.example.com/a': target,
	});
	expect(result).toMatch(/Nothing was downloaded\.$/);
	expect(requested).toEqual(['https://files.example.com/a']);
	expect((await downloaded(target, {})).requested).toEqual([]);
});

test.each([
	...['localhost.example.com', 'notlocalhost', 'fd00.example.com', '10.example.com', '11.0.0.1'],
	...['100.63.255.254', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.169.0.1', '198.17.0.1'],
	...['198.20.0.1', '210.1.2.3', '223.255.255.1', '[2606:4700::1111]', '[2a00:1450:4001::1]'],
	...['[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]', '[2002:808:808::1]', '[2001:4860:4860::8888]'],
])('downloads from %s, which is public', async (host) => {
	const url = `https://${host}/a`;
	expect(await downloaded(url, {})).toEqual({ result: 'content', requested: [url] });
});
