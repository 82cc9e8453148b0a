// A server whose certificate n8n doesn't know, and a real proxy between n8n and the server, in n8n's engine.
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byId } from '../../n8n-host/workflows.mts';
import { credentialFor } from '../../local-service/caller.mts';
import { getList, useServers } from './answers.mts';
import { operation, poller, run } from './engine.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const listen = useServers();

/** Makes a key and a certificate that nobody has signed. */
function makeCertificate() {
	const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
	const [key, cert] = ['key', 'cert'].map((name) => join(folder, name));
	const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
	const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert];
	execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
	const files = { key: readFileSync(key), cert: readFileSync(cert) };
	rmSync(folder, { recursive: true });
	return files;
}

/** Starts the server, and returns the credential for it and what it's asked. */
async function secured() {
	const asked: string[] = [];
	const server = createServer(makeCertificate(), ({ url, headers }, response) => {
		asked.push(`${url} ${headers.authorization}`);
		response
			.writeHead(200, { 'content-type': 'application/json' })
			.end(JSON.stringify(getList({ object: 'project', id: ID })));
	});
	const host = `localhost:${await listen(server)}`;
	return {
		asked,
		host,
		credentials: credentialFor({ baseUrl: `https://${host}/v1`, key: 'wa_key' }),
	};
}

test("a certificate that n8n doesn't know is an error of each node that names n8n's setting and its page, and sends nothing", async () => {
	const { asked, credentials } = await secured();
	const session = {
		operation: 'start',
		projectId: byId(ID),
		prompt: 'x',
		permissionPolicy: 'deny',
	};
	const setups = [
		operation('project.getAll', {}, credentials),
		{ node: 'runAgentSession', parameters: session, credentials },
	];
	const errors = await Promise.all(setups.map(async (setup) => (await run(setup)).error));
	const watching = { parameters: { event: 'projectAdded' }, credentials };
	const trigger = poller({ node: 'workspaceAutomationTrigger', ...watching });
	errors.push(await trigger.test().catch((error) => error));
	for (const error of errors) {
		expect(error?.message).toBe('No secure connection to the service');
		expect(error?.description).toMatch(
			/SELF_SIGNED.*NODE_EXTRA_CA_CERTS.*https:\/\/docs\.n8n\.io\/\S+certificate/,
		);
	}
	expect(asked).toEqual([]);
});

test("a certificate that n8n doesn't know works with Ignore SSL Issues, through n8n's own proxy, which sees no request", async () => {
	const { asked, host, credentials } = await secured();
	const tunnels: string[] = [];
	const read: string[] = [];
	const proxy = createProxy(({ url }, response) => response.end(String(read.push(url!))));
	proxy.on('connect', ({ url }, socket) => {
		tunnels.push(url!);
		const [name, port] = url!.split(':');
		const target = connect(Number(port), name, () => {
			socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
			target.pipe(socket).pipe(target);
		});
		for (const end of [socket, target]) end.on('error', () => socket.destroy());
	});
	process.env.HTTPS_PROXY = `http://127.0.0.1:${await listen(proxy)}`;
	const requestOptions = { allowUnauthorizedCerts: true };
	const running = run(operation('project.getAll', { requestOptions }, credentials));
	const { outputs, error } = await running.finally(() => delete process.env.HTTPS_PROXY);
	expect(error).toBeUndefined();
	expect(outputs[0].map(({ json }) => json.id)).toEqual([ID]);
	expect(asked).toEqual([expect.stringMatching(/^\/v1\/projects.* Bearer wa_key$/)]);
	expect([tunnels, read]).toEqual([[host], []]);
});
