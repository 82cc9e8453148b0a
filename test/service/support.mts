// A service of one's own for a test file, and a way to talk to it over real HTTP.
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import {
	createService,
	type RunningService,
	type ServiceOptions,
} from '../../local-service/app.mts';
import { createManualClock } from '../../local-service/clock.mts';

export const current = '2026-10-05';
export const older = '2026-08-21';

export interface Given {
	query?: Record<string, string | number>;
	body?: unknown;
	/** Null leaves the header out */
	version?: string | null;
	token?: string | null;
	headers?: Record<string, string>;
}

export interface Got {
	status: number;
	headers: Headers;
	body: any;
}

const present = (headers: Record<string, string | null>) =>
	Object.fromEntries(
		Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
	);

/**
 * Starts a service before the file's tests, resets it before each, and ends it after them.
 * Its clock stands still: `advance` moves it. What the service complains about fails the file.
 */
export function useService(options: ServiceOptions = {}) {
	const clock = createManualClock();
	const problems: string[] = [];
	let running: RunningService;

	beforeAll(async () => {
		running = await createService({
			clock,
			log: (problem) => problems.push(problem),
			...options,
		}).start();
	});
	beforeEach(() => control('POST', '/reset'));
	afterAll(async () => {
		await running.close();
		expect(problems).toEqual([]);
	});

	async function api(method: string, path: string, given: Given = {}): Promise<Got> {
		const { query, body, version = current, token = running.key } = given;
		const url = new URL(running.baseUrl + path);
		for (const [name, value] of Object.entries(query ?? {}))
			url.searchParams.set(name, String(value));
		const headers = present({
			authorization: token && `Bearer ${token}`,
			'service-api-version': version,
			'content-type': body === undefined ? null : 'application/json',
			...given.headers,
		});
		const response = await fetch(url, {
			method,
			headers,
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		return { status: response.status, headers: response.headers, body: await response.json() };
	}

	/** The body of a control answer. */
	async function control(method: string, path: string, body?: unknown): Promise<any> {
		const response = await fetch(running.controlUrl + path, {
			method,
			...(body !== undefined && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		return response.json();
	}

	/** A token for a key of one's own. */
	const keyFor = async (key: { scopes?: string[]; projects?: string[] }): Promise<string> =>
		(await control('POST', '/keys', { name: 'own', ...key })).key;

	/** A whole list, page by page. */
	async function all(path: string, given: Given = {}): Promise<any[]> {
		const found: any[] = [];
		for (let cursor: string | null = null; ;) {
			const { body } = await api('GET', path, {
				...given,
				query: { ...given.query, ...(cursor !== null && { cursor }) },
			});
			found.push(...body.data);
			if (!body.has_more) return found;
			cursor = body.next_cursor;
		}
	}

	return {
		clock,
		problems,
		api,
		control,
		keyFor,
		all,
		seed: () => control('GET', '/seed'),
		url: () => running.baseUrl,
		advance: (seconds: number) => clock.advance(seconds * 1000),
	};
}

export const errorOf = ({ status, body }: Got) => [status, body.error?.code];
