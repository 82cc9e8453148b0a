// Requests that never leave n8n, in n8n's engine: the error says so, and never that a session may have been started.
import { expect, test } from '@jest/globals';
import { createServer as createHttpServer } from 'node:http';
import { ssrfProtection } from '../../n8n-host/core.mts';
import { byId as rl } from '../../n8n-host/workflows.mts';
import { credentialFor } from '../../local-service/caller.mts';
import { useServers } from './answers.mts';
import { builtCredential, run, type Setup } from './engine.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const KEY = 'wa_live_key';

const listen = useServers();

const service = () =>
	createHttpServer((_, response) => response.writeHead(200).end(JSON.stringify({ sessionId: ID })));

const starting = (baseUrl: string): Setup => ({
	node: 'workspaceAutomation',
	parameters: {
		resource: 'agentSession',
		operation: 'create',
		projectId: rl(ID),
		prompt: 'x',
	},
	credentials: credentialFor({ baseUrl: `${baseUrl}/v1`, key: KEY }),
});

/** A session start whose error has to say that nothing was sent */
async function expectUnsent(setup: Setup, message: string, reason: RegExp): Promise<void> {
	const { error } = await run(setup);
	expect([error?.message, error?.description]).toEqual([message, expect.stringMatching(reason)]);
	expect(`${error?.message} ${error?.description}`).not.toMatch(/may have been/);
}

test("n8n's SSRF protection blocks a service in its own network", async () => {
	const server = service();
	const requests: unknown[] = [];
	server.on('request', (request) => requests.push(request));
	const setup = starting(`http://127.0.0.1:${await listen(server)}`);
	const protection = ssrfProtection();
	protection.enabled = true;
	try {
		await expectUnsent(setup, "n8n didn't send the request", /restricted IP address.*SSRF/);
		const waiting: Setup = {
			...setup,
			node: 'runAgentSession',
			parameters: { operation: 'start', projectId: rl(ID), prompt: 'x', permissionPolicy: 'ask' },
		};
		await expectUnsent(waiting, "n8n didn't send the request", /restricted IP address.*SSRF/);
	} finally {
		protection.enabled = false;
	}
	expect(requests).toEqual([]);
	expect((await run(setup)).error).toBeUndefined();
});

test('a service that speaks no TLS gets no request', async () => {
	const port = await listen(service());
	await expectUnsent(
		starting(`https://127.0.0.1:${port}`),
		'No secure connection to the service',
		/EPROTO|WRONG_VERSION/,
	);
});

/** Runs with a proxy that answers each CONNECT with a status and a body. */
async function behindProxy(status: number, body: string, check: () => Promise<void>) {
	const proxy = createHttpServer();
	proxy.on('connect', (_, socket) =>
		socket.end(`HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\n\r\n${body}`),
	);
	process.env.HTTPS_PROXY = `http://127.0.0.1:${await listen(proxy)}`;
	await check().finally(() => delete process.env.HTTPS_PROXY);
}

const REFUSAL = '{"error": {"code": "x", "message": "Log in", "doc_url": "https://x"}}';
test.each(['', '<html>Log in', REFUSAL])(
	'a proxy refuses to connect, with the body %j',
	async (body) => {
		await behindProxy(407, body, async () => {
			await expectUnsent(
				starting('https://api.example.com'),
				'The proxy refused the connection',
				/^The request never reached the service\. Check the user name and password of the proxy\.$/,
			);
		});
	},
);

test("a proxy's refusal on the way to an http address isn't quoted as the service's", async () => {
	const proxy = createHttpServer((_, response) =>
		response.writeHead(407, { 'content-type': 'application/json' }).end(REFUSAL),
	);
	process.env.HTTP_PROXY = `http://127.0.0.1:${await listen(proxy)}`;
	const check = expectUnsent(
		starting('http://localhost:9'),
		'The proxy refused the connection',
		/^The request never reached the service\. Check the user name and password of the proxy\.$/,
	);
	await check.finally(() => delete process.env.HTTP_PROXY);
});

test.each([403, 502])(
	"a proxy's page with %d can't be told from one that came after the request",
	async (status) => {
		await behindProxy(status, '<html>No', async () => {
			const { error } = await run(starting('https://api.example.com'));
			expect(error?.message).toBe('The session may have been started');
			expect(error?.description).toMatch(/A proxy or login page answered/);
		});
	},
);

test('a proxy under Request Options that could read the key gets no request', async () => {
	const proxy = createHttpServer();
	const arrived: string[] = [];
	proxy.on('connect', (_, socket) => socket.destroy(void arrived.push('CONNECT')));
	proxy.on('request', ({ url }, response) => response.end(arrived.push(url!)));
	const through = { proxy: `http://127.0.0.1:${await listen(proxy)}` };
	for (const [baseUrl, requestOptions] of [
		['https://api.example.com', { ...through, allowUnauthorizedCerts: true }],
		['http://127.0.0.1:9', through],
	] as const) {
		const { parameters, ...setup } = starting(baseUrl);
		await expectUnsent(
			{ ...setup, parameters: { ...parameters, requestOptions } },
			"'Proxy' under Request Options could read the API key",
			/Remove the proxy/,
		);
	}
	expect(arrived).toEqual([]);
});

test('the credential refuses to send the key to another address', async () => {
	const setup = starting(`http://127.0.0.1:${await listen(service())}`);
	const { authenticate } = builtCredential();
	builtCredential().authenticate = async (credentials, options) =>
		await authenticate(credentials, { ...options, url: 'https://elsewhere.example.com/v1' });
	try {
		await expectUnsent(setup, "n8n didn't send the request", /isn't sent to https:\/\/elsewhere/);
	} finally {
		builtCredential().authenticate = authenticate;
	}
});
