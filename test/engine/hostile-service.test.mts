// A service that means harm, or has been taken over: it sends too much, never ends, or echoes the key. Over real HTTP, in n8n's engine.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';
import { useServers } from './answers.mts';
import { logger, operation, run, start } from './engine.mts';
import { byId as rl } from '../../n8n-host/workflows.mts';
import { credentialFor } from '../../local-service/caller.mts';

const KEY = 'wa_live_9f/Ab+7=c"x';
/** Texts of a session */
const MOST_BYTES = 1024 * 1024;
const ID = '123e4567-e89b-12d3-a456-426614174000';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

const listen = useServers();

/** Starts a server for this test, and notes what it's asked. */
async function hostThat(behave: Behaviour) {
	const requests: Array<{ url: string; authorization?: string }> = [];
	const server = createServer((request, response) => {
		const { url = '', headers } = request;
		requests.push({ url, authorization: headers.authorization });
		behave(request, response);
	});
	return { requests, url: `http://127.0.0.1:${await listen(server)}` };
}
type Host = Awaited<ReturnType<typeof hostThat>>;

const setup = (host: Host, does: string, parameters: IDataObject = {}) =>
	operation(does, parameters, credentialFor({ baseUrl: `${host.url}/v1`, key: KEY }));
const starting = { projectId: rl(ID), prompt: 'x' };

/** Writes for as long as someone reads */
function writeWithoutEnd(response: ServerResponse, chunk: Buffer): void {
	const write = () => {
		while (!response.destroyed && response.write(chunk));
	};
	response.on('drain', write);
	write();
}

/** A byte now and then, so that the connection is never idle for long */
function drip(response: ServerResponse): void {
	const timer = setInterval(() => response.write(' '), 20);
	response.on('close', () => clearInterval(timer));
	response.write(' ');
}

const json = { 'content-type': 'application/json' };

describe('a response without bounds', () => {
	const session = { sessionId: ID };

	test('is read up to the limit in bytes, then its connection is closed and the error names the limit', async () => {
		let closed: Promise<unknown> | undefined;
		const host = await hostThat((_, response) => {
			closed = once(response, 'close');
			response.writeHead(200, json);
			writeWithoutEnd(response, Buffer.alloc(1024 * 1024, ' '));
		});
		const { error } = await run(setup(host, 'agentSession.get', session));
		expect(error).toMatchObject({
			message: 'The response of the service is too large',
			description: expect.stringContaining('1 MiB'),
		});
		await closed;
		expect(host.requests).toHaveLength(1);
	});

	test('is limited by its unpacked size', async () => {
		const bomb = gzipSync(Buffer.alloc(MOST_BYTES + 1, ' '));
		expect(bomb.length).toBeLessThan(MOST_BYTES / 500);
		const host = await hostThat((_, response) =>
			response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb),
		);
		const { error } = await run(setup(host, 'agentSession.get', session));
		expect(error?.message).toBe('The response of the service is too large');
		expect(host.requests).toHaveLength(1);
	});

	test.each([
		['agentSession.create', starting],
		['agentSession.sendMessage', { ...session, message: 'x' }],
		['agentSession.abort', session],
	])('to %s is read up to 1 MiB', async (operation, parameters) => {
		const host = await hostThat((request, response) => {
			const isRead = request.method === 'GET';
			response
				.writeHead(200, json)
				.end(
					isRead
						? JSON.stringify({ sessionId: ID, status: 'completed' })
						: `{}${' '.repeat(MOST_BYTES)}`,
				);
		});
		const { error } = await run(setup(host, operation, parameters));
		expect(`${error?.message} ${error?.description}`).toMatch(/too large.*1 MiB/);
	});

	test.each(['[', '{"a":'])(
		'nested 100,000 times in %s is an error, because n8n could not save it',
		async (open) => {
			const close = open === '[' ? ']' : '}';
			const host = await hostThat((_, response) =>
				response
					.writeHead(200, json)
					.end(
						`{"object":"task","id":"${ID}","more":${open.repeat(100_000)}1${close.repeat(100_000)}}`,
					),
			);
			const { error } = await run(setup(host, 'task.get', { taskId: rl(ID) }));
			expect(error).toMatchObject({
				message: 'The response is nested too deeply',
				description: expect.stringContaining('1000 levels: object, id, more'),
			});
		},
	);

	test('that drips ends with Stop, and its connection is closed', async () => {
		let closed: Promise<unknown> | undefined;
		let begun = () => {};
		const isUnderWay = new Promise<void>((resolve) => (begun = resolve));
		const host = await hostThat((_, response) => {
			closed = once(response, 'close');
			response.writeHead(200, json);
			drip(response);
			begun();
		});
		// n8n-core runs declarative nodes without a cancel signal where it is itself under test.
		const execution = start({
			...setup(host, ''),
			node: 'runAgentSession',
			parameters: {
				operation: 'continue',
				...session,
				permissionPolicy: 'ask',
				whileWaiting: 'keepRunning',
				options: { abortOnStop: false },
			},
		});
		await isUnderWay;
		execution.stop();
		await execution.result;
		await closed;
		expect(host.requests).toHaveLength(1);
	});
});

describe('a key that a service echoes', () => {
	const logged: unknown[] = [];
	beforeEach(() => {
		logged.length = 0;
		const log = logger();
		for (const level of ['error', 'warn', 'info', 'debug'] as const)
			jest.spyOn(log, level).mockImplementation((...line: unknown[]) => void logged.push(line));
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});

	const inJson = JSON.stringify(KEY).slice(1, -1);
	const escaped = [...KEY]
		.map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
		.join('');

	test.each([
		['as it is', inJson],
		['encoded as for a URL', encodeURIComponent(KEY)],
		['in escapes', escaped],
		['with escaped slashes', inJson.replaceAll('/', '\\/')],
	])('%s is in no error, output or line of the log', async (_, echo) => {
		const host = await hostThat(({ method, url }, response) => {
			const isError = url?.includes('/analytics');
			const session = `{"sessionId":"${ID}","status":"running ${echo}","error":"${echo}","dashboardUrl":"https://x.example/${echo}","pendingInteractions":[{"id":"1","type":"permission","permission":"${echo}","patterns":["${echo}"],"response":{"options":[{"value":"once","label":"Once ${echo}"}]}}],"latestMessage":{"text":"${echo}"}}`;
			const error = `{"error":{"code":"${echo}","message":"Bad key ${echo}","doc_url":"https://x.example/${echo}"}}`;
			response
				.writeHead(isError ? 400 : 200, { ...json, 'x-echo': 'x', location: `/sessions/${ID}` })
				.end(isError ? error : method === 'POST' && url?.endsWith('sessions') ? '{}' : session);
		});
		const setups = [
			setup(host, 'analytics.query', { table: 'own', query: 'SELECT 1' }),
			setup(host, 'agentSession.get', { sessionId: ID, simplify: false }),
			{
				...setup(host, ''),
				node: 'runAgentSession',
				parameters: {
					operation: 'continue',
					sessionId: ID,
					permissionPolicy: 'approve',
					maxWait: 0,
				},
			},
		];
		for (const each of setups) {
			const { outputs, error, customData } = await run(each);
			const kept = JSON.stringify([
				outputs,
				error && [error.message, error.description, error.stack, error.context, { ...error }],
				customData,
				logged,
			]);
			expect(kept).toContain('[API key]');
			for (const form of [
				KEY,
				inJson,
				encodeURIComponent(KEY),
				JSON.stringify(inJson).slice(1, -1),
			])
				expect(kept).not.toContain(form);
			expect(kept).not.toContain('Ab+7');
		}
		expect(host.requests.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(
			true,
		);
	});
});

describe('a service that does not answer', () => {
	test("is requested again after the timeout under Request Options, not after n8n's five minutes", async () => {
		const host = await hostThat((_, response) => {
			if (host.requests.length > 1)
				response.writeHead(200, json).end(`{"object":"task","id":"${ID}"}`);
		});
		const { outputs, error } = await run(
			setup(host, 'task.get', { taskId: rl(ID), requestOptions: { timeout: 500 } }),
		);
		expect(error).toBeUndefined();
		expect(outputs[0][0].json.id).toBe(ID);
		expect(host.requests).toHaveLength(2);
	});
});

describe('a redirect', () => {
	test.each([301, 302, 303, 307, 308])("with %d doesn't get the key", async (status) => {
		const other = await hostThat((_, response) => response.writeHead(200, json).end('{}'));
		const host = await hostThat((_, response) =>
			response.writeHead(status, { location: `${other.url}/v1/projects` }).end(),
		);
		const { error } = await run(setup(host, 'agentSession.create', starting));
		expect(error).toMatchObject({
			message: 'The session may have been started',
			description: expect.stringContaining('The service answered with a redirect'),
		});
		expect(host.requests).toHaveLength(1);
		expect(other.requests).toEqual([]);
	});
});

describe('a download', () => {
	/** A service whose file is to be downloaded from an address, and the host that the address leads to */
	async function download(behave: Behaviour, urlOf = (host: Host) => `${host.url}/file`) {
		const store = await hostThat(behave);
		const host = await hostThat((_, response) =>
			response.writeHead(200, json).end(JSON.stringify({ url: urlOf(store) })),
		);
		const execution = start(setup(host, 'file.getContent', { fileId: rl(ID), outputAs: 'text' }));
		return { store, execution };
	}

	test.each([301, 302, 303, 307, 308])(
		'follows a redirect (%d), without the credential',
		async (status) => {
			const other = await hostThat((_, response) => response.end('# Report'));
			const { store, execution } = await download((_, response) =>
				response.writeHead(status, { location: `${other.url}/there` }).end(),
			);
			const { outputs } = await execution.result;
			expect(outputs[0][0].json).toMatchObject({ text: '# Report' });
			expect(store.requests).toEqual([{ url: '/file', authorization: undefined }]);
			expect(other.requests).toEqual([{ url: '/there', authorization: undefined }]);
		},
	);

	test('follows no more than five redirects', async () => {
		const { store, execution } = await download((_, response) =>
			response.writeHead(302, { location: '/again' }).end(),
		);
		const { error } = await execution.result;
		expect(error?.message).toBe(
			"The file couldn't be downloaded: its host answered with status 302",
		);
		expect(store.requests).toHaveLength(6);
	});

	test("that is refused doesn't mention the API key, which its host never sees", async () => {
		const { execution } = await download((_, response) => response.writeHead(403).end());
		const { error } = await execution.result;
		expect(error?.message).toMatch(/status 403$/);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/key|credential/i);
	});

	test.each([
		['that it announces', { 'content-length': String(100 * 1024 * 1024 + 1) }],
		['that show as it comes', {}],
	])('ends at the limit in bytes %s', async (_, headers) => {
		let closed: Promise<unknown> | undefined;
		const { execution } = await download((_request, response) => {
			closed = once(response, 'close');
			response.writeHead(200, headers);
			writeWithoutEnd(response, Buffer.alloc(1024 * 1024, ' '));
		});
		const { error } = await execution.result;
		expect(error).toMatchObject({
			message: 'The file is too large to download',
			description: expect.stringContaining('100 MiB'),
		});
		await closed;
	});
});
