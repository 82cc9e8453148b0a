import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guarded } from './guarded.mts';
import { HANG_MS } from './hang.mts';

/** Waits until a server accepts connections on its port. Ends the server and throws, with what it printed, if it does not. */
export async function untilItAccepts(name: string, port: number, server: Guarded): Promise<void> {
	let ended = false;
	server.exited.catch(() => {}).finally(() => (ended = true));
	for (const end = Date.now() + HANG_MS; !ended && Date.now() < end; await sleep(100)) {
		if (await accepts(port)) return;
	}
	await server.stop();
	throw new Error(`${name} did not start:\n${server.tail()}`);
}

function accepts(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => resolve(true));
		socket.once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
