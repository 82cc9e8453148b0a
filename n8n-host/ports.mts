import { createServer, type AddressInfo, type Server } from 'node:net';

/** As many free loopback ports as asked for, all different. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(Array.from({ length: count }, listen));
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	// Closed only when all are known, or the same port could be given twice.
	await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
	return ports;
}

function listen(): Promise<Server> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => resolve(server));
	});
}
