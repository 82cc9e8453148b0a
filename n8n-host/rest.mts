// The part of n8n's editor API that the host needs, called as the editor does: with a login cookie and a browser id.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { http, isOk } from '../tools/http.mts';

export interface Login {
	email: string;
	password: string;
}

export interface Rest {
	get<T = any>(path: string): Promise<T>;
	post<T = any>(path: string, body?: unknown): Promise<T>;
	patch<T = any>(path: string, body?: unknown): Promise<T>;
}

/** An answer of n8n other than 2xx */
export class RestError extends Error {
	readonly status: number;

	constructor(what: string, status: number, message: string) {
		super(`${what} answered ${status}: ${message}`);
		this.status = status;
	}
}

/** Waits until n8n asks who is there (`/healthz` answers before its routes do), or until `givenUp`. Throws after `timeoutMs`. */
export async function waitUntilReady(
	url: string,
	timeoutMs: number,
	givenUp: AbortSignal,
): Promise<void> {
	for (const end = Date.now() + timeoutMs; !givenUp.aborted; await sleep(250)) {
		const ready = await http.get(`${url}/rest/login`).then(
			({ status }) => status === 401,
			() => false,
		);
		if (ready) return;
		if (Date.now() > end)
			throw new Error(`n8n did not answer at ${url} within ${timeoutMs / 1000} s.`);
	}
}

/** Logs in as the owner; in a new n8n, makes the owner first. */
export async function setUpAndLogin(url: string, { email, password }: Login): Promise<Rest> {
	const browserId = randomUUID();
	let cookie = '';

	async function send(method: string, path: string, body?: unknown) {
		const response = await http.request({
			method,
			url: `${url}/rest${path}`,
			// n8n closes what is idle for five seconds; on a busy machine a request may just be on its way.
			headers: { 'browser-id': browserId, cookie, connection: 'close' },
			data: body,
		});
		const cookies = response.headers['set-cookie'] ?? [];
		if (cookies.length > 0) cookie = cookies.map((line) => line.split(';')[0]).join('; ');
		const { status, data } = response;
		if (!isOk(response))
			throw new RestError(
				`${method} /rest${path}`,
				status,
				data?.message ?? String(data).slice(0, 300),
			);
		return data === '' ? undefined : data.data;
	}

	const submitLogin = async () =>
		await send('POST', '/login', { emailOrLdapLoginId: email, password });
	await submitLogin().catch(async (error: unknown) => {
		if (!(error instanceof RestError && error.status === 401)) throw error;
		await send('POST', '/owner/setup', { email, password, firstName: 'Demo', lastName: 'Owner' });
		await submitLogin();
	});

	return {
		get: (path) => send('GET', path),
		post: (path, body) => send('POST', path, body ?? {}),
		patch: (path, body) => send('PATCH', path, body ?? {}),
	};
}
