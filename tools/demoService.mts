// The local mock service as a child process, and its control API: what it was asked, and what it knows of its sessions.
import { fileURLToPath } from 'node:url';
import { controlOver } from '../local-service/control/client.mts';
import type { RecordedRequest } from '../local-service/record.mts';
import { startGuarded } from '../n8n-host/guarded.mts';
import type { Log } from '../n8n-host/pinned.mts';
import { HANG_MS } from '../n8n-host/hang.mts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** One request that the service answered. Bodies are read where it is known what they hold. */
export interface ServedRequest extends RecordedRequest {
	status: number;
	body?: any;
	answer?: any;
}

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;

/**
 * Starts the local mock service on a free port.
 * @param log receives what the service says, such as that it installs ClickHouse
 */
export async function startLocalService(log: Log = () => {}) {
	let announce: (line: string) => void = () => {};
	const announced = new Promise<string>((resolve) => (announce = resolve));
	const child = startGuarded(
		process.execPath,
		['local-service/main.mts', '--port', '0', '--json'],
		{
			cwd: root,
			onLine: (line) => (line.startsWith('{"') ? announce(line) : log(line)),
		},
	);

	let timer: NodeJS.Timeout | undefined;
	const line = await Promise.race([
		announced,
		child.exited.then(() => undefined),
		new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), HANG_MS))),
	]);
	clearTimeout(timer);
	if (line === undefined) {
		await child.stop();
		throw new Error(`The local service did not start:\n${child.tail()}`);
	}

	const { baseUrl, key, controlUrl } = JSON.parse(line) as {
		baseUrl: string;
		key: string;
		controlUrl: string;
	};
	const control = controlOver(controlUrl);

	return {
		baseUrl,
		key,
		controlUrl,
		/** Requests after number `since`, oldest first */
		requests: async (since?: number) => (await control.requests(since)) as ServedRequest[],
		/** The service's own record of its sessions */
		sessions: control.sessions,
		/** Everything else that can be asked of the service, and changed in it */
		control,
		close: child.stop,
	};
}
