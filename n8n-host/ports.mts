// Ports for programs that are told theirs before they start.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems give to outgoing connections: one of those could take the port before the program has started. */
const FIRST = 20_000;
const LAST = 32_000;

/**
 * Returns a port of the loopback interface that no other caller gets while this process runs, in whichever process: the next
 * port is held as a sign that this one is taken.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = 2 * randomInt(FIRST / 2, LAST / 2);
		const sign = await listen(port + 1);
		if (!sign) continue;
		const itself = await listen(port);
		if (itself) {
			itself.close();
			await once(itself, 'close');
			return port;
		}
		sign.close();
	}
}

/** Returns nothing if the port is taken. The server doesn't keep the process running. */
async function listen(port: number): Promise<Server | undefined> {
	const server = createServer().unref().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
		return server;
	} catch {
		return undefined;
	}
}
