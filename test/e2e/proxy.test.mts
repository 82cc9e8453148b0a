// A service with a certificate of its own, and a proxy between n8n and the service.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
	createServer as createProxy,
	request as forward,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost } from '../../n8n-host/host.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import { isThisMachine } from '../../nodes/shared/values.ts';
import { importCredential } from '../../tools/demoStage.mts';
import {
	agentSession,
	arrived,
	chain,
	manualTrigger,
	play,
	useOwnStage,
	workspaceAutomation,
	arrival,
} from './support.mts';

const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
const servers: Server[] = [];
afterAll(() => {
	for (const server of servers) server.close();
	rmSync(folder, { recursive: true });
});

async function listen<S extends Server>(server: S): Promise<number> {
	servers.push(server);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** Makes a key and a certificate for `localhost` that nobody has signed. */
function makeCertificate(name: string) {
	const [keyFile, certFile] = ['key', 'pem'].map((ending) => join(folder, `${name}.${ending}`));
	const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
	const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile];
	execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, ...subject], {
		stdio: 'ignore',
	});
	return { certFile, key: readFileSync(keyFile), cert: readFileSync(certFile) };
}
const known = makeCertificate('known');
const unknown = makeCertificate('unknown');

/** What the proxy has seen: the hosts of its tunnels, and the requests that it could read */
const seen: { tunnels: string[]; read: Array<string | undefined> } = { tunnels: [], read: [] };
/** Passes a request on to `to`, as it is. */
function passOn(request: IncomingMessage, response: ServerResponse, to: string): void {
	if (!isThisMachine(new URL(to).hostname)) return void response.writeHead(403).end();
	const { headers, method } = request;
	const onward = forward(to, { headers, method }, (answer) => {
		response.writeHead(answer.statusCode!, answer.headers);
		answer.pipe(response);
	});
	onward.on('error', () => response.writeHead(502).end());
	request.pipe(onward);
}
const proxy = createProxy((request, response) => {
	seen.read.push(request.headers.authorization);
	passOn(request, response, request.url!);
});
proxy.on('connect', ({ url }, socket) => {
	seen.tunnels.push(url!);
	const [host, port] = url!.split(':');
	// n8n itself asks for addresses on the internet, which may not answer for minutes.
	if (!isThisMachine(host)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
	const target = connect(Number(port), host, () => {
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		target.pipe(socket).pipe(target);
	});
	for (const end of [socket, target]) end.on('error', () => socket.destroy());
});

const stage = useOwnStage(
	async ({ packageDir }) =>
		await startHost({
			packageDir,
			env: {
				...WITHOUT_EDITOR,
				HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
				HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
				NODE_EXTRA_CA_CERTS: known.certFile,
			},
		}),
);

/** Starts a server with a certificate in front of the service, and returns the credential for it. */
async function secured({ key, cert }: typeof known, name: string) {
	const { origin } = new URL(stage.service.baseUrl);
	const server = createSecureServer({ key, cert }, (request, response) =>
		passOn(request, response, `${origin}${request.url}`),
	);
	const baseUrl = `https://localhost:${await listen(server)}/v1`;
	await importCredential(stage.host, { baseUrl, key: stage.service.key }, name);
	return { baseUrl, credentials: { workspaceAutomationApi: { id: null, name } } };
}

const NAME = 'Projects';
const listProjects = (parts: object, requestOptions = {}) =>
	chain(NAME, [
		manualTrigger(),
		workspaceAutomation(NAME, 'project.getAll', { requestOptions }, parts),
	]);

const press = async (baseUrl: string) => {
	const data = {
		baseUrl,
		accessToken: stage.service.key,
		apiVersion: '2026-10-05',
		overrides: '{}',
	};
	const saved = await stage.host.importCredential({
		name: baseUrl,
		type: 'workspaceAutomationApi',
		data,
	});
	return await stage.host.rest.post<{ status: string; message: string }>('/credentials/test', {
		credentials: { ...saved, data },
	});
};

test('a certificate that n8n knows works through a proxy, which sees no request, in both nodes and the test of the credential', async () => {
	const { baseUrl, credentials } = await secured(known, 'Known');
	seen.tunnels.length = seen.read.length = 0;
	expect((await play(stage, listProjects({ credentials }))).items(NAME)).not.toEqual([]);
	const session = chain('Session', [
		manualTrigger(),
		agentSession({ prompt: '[say Done]', permissionPolicy: 'deny' }, { credentials }),
		arrival('Completed'),
	]);
	expect(arrived(await play(stage, session), 'Completed')).toMatchObject([{ text: 'Done' }]);
	expect(await press(baseUrl)).toMatchObject({ status: 'OK' });
	expect(seen.tunnels).toContain(new URL(baseUrl).host);
	expect(seen.read).toEqual([]);
});

test("a certificate that n8n doesn't know is an error that names n8n's setting and its page, unless SSL issues are ignored", async () => {
	const { baseUrl, credentials } = await secured(unknown, 'Unknown');
	const session = chain('Session', [
		manualTrigger(),
		agentSession({ prompt: 'x', permissionPolicy: 'deny' }, { credentials }),
	]);
	for (const file of [listProjects({ credentials }), session]) {
		const { error } = await play(stage, file);
		expect(error?.message).toBe('No secure connection to the service');
		expect(error?.description).toMatch(
			/SELF_SIGNED.*NODE_EXTRA_CA_CERTS.*https:\/\/docs\.n8n\.io\/\S+certificate/,
		);
	}
	// Behind its own proxy, n8n 1 doesn't apply the setting.
	const ignoring = listProjects({ credentials }, { allowUnauthorizedCerts: true });
	if (hostVersion() !== '1.123') expect((await play(stage, ignoring)).items(NAME)).not.toEqual([]);
	expect(await press(baseUrl)).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/self.signed/i),
	});
});

test('n8n hands the key to its proxy on the way to an http address, as the docs say', async () => {
	const address = new URL(stage.service.baseUrl);
	address.hostname = 'localhost';
	seen.read.length = 0;
	await importCredential(stage.host, { baseUrl: address.href, key: stage.service.key }, 'Plain');
	const credentials = { workspaceAutomationApi: { id: null, name: 'Plain' } };
	await play(stage, listProjects({ credentials }));
	expect(seen.read).toContain(`Bearer ${stage.service.key}`);
});

test.each([
	['a closed port', 'http://127.0.0.1:9/v1'],
	['a host that is not there', 'https://nowhere.invalid/v1'],
])('the test of a credential with %s fails', async (_, baseUrl) => {
	expect(await press(baseUrl)).toMatchObject({ status: 'Error' });
});
