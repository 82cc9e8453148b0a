// A message node behind To Approve that fails once, as with a wrong token, and the retry of its execution.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { Host } from '../../n8n-host/host.mts';
import { answer, MESSAGE, SAVED, untilFormIsGone } from './page.mts';
import { around, pausing, startLive } from './pausing.mts';
import { eventually, node } from './support.mts';

/** Starts a chat service that refuses its first message, and knows the links of all. */
async function startChat() {
	const links: string[] = [];
	const server = createServer((request, response) => {
		const { searchParams } = new URL(request.url!, 'http://127.0.0.1');
		links.push(searchParams.get('url')!);
		response.writeHead(links.length === 1 ? 403 : 200, { 'content-type': 'application/json' });
		response.end('{}');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const close = () => {
		server.closeAllConnections();
		server.close();
	};
	return { url: `http://127.0.0.1:${port}`, links, close };
}

/** Runs a workflow whose message fails, retries it, and answers. Returns the retry at its end. */
export async function answerInRetry(host: Host, prompt: string): Promise<Execution> {
	const chat = await startChat();
	try {
		const message = node(MESSAGE, 'n8n-nodes-base.httpRequest', 4.2, {
			parameters: {
				url: `=${chat.url}?url={{ encodeURIComponent($json.approvalUrl) }}`,
				options: {},
			},
		});
		const file = around('Message', [{ prompt }], pausing({ permissionPolicy: 'ask' }), {
			outputs: [['Completed'], [MESSAGE]],
			more: [message],
		});
		const { executionId } = await startLive(host, file);
		const failed = await host.waitForExecution(executionId);
		expect(failed).toMatchObject({
			status: 'error',
			error: { message: expect.stringMatching(/403|[Ff]orbidden/) },
		});
		const retryId = await host.retry(executionId);
		const own = await eventually(async () =>
			chat.links.find((link) => link.includes(`/${retryId}/`)),
		);
		await untilFormIsGone(chat.links[0]);
		expect(await answer(own, ['Approve once'])).toMatchObject(SAVED);
		return await host.waitForExecution(retryId);
	} finally {
		chat.close();
	}
}
