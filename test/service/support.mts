// A service for the tests of one file, and calls to it over real HTTP.
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import {
	createService,
	type RunningService,
	type ServiceOptions,
} from '../../local-service/app.mts';
import {
	createControl,
	sendOver,
	type ControlClient,
} from '../../local-service/control/client.mts';
import type { NewKey } from '../../local-service/control/control.mts';
import { CURRENT_VERSION } from '../../local-service/caller.mts';
import { parseJson } from '../../local-service/json.mts';
import { AS_TEXT, http } from '../../tools/http.mts';
import { createServiceClock } from '../support/virtualClock.mts';

export type Json = Record<string, any>;

export const current = CURRENT_VERSION;
export const older = '2026-08-21';
/** An id that nothing has */
export const unknownId = '00000000-0000-4000-8000-000000000000';

interface CallOptions {
	query?: Record<string, string | number>;
	/** A text is sent as it is, everything else as JSON */
	body?: unknown;
	/** Null leaves the header out */
	version?: string | null;
	token?: string | null;
	headers?: Record<string, string>;
}

interface CallResult<Body = unknown> {
	status: number;
	headers: Headers;
	/** Undefined where there is none */
	body: Body;
	/** The body as it arrived */
	text: string;
}

const present = (headers: Record<string, string | null>) =>
	Object.fromEntries(
		Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
	);

/**
 * Starts a service before the file's tests, resets it before each, and closes it after them.
 * Its clock stands still: `advance` moves it. The file fails when the service reports its own error.
 */
export function useService(options: ServiceOptions = {}) {
	const clock = createServiceClock();
	const problems: string[] = [];
	let running: RunningService;

	const control: ControlClient = createControl((...request) =>
		sendOver(running.controlUrl)(...request),
	);

	beforeAll(async () => {
		running = await createService({
			clock,
			log: (problem) => problems.push(problem),
			...options,
		}).start();
	});
	beforeEach(() => control.reset());
	afterAll(async () => {
		await running.close();
		expect(problems).toEqual([]);
	});

	/** Calls the API. The caller says what a successful body is; the service holds it to the contract. */
	async function api<Body>(
		method: string,
		path: string,
		options: CallOptions = {},
	): Promise<CallResult<Body>> {
		const { query, body, version = current, token = running.key } = options;
		const response = await http.request<string>({
			...AS_TEXT,
			transformRequest: (text) => text,
			method,
			url: running.baseUrl + path,
			params: query,
			headers: present({
				authorization: token && `Bearer ${token}`,
				'service-api-version': version,
				'content-type': body === undefined ? null : 'application/json',
				...options.headers,
			}),
			data: typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = response.data;
		// The request decides the type of the body. `getError` reads errors
		return {
			status: response.status,
			headers: new Headers(response.headers as Record<string, string>),
			body: parseJson(text) as Body,
			text,
		};
	}

	/** A token for its own key. */
	const keyFor = (key: Omit<NewKey, 'name'>): Promise<string> =>
		control.createKey({ name: 'own', ...key });

	return {
		clock,
		api,
		control,
		keyFor,
		seed: control.seed,
		url: () => running.baseUrl,
		controlUrl: () => running.controlUrl,
		advance: (seconds: number) => clock.advance(seconds * 1000),
	};
}

/** The error of an answer, if it is one. */
const findError = ({ body }: CallResult) => (body as Json | undefined)?.error;

/** `[404, 'not_found']` */
export const getError = (result: CallResult) => [result.status, findError(result)?.code];
/** The error's message; empty for what is not an error */
export const getMessage = (result: CallResult): string => findError(result)?.message ?? '';
