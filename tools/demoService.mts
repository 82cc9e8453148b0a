// The local service as a child process, and its control API: what it was asked, and what it knows of its sessions.
import { fileURLToPath } from 'node:url';
import { startGuarded } from '../n8n-host/guarded.mts';

const root = fileURLToPath(new URL('..', import.meta.url));
const START_TIMEOUT_MS = 60_000;

/** One request that the service answered */
export interface ServedRequest {
	n: number;
	at: string;
	method: string;
	path: string;
	status: number;
	body: any;
	answer: any;
}

export interface LocalService {
	baseUrl: string;
	key: string;
	controlUrl: string;
	/** Requests after number `since`, oldest first */
	requests(since?: number): Promise<ServedRequest[]>;
	/** The service's own record of its sessions */
	sessions(): Promise<any[]>;
	/** Any other call of the control API */
	control(method: string, path: string, body?: unknown): Promise<any>;
	close(): Promise<void>;
}

/** Starts the local service on a free port. */
export async function startLocalService(): Promise<LocalService> {
	let announce: (line: string) => void = () => {};
	const announced = new Promise<string>((resolve) => (announce = resolve));
	const child = startGuarded(
		process.execPath,
		['local-service/main.mts', '--port', '0', '--json'],
		{
			cwd: root,
			onLine: (line) => line.startsWith('{"') && announce(line),
		},
	);

	let timer: NodeJS.Timeout | undefined;
	const line = await Promise.race([
		announced,
		child.exited.then(() => undefined),
		new Promise<undefined>(
			(resolve) => (timer = setTimeout(() => resolve(undefined), START_TIMEOUT_MS)),
		),
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
	async function control(method: string, path: string, body?: unknown): Promise<any> {
		const answer = await fetch(`${controlUrl}${path}`, {
			method,
			headers: body === undefined ? {} : { 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		if (!answer.ok)
			throw new Error(
				`The local service's ${method} ${path} answered ${answer.status}: ${await answer.text()}`,
			);
		return await answer.json();
	}

	return {
		baseUrl,
		key,
		controlUrl,
		requests: async (since = 0) => (await control('GET', `/requests?since=${since}`)).requests,
		sessions: async () => (await control('GET', '/sessions')).sessions,
		control,
		close: child.stop,
	};
}
