// Hostile HTTP requests to the link of an approval page, in a real n8n: the execution still waits afterwards, and the right answer works.
import { once } from 'node:events';
import { Agent, createServer, request as send, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { startHost } from '../../n8n-host/host.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { StartHost } from '../../tools/demoStage.mts';
import { answer, messages, openPage, SAVED, withPage } from './page.mts';
import { arrived, getRecord, sessionsFor, useOwnStage } from './support.mts';

/** The path below which the proxy serves n8n */
const SUB_PATH = '/automation';

/** Passes requests below the sub-path on to n8n, as a reverse proxy does. */
async function startProxy(): Promise<{ url: string; close(): void; forwardTo(url: string): void }> {
	let target = '';
	const server = createServer((incoming, response) => {
		const path = incoming.url!.slice(SUB_PATH.length);
		const { method, headers } = incoming;
		const outgoing = send(`${target}${path}`, { method, headers }, (answer) => {
			response.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(response);
		});
		incoming.pipe(outgoing);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}${SUB_PATH}/`,
		close: () => void server.close(),
		forwardTo: (url) => void (target = url),
	};
}

/** An n8n behind a reverse proxy, below a path. An execution by hand pauses at once when it has asked, so its clock isn't hurried. */
const proxiedHost: StartHost = async ({ packageDir }) => {
	const proxy = await startProxy();
	const webhookUrl = hostVersion() === '1.123' ? 'WEBHOOK_URL' : 'N8N_WEBHOOK_URL';
	const env = { ...WITHOUT_EDITOR, N8N_PATH: `${SUB_PATH}/`, [webhookUrl]: proxy.url };
	const host = await startHost({ packageDir, env: { ...env, N8N_PROXY_HOPS: '1' } });
	proxy.forwardTo(host.url);
	const close = async () => {
		proxy.close();
		await host.close();
	};
	return { ...host, close };
};

/** Returns where n8n itself serves the link. */
const withoutProxy = (link: string, host: { url: string }): string =>
	`${host.url}${link.slice(link.indexOf(SUB_PATH) + SUB_PATH.length)}`;

const stage = useOwnStage(proxiedHost);

/** Number of runs. A long run takes more. */
const COUNT = Number(process.env.HOSTILE_REQUESTS ?? 400);
const AT_ONCE = 4;
const PROMPT = 'Hostile [ask bash: npm publish] [say Went on.]';

interface Shot {
	method: string;
	url: string;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** Sends a request, and returns what returned: its status and its text; 0 where the connection ended. */
async function shoot({ method, url, headers, body }: Shot): Promise<[number, string]> {
	return await new Promise((resolve) => {
		const outgoing = send(
			url,
			{ method, headers, agent, timeout: 30_000 },
			(answer: IncomingMessage) => {
				const parts: Buffer[] = [];
				answer.on('data', (part: Buffer) => parts.push(part));
				answer.on('end', () => resolve([answer.statusCode ?? 0, Buffer.concat(parts).toString()]));
				answer.on('error', () => resolve([0, '']));
			},
		);
		outgoing.on('timeout', () => outgoing.destroy());
		outgoing.on('error', () => resolve([0, '']));
		outgoing.end(body);
	});
}

/** Sends bytes that are no proper request, and waits for the end of the connection or a moment. */
async function shootRaw(url: string, text: (path: string) => string): Promise<void> {
	const { hostname, port, pathname, search } = new URL(url);
	await new Promise<void>((resolve) => {
		const socket = connect(Number(port), hostname, () => socket.write(text(pathname + search)));
		socket.setTimeout(500, () => socket.destroy());
		socket.on('error', () => {});
		socket.on('data', () => socket.end());
		socket.on('close', () => resolve());
	});
}

const FORM = 'application/x-www-form-urlencoded';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** All combinations of what can be wrong, gone through so that each meets each other */
function* hostileShots(url: string, shown: string): Generator<Shot> {
	const nonce = new URL(url).searchParams.get('question')!;
	const withQuery = (change: (query: URLSearchParams) => void) => {
		const other = new URL(url);
		change(other.searchParams);
		return other.href;
	};
	const urls = [
		url,
		url,
		url,
		withQuery((query) => query.delete('question')),
		withQuery((query) => query.set('question', 'A'.repeat(22))),
		withQuery((query) => query.append('question', nonce)),
		withQuery((query) => query.set('question', `${nonce}\0`)),
		withQuery((query) => (query.delete('question'), query.set('question[a]', nonce))),
		withQuery((query) => query.set('signature', 'x')),
		url.replace('?', '/x?'),
		`${url}&${'a=1&'.repeat(2_000)}`,
	];
	// Not OPTIONS: n8n answers that itself, or, with some headers, not at all.
	const methods = ['POST', 'POST', 'POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'];
	// With a type that no form has
	const valid = `shown=${shown}&request0=0`;
	const json = JSON.stringify({ shown, request0: '0' });
	const bodies: Array<[type: string | undefined, body?: string | Buffer, encoding?: string]> = [
		[undefined],
		[FORM],
		[FORM, 'null'],
		[FORM, `shown=${shown}`],
		[FORM, `shown=${shown}&request0=9`],
		[FORM, `shown=${shown}&request0=0&request0=1`],
		[FORM, `shown=${shown}&request0[]=0`],
		[FORM, `shown=${shown.slice(1)}x&request0=0`],
		[FORM, `__proto__[shown]=${shown}&constructor=1&request0=0`],
		[FORM, 'request0=0'],
		[FORM, `${'a=1&'.repeat(5_000)}`],
		[FORM, '%E0%A4%A'],
		[FORM, '\0\u{1F600}\uFEFF'],
		[FORM, Buffer.from([0xff, 0xfe, 0x00])],
		[FORM, `shown=${shown}`, 'br'],
		[FORM, Buffer.from('no gzip'), 'gzip'],
		[FORM, gzipSync(`shown=${shown}`), 'gzip'],
		[FORM, deflateSync('x'.repeat(100_000)), 'deflate'],
		['application/json'],
		['application/json', 'null'],
		['application/json', '[]'],
		['application/json', '{'],
		['application/json', json],
		['application/json', `{"shown":${nested(5_000)}}`],
		['application/json', nested(20_000)],
		['application/json; charset=utf-16', json],
		['text/plain', valid],
		['text/plain', 'null'],
		['text/html', '<form>'],
		['application/xml', '<a><b/></a>'],
		['application/xml', '<a><b>'],
		['application/octet-stream', valid],
		[
			'multipart/form-data; boundary=x',
			`--x\r\nContent-Disposition: form-data; name="shown"\r\n\r\n${shown}\r\n--x--\r\n`,
		],
		['multipart/form-data; boundary=x', 'no part'],
		['multipart/form-data', valid],
		['nonsense', valid],
		[`${FORM}, ${FORM}`, valid],
	];
	for (let n = 0; ; n++) {
		const [type, body, encoding] = bodies[n % bodies.length];
		const method = methods[Math.floor(n / bodies.length) % methods.length];
		const target = urls[Math.floor(n / 7) % urls.length];
		const hasBody = method !== 'GET' && method !== 'HEAD';
		yield {
			method,
			url: target,
			body: hasBody ? body : undefined,
			headers: {
				...(type !== undefined && { 'Content-Type': type }),
				...(encoding !== undefined && hasBody && { 'Content-Encoding': encoding }),
				...(n % 5 === 0 && { Origin: 'https://evil.example', Cookie: 'n8n-auth=x' }),
			},
		};
	}
}

/** A few that are large, or no HTTP */
async function shootLarge(url: string, shown: string): Promise<void> {
	const large = [
		[FORM, `shown=${shown}&comment=${'x'.repeat(4_000_000)}`],
		[FORM, 'x'.repeat(20_000_000)],
		['application/json', `{"shown":"${'x'.repeat(8_000_000)}"}`],
		['application/json', nested(1_000_000)],
	];
	for (const [type, body] of large)
		await shoot({ method: 'POST', url, headers: { 'Content-Type': type }, body });
	const gzipped = gzipSync(Buffer.alloc(60_000_000));
	const headers = { 'Content-Type': FORM, 'Content-Encoding': 'gzip' };
	await shoot({ method: 'POST', url, headers, body: gzipped });
	const line = `Host: x\r\nContent-Type: ${FORM}\r\n`;
	for (const text of [
		(path: string) => `TRACE ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
		(path: string) => `PROPFIND ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
		(path: string) => `POST ${path} HTTP/1.1\r\n${line}Content-Length: 500\r\n\r\nshown=${shown}`,
		(path: string) => `POST ${path} HTTP/1.1\r\n${line}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
		(path: string) => `POST ${path} HTTP/1.0\r\n${line}\r\n`,
		(path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
		() => `\0\0\0\0`,
	])
		await Promise.all(Array.from({ length: 5 }, async () => await shootRaw(url, text)));
}

test(
	`${COUNT} hostile requests change nothing: the execution waits, and the right answer works behind a proxy and a sub-path`,
	async () => {
		const { host } = stage;
		const id = await host.run(await host.importWorkflow(withPage('hostile', [PROMPT])));
		const [{ url: link }] = await messages(stage, id);
		expect(link).toContain('/automation/webhook-waiting/');
		const page = await openPage(link);
		// A proxy would refuse many of these requests.
		const url = withoutProxy(link, host);
		const shots = hostileShots(url, page.hidden.shown);
		const statuses = new Map<number, number>();
		const lost = new Set<string>();
		let left = COUNT;
		const shooter = async () => {
			while (left-- > 0) {
				const shot = shots.next().value as Shot;
				const [status, text] = await shoot(shot);
				if (status === 0) lost.add(JSON.stringify(shot).slice(0, 300));
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				expect(text).not.toContain('Your answer was saved');
			}
		};
		const since = Date.now();
		await Promise.all(Array.from({ length: AT_ONCE }, shooter));
		const took = Date.now() - since;
		await shootLarge(url, page.hidden.shown);
		process.stderr.write(
			`${took} ms, ${JSON.stringify([...statuses])}\n${[...lost].slice(0, 20).join('\n')}\n`,
		);
		// Few were for nothing: each got a page, or n8n's own answer.
		expect(statuses.get(0) ?? 0).toBeLessThan(COUNT / 100);

		const now = await openPage(link);
		expect(now).toMatchObject({ status: 200, title: 'The agent needs your approval' });
		const { status } = await host.rest.get(`/executions/${id}`);
		expect(['waiting', 'running']).toContain(status);
		const [{ sessionId }] = await sessionsFor(stage, PROMPT);
		const { interactions } = await getRecord(stage, sessionId);
		expect(interactions.map(({ value }: { value?: unknown }) => value)).toEqual([undefined]);

		expect(await answer(link, ['Approve once'])).toMatchObject(SAVED);
		const execution = await host.waitForExecution(id);
		expect(execution.status).toBe('success');
		expect(arrived(execution, 'Completed')).toMatchObject([
			{ decisions: [{ decision: 'approve', decidedBy: 'page' }] },
		]);
	},
	2 * HANG_MS + COUNT * 200,
);
