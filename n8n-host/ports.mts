// Free ports for programs that get their port as a setting.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems give to outgoing connections: one of those could take the port before the program has started. */
const FIRST = 20_000;
const LAST = 32_000;

/**
 * Returns a free port of the loopback interface. No other process gets the same port from this function while this process runs: it
 * holds the next port as a sign.
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
